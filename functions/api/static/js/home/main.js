// All knowledge bases; creating one.

import { all, post } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { attachDialog } from "../lib/knowledge_base.js";
import { emptiness, failure } from "../lib/notice.js";

const place = byId("knowledge-bases");

function card(kb) {
  return h(
    "li",
    { class: "kb-card" },
    h("h2", {}, h("a", { href: `/kb/${encodeURIComponent(kb.slug)}` }, kb.name)),
    h("p", {}, kb.description || "No description yet."),
    h(
      "div",
      { class: "kb-counts" },
      h("span", {}, h("b", {}, count(kb.documents)), kb.documents === 1 ? " document" : " documents"),
      h("span", {}, h("b", {}, count(kb.chunks)), kb.chunks === 1 ? " chunk" : " chunks"),
      kb.chunks > 0 &&
        h("a", { href: `/playground?kb=${encodeURIComponent(kb.slug)}`, "aria-label": `Ask ${kb.name}` }, "Ask"),
    ),
  );
}

function none() {
  const button = h(
    "button",
    { type: "button", class: "button primary", onclick: () => open() },
    "Create the first one",
  );
  return emptiness(
    "No knowledge base yet",
    "A knowledge base holds documents that belong together. Create one, then drop files into it.",
    button,
  );
}

async function load() {
  try {
    const items = await all("/v1/knowledge-bases");
    place.replaceChildren(
      items.length
        ? h("ul", { class: "kb-grid plain", "aria-label": plural(items.length, "knowledge base") }, items.map(card))
        : none(),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

const open = attachDialog("create", async (wanted) => {
  const kb = await post("/v1/knowledge-bases", wanted);
  location.assign(`/kb/${encodeURIComponent(kb.slug)}`);
});
byId("create-open").addEventListener("click", () => open());
load();
