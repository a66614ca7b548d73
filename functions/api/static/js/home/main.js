// All knowledge bases; creating one.

import { may } from "../lib/account.js";
import { all, call, post } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { attachDialog, lockSign } from "../lib/knowledge_base.js";
import { emptiness, failure } from "../lib/notice.js";
import { checklist, stepsOf } from "../lib/onboarding.js";
import { hasPages } from "../lib/sources.js";

const place = byId("knowledge-bases");

const FACES = 3;

/** First pages of a knowledge base's newest documents; the name where a source has no pages to be seen. */
function faces(documents) {
  if (!documents.length) return null;
  const face = ({ id, ingestion_id: run, source_type: type, name }) =>
    hasPages(type)
      ? h("img", { src: `/v1/documents/${id}/pages/1/image?size=thumb&run=${run}`, alt: "", loading: "lazy", decoding: "async", onerror: (event) => event.target.remove() })
      : h("span", { class: "kb-face" }, name);
  return h("div", { class: "kb-faces", "aria-hidden": "true" }, documents.slice(0, FACES).map(face));
}

function card(kb, documents) {
  return h(
    "li",
    { class: "kb-card" },
    faces(documents),
    h("h2", {}, h("a", { href: `/kb/${encodeURIComponent(kb.slug)}` }, kb.name), kb.restricted && lockSign()),
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
  if (!may("editor"))
    return emptiness("Nothing to read yet", "Nobody has made a knowledge base that you see. Your role is viewer: editors upload documents, owners and admins say who sees them.");
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

/** What is still to do for a first answer; an empty organization begins with it. */
async function showSteps(items) {
  const [documents, chunks] = ["documents", "chunks"].map((name) => items.reduce((sum, kb) => sum + kb[name], 0));
  const writable = items.find((kb) => kb.may_write);
  const steps = may("editor") && (await stepsOf({ bases: items.length, documents, chunks, slug: writable?.slug }));
  if (!steps) return;
  byId("steps").replaceChildren(checklist(steps, () => open()));
  // It says the same, and more of it.
  if (!items.length) place.replaceChildren();
}

async function load() {
  try {
    const [items, { items: newest }] = await Promise.all([all("/v1/knowledge-bases"), call("/v1/documents?limit=200")]);
    const read = Map.groupBy(newest.filter((item) => item.chunks > 0), (item) => item.knowledge_base_id);
    place.replaceChildren(
      items.length
        ? h("ul", { class: "kb-grid plain", "aria-label": plural(items.length, "knowledge base") }, items.map((kb) => card(kb, read.get(kb.id) ?? [])))
        : none(),
    );
    await showSteps(items);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

const open = attachDialog("create", async (wanted) => {
  const kb = await post("/v1/knowledge-bases", wanted);
  location.assign(`/kb/${encodeURIComponent(kb.slug)}`);
});
byId("create-open")?.addEventListener("click", () => open());
load();
