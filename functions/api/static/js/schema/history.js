// Versions of the schema: who made which, when and why, and what it changed.

import { call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { failure } from "../lib/notice.js";

const KINDS = { added: "added", removed: "taken out", changed: "changed", renamed: "renamed" };

/** A line per attribute that a diff names. */
export function changeList(changes) {
  const line = (one) => h("li", { class: `change ${one.kind}` }, h("span", { class: "tag" }, KINDS[one.kind]), " ", h("b", {}, one.name), one.was ? ` was ${one.was}` : "", one.fields.length ? h("small", {}, ` ${one.fields.join(", ")}`) : "");
  return changes.length ? h("ul", { class: "changes plain" }, changes.map(line)) : h("p", { class: "muted" }, "Nothing is other than before.");
}

/** Shows the newest versions; `bringBack` takes a version's attributes. What somebody opened stays open. */
export async function showHistory(path, present, bringBack) {
  const { items, next_cursor: more } = await call(`${path}/versions?limit=20`);
  const opened = new Set([...byId("history").querySelectorAll("details[open]")].map(({ id }) => id));
  if (!items.length) {
    byId("history").replaceChildren();
    return;
  }
  const entry = (one) => {
    const id = `changes-of-${one.version}`;
    const place = h("div", {});
    const open = async (event) => {
      if (!event.target.open || place.childElementCount) return;
      try {
        const diff = await call(`${path}/diff?before=${one.version - 1}&after=${one.version}`);
        place.replaceChildren(changeList(diff.changes));
      } catch (error) {
        place.replaceChildren(failure(error, { compact: true }));
      }
    };
    return h(
      "li",
      {},
      h("div", { class: "version-line" }, h("b", {}, `Version ${one.version}`), h("span", {}, plural(one.attributes.length, "attribute")), h("span", { class: "muted", title: one.created_at }, `${one.author}, ${age(one.created_at)}`), bringBack && one.version !== present && h("button", { type: "button", class: "button small quiet", onclick: () => bringBack(one) }, "Bring back", h("span", { class: "visually-hidden" }, ` version ${one.version}`))),
      one.why && h("p", {}, one.why),
      h("details", { id, ontoggle: open, open: opened.has(id) }, h("summary", {}, "What changed", h("span", { class: "visually-hidden" }, ` in version ${one.version}`)), place),
    );
  };
  byId("history").replaceChildren(h("section", { class: "attr-history", "aria-labelledby": "history-title" }, h("h2", { id: "history-title" }, "History"), h("ol", { class: "plain" }, items.map(entry)), more && h("p", { class: "muted" }, "Older versions: autri schema history")));
}
