// Versions on the shelf: what looks like a new version of something, and what can be done with a version.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h, keepChildren } from "../lib/dom.js";
import { versionName } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";
import { failure } from "../lib/notice.js";

const AT_FIRST = 3;
const PARTS = { name: "name", title: "title", sections: "sections", content: "content" };
const digits = (value) => value.toFixed(2).replace(/^0/, "");

function reasons(suggestion) {
  const known = Object.entries(suggestion.parts).filter(([, value]) => value !== null);
  return known.map(([name, value]) => `${PARTS[name]} ${digits(value)}`).join(", ");
}

/** The best suggestion per document; the others are about the same file. */
function best(suggestions) {
  const found = new Map();
  for (const one of suggestions) {
    const known = found.get(one.document.id);
    if (!known || one.score > known.score) found.set(one.document.id, one);
  }
  return [...found.values()];
}

function banner(suggestion, changed) {
  const { document: item, logical_document: together, nearest } = suggestion;
  const label = h("input", { type: "text", value: suggestion.label ?? "", maxlength: "80", placeholder: "no label" });
  const said = h("span", { class: "form-error", role: "alert" });
  const decide = (what, body, done) => async () => {
    try {
      await post(`/v1/version-suggestions/${suggestion.id}/${what}`, body);
      announce(done);
      changed();
    } catch (error) {
      said.textContent = error.detail || error.message;
    }
  };
  const older = nearest && suggestion.position <= nearest.index;
  const compared = nearest && (older ? `${item.id}/diff/${nearest.id}` : `${nearest.id}/diff/${item.id}`);
  const link = () => decide("accept", { label: label.value.trim() || null }, `${item.name} linked`)();
  return h(
    "li",
    { class: "suggestion" },
    h(
      "p",
      {},
      h("b", {}, item.name),
      " looks like a version of ",
      h("b", {}, together.name),
      ". ",
      h("span", { class: "muted" }, `${digits(suggestion.score)}: ${reasons(suggestion)}`),
    ),
    h(
      "div",
      { class: "suggestion-actions" },
      h("label", {}, h("span", {}, `Version ${suggestion.position}, called`), label),
      nearest && h("a", { class: "button small", href: `/documents/${compared}` }, "Compare"),
      h("button", { type: "button", class: "button small primary", "aria-label": `Link ${item.name}`, onclick: link }, "Link"),
      h(
        "button",
        {
          type: "button",
          class: "button small quiet",
          "aria-label": `${item.name} is not a version`,
          onclick: decide("dismiss", undefined, `${item.name} is not a version`),
        },
        "Not a version",
      ),
      said,
    ),
  );
}

// The list and its banners as they were made: while a suggestion says the same it stays, with what is typed into it.
const list = h("ul", { class: "plain suggestions" });
let banners = new Map();
let everything = false;

function kept(suggestion, changed) {
  const shown = JSON.stringify(suggestion);
  const known = banners.get(suggestion.id);
  return known?.shown === shown ? known : { shown, node: banner(suggestion, changed) };
}

function drawList(found, changed) {
  banners = new Map(found.map((one) => [one.id, kept(one, changed)]));
  const nodes = [...banners.values()].map(({ node }) => node);
  const left = everything ? 0 : nodes.length - AT_FIRST;
  const rest = () => {
    everything = true;
    drawList(found, changed);
  };
  const more = left > 0 && h("li", {}, h("button", { type: "button", class: "button small", onclick: rest }, `${left} more suggestions`));
  keepChildren(list, more ? [...nodes.slice(0, AT_FIRST), more] : nodes);
}

/** Shows above the list what may be linked; `changed` is called when something was. */
export async function showSuggestions(kb, changed) {
  let place = byId("suggestions");
  if (!place) {
    place = h("section", { id: "suggestions", "aria-label": "Version suggestions" });
    byId("documents").before(place);
  }
  try {
    const found = best(await all(`/v1/knowledge-bases/${kb.id}/version-suggestions`));
    drawList(found, changed);
    keepChildren(place, found.length ? [list] : []);
  } catch (error) {
    place.replaceChildren(failure(error, { compact: true }));
  }
}

function act(item, what, done, reload, problem) {
  return async () => {
    try {
      await call(`/v1/documents/${item.id}/${what}`, { method: "POST" });
      announce(done);
      reload();
    } catch (error) {
      problem(error);
    }
  };
}

/** The version of a row: its label, whether it is current, and for one of several what can be done with it. */
export function versionCell(item, versions, reload, problem, writable) {
  const current = item.version.is_current;
  const chip = h("span", { class: current ? "" : "old" }, versionName(item));
  // Before its first publication a document is neither.
  const tag = item.published_at && h("span", { class: "tag" }, current ? "current" : "older");
  if (versions.length < 2) return h("span", { class: "version" }, chip, tag);
  const entry = (text, onclick) => h("button", { type: "button", class: "menu-item", onclick: () => opened.close() ?? onclick() }, text);
  const others = versions.filter((other) => other.id !== item.id);
  const panel = h(
    "div",
    { class: "version-panel" },
    others.map((other) => {
      const [before, after] = other.version.index < item.version.index ? [other, item] : [item, other];
      return h("a", { class: "menu-item", href: `/documents/${before.id}/diff/${after.id}` }, `Compare with ${versionName(other)}`);
    }),
    writable && !current && item.published_at && entry("Make it the current version", act(item, "current", `${item.name} is current`, reload, problem)),
    writable && entry("Unlink: a document of its own", act(item, "unlink", `${item.name} unlinked`, reload, problem)),
  );
  const menu = h("span", { class: "menu" });
  const opened = attachMenu(menu, versionName(item), panel, `pill${current ? "" : " old"}`);
  opened.button.setAttribute("aria-label", `Version ${versionName(item)} of ${item.name}`);
  return h("span", { class: "version" }, menu, tag);
}
