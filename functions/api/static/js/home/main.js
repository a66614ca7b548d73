// All knowledge bases; creating one.

import { all, post } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { emptiness, failure } from "../lib/notice.js";

const place = byId("knowledge-bases");
const dialog = byId("create-dialog");
const form = byId("create-form");

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
    { type: "button", class: "button primary", onclick: () => dialog.showModal() },
    "Create the first one",
  );
  return emptiness(
    "No knowledge base yet",
    "A knowledge base holds documents that belong together. Create one, then drop PDFs into it.",
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

async function create(event) {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  if (!fields.name.trim()) {
    byId("create-error").textContent = "Give it a name.";
    form.elements.name.focus();
    return;
  }
  try {
    const kb = await post("/v1/knowledge-bases", { name: fields.name.trim(), description: fields.description.trim() });
    location.assign(`/kb/${encodeURIComponent(kb.slug)}`);
  } catch (error) {
    byId("create-error").textContent = error.detail || error.title || error.message;
  }
}

byId("create-open").addEventListener("click", () => dialog.showModal());
byId("create-cancel").addEventListener("click", () => dialog.close());
form.addEventListener("submit", create);
load();
