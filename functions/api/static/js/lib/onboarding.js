// The way to a first answer, as a checklist. Nothing of it is stored: what exists says which steps are done.

import { call } from "./api.js";
import { h, icon } from "./dom.js";

// With more than this nobody needs to be shown the way.
const FEW = 3;

/** Whether the person has asked anything, as far as traces are kept. */
async function hasAsked() {
  const { items } = await call("/v1/traces?mine=true&limit=1");
  return items.length > 0;
}

/** The steps as {name, why, done, href, label}, or null where the way is behind the person. `slug` names the knowledge base
 * to go on in, `inspect` is the address of a document that has been read. */
export async function stepsOf({ bases, documents, chunks, slug, inspect }) {
  if (documents > FEW) return null;
  const asked = chunks > 0 && (await hasAsked());
  if (chunks > 0 && asked) return null;
  const shelf = slug && `/kb/${encodeURIComponent(slug)}`;
  return [
    { name: "Make a knowledge base", why: "It holds documents that belong together.", done: bases > 0, label: "Make one" },
    { name: "Upload your first document", why: "It is read page by page; you can look inside while it runs.", done: documents > 0, href: shelf, label: "Upload" },
    { name: "See how it was read", why: "Every chunk beside its place on the page.", done: chunks > 0, href: inspect ?? shelf, label: "Look inside" },
    { name: "Ask it", why: "Each sentence of the answer names where it stands.", done: asked, href: slug && `/playground?kb=${encodeURIComponent(slug)}`, label: "Ask" },
  ];
}

/** `act` does the step that has no page of its own, or that this page is for. */
export function checklist(steps, act) {
  const next = steps.findIndex((step) => !step.done);
  return h(
    "section",
    { class: "steps", "aria-labelledby": "steps-title" },
    h("h2", { id: "steps-title" }, next < 2 ? "Upload your first document" : "Your first document"),
    h("ol", { class: "plain" }, steps.map((step, at) => row(step, at, at === next, act))),
  );
}

function row(step, at, isNext, act) {
  const here = !step.href || new URL(step.href, location.href).pathname === location.pathname;
  // The third is done by waiting; there is nothing to press until something has been read.
  const waits = at === 2 && here;
  const doIt =
    isNext && !waits
      ? here
        ? h("button", { type: "button", class: "button small primary", onclick: act }, step.label)
        : h("a", { class: "button small primary", href: step.href }, step.label)
      : step.done && at === 2 && !here && h("a", { class: "button small", href: step.href }, step.label);
  return h(
    "li",
    { class: step.done ? "done" : isNext ? "next" : "", "aria-current": isNext ? "step" : null },
    h("span", { class: "step-mark", "aria-hidden": "true" }, step.done ? icon("tick") : String(at + 1)),
    h("span", { class: "step-text" }, h("b", {}, step.name, step.done && h("span", { class: "visually-hidden" }, " (done)")), h("small", {}, step.why)),
    doIt,
  );
}
