// The knowledge base that a page is about: found, named in the breadcrumb, renamed in a dialog.

import { all } from "./api.js";
import { byId, h, icon } from "./dom.js";
import { emptiness, failure } from "./notice.js";

/** Undefined where there is none. */
export async function findBySlug(slug) {
  return (await all("/v1/knowledge-bases")).find((item) => item.slug === slug);
}

/** Names the knowledge base in the breadcrumb `kb-crumb` and links to it and to its pages, which `data-below` names;
 *  without one, the breadcrumb leads to all of them. Gives the knowledge base, where there is one. */
export async function showCrumb(id) {
  const kb = (await all("/v1/knowledge-bases")).find((item) => item.id === id);
  if (!kb) return undefined;
  const path = `/kb/${encodeURIComponent(kb.slug)}`;
  byId("kb-crumb").textContent = kb.name;
  byId("kb-crumb").href = path;
  for (const link of document.querySelectorAll("a[data-below]")) link.href = path + link.dataset.below;
  return kb;
}

/** The sign of a knowledge base that named members alone see. */
export function lockSign() {
  return h("span", { class: "lock-sign", title: "Restricted: named members alone see it" }, icon("lock"), h("span", { class: "visually-hidden" }, " (restricted)"));
}

export function noSuchBase(slug) {
  return emptiness(
    `There is no knowledge base “${slug}”`,
    "It may have been deleted, or it belongs to another organization.",
    h("a", { class: "button", href: "/" }, "All knowledge bases"),
  );
}

/** Starts a page about the knowledge base `slug`: names it in title and breadcrumb and lets `begin` go on with it. `place`
 *  says where there is none and what fails, and then is busy no more. */
export async function openPageOf(slug, place, title, begin) {
  const say = (said) => {
    place.replaceChildren(said);
    place.setAttribute("aria-busy", "false");
  };
  try {
    const kb = await findBySlug(slug);
    const name = kb?.name ?? "unknown";
    document.title = `${title} · ${name} · autri`;
    byId("kb-link").textContent = name;
    if (!kb) return say(noSuchBase(slug));
    byId("kb-link").href = `/kb/${encodeURIComponent(slug)}`;
    await begin(kb);
  } catch (error) {
    say(failure(error, { retry: () => openPageOf(slug, place, title, begin) }));
  }
}

/** Attaches the dialog `id` (kb_dialog.html); `save` gets {name, description}, and what it throws is said in the form.
 * Returns the function that opens it, with values where there are some. */
export function attachDialog(id, save) {
  const [dialog, form, said] = ["dialog", "form", "error"].map((part) => byId(`${id}-${part}`));
  const { name, description } = form.elements;
  const refuse = (text) => {
    said.textContent = text;
    name.focus();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!name.value.trim()) {
      refuse("Give it a name.");
      return;
    }
    try {
      await save({ name: name.value.trim(), description: description.value.trim() });
      dialog.close();
    } catch (error) {
      refuse(error.detail || error.title || error.message);
    }
  });
  byId(`${id}-cancel`).addEventListener("click", () => dialog.close());
  return (values = {}) => {
    name.value = values.name ?? name.value;
    description.value = values.description ?? description.value;
    said.textContent = "";
    dialog.showModal();
  };
}
