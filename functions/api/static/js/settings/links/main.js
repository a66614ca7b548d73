// Links: what each shows, until when, how often it was opened; and the way to take it back.

import { all, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { openForm } from "../../lib/form.js";
import { age, plural } from "../../lib/format.js";
import { over } from "../../lib/links.js";
import { emptiness, failure } from "../../lib/notice.js";

const place = byId("links");
const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const kind = (one) => (one.notebook_id ? "notebook" : "conversation");
const name = (one) => one.title || `A ${kind(one)} that you do not see`;
const home = (one) => (one.notebook_id ? `/v1/notebooks/${one.notebook_id}` : `/v1/threads/${one.thread_id}`);

async function takeBack(one) {
  const saved = await openForm({
    title: "Take the link back?",
    fields: [h("p", {}, `From now on it shows nothing of “${name(one)}” to anybody.`)],
    done: "Take back",
    cancel: "Keep it",
    danger: true,
    save: () => post(`${home(one)}/shares/${one.id}/revoke`),
  });
  if (!saved) return;
  announce("The link is taken back");
  await load();
}

function row(one, slugs) {
  const ended = over(one);
  const slug = slugs.get(one.knowledge_base_id);
  const way = one.thread_id ? one.own && `/playground?thread=${one.thread_id}` : slug && `/kb/${encodeURIComponent(slug)}/notebook?notebook=${one.notebook_id}`;
  const title = h("bdi", {}, name(one));
  return h(
    "li",
    { class: `settings-row key-row${ended ? " ended" : ""}` },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, one.title && way ? h("a", { href: way }, title) : title, ended && h("span", { class: "tag" }, ended)),
      h("span", { class: "sub" }, `${kind(one)}${one.revision ? `, version ${one.revision}` : ""}, made ${age(one.created_at)} by ${one.own ? "you" : (one.author ?? "somebody who left")}`),
    ),
    h("div", { class: "row-facts" }, h("span", {}, `${ended ? "would have ended" : "ends"} ${DATE.format(new Date(one.expires_at))}`)),
    h("div", { class: "row-facts" }, h("span", {}, one.opened ? `opened ${plural(one.opened, "time")}, last ${age(one.opened_at)}` : "never opened")),
    h(
      "span",
      { class: "row-actions" },
      !ended && h("button", { type: "button", class: "button small", "aria-label": `Take back the link to ${name(one)}`, onclick: () => takeBack(one) }, "Take back"),
    ),
  );
}

async function load() {
  try {
    const [found, bases] = await Promise.all([all("/v1/shares"), all("/v1/knowledge-bases")]);
    const slugs = new Map(bases.map((base) => [base.id, base.slug]));
    const sorted = found.reverse().sort((one, other) => Boolean(over(one)) - Boolean(over(other)));
    place.replaceChildren(
      found.length
        ? h("ul", { class: "rows plain", "aria-label": "Links" }, sorted.map((one) => row(one, slugs)))
        : emptiness("None yet", "What you share from a conversation or a notebook is listed here."),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

load();
