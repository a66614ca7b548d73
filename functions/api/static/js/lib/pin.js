// Pinning: one small action, wherever something is found, puts it at the end of a notebook of its knowledge base.

import { all, call, post } from "./api.js";
import { announce, h } from "./dom.js";
import { field, openForm, select } from "./form.js";
import { failure } from "./notice.js";

const LAST = "autri-notebook-of-";
const SHOWN_FOR = 8000; // milliseconds

/** Remembers which notebook of the knowledge base `base` is worked in. */
export function rememberNotebook(base, id) {
  try {
    localStorage.setItem(LAST + base, id);
  } catch {
    // Without storage the first one is taken.
  }
}

/** The one of `notebooks` that was worked in last; the first one where none was. */
export function lastNotebook(base, notebooks) {
  let last = null;
  try {
    last = localStorage.getItem(LAST + base);
  } catch {
    // As where nothing is remembered.
  }
  return notebooks.find(({ id }) => id === last) ?? notebooks[0];
}

/** The notebook of `base` to put things into: made where there is none. */
export async function openNotebook(base) {
  const found = lastNotebook(base, await all(`/v1/notebooks?knowledge_base_id=${base}`));
  return found ?? post("/v1/notebooks", { knowledge_base_id: base, title: "Notebook" });
}

/** The knowledge base that it is pinned in, of several: the first that may be written, or the one that is chosen. */
async function baseOf(ids) {
  const wanted = new Set(ids);
  const bases = (await all("/v1/knowledge-bases")).filter((one) => one.may_write && wanted.has(one.id));
  if (bases.length < 2) return bases[0] ?? null;
  const choose = select({ name: "base" }, bases.map(({ id, name }) => ({ value: id, label: name })), bases[0].id);
  const saved = await openForm({ title: "Pin to a notebook", fields: [field("Notebook of", choose)], done: "Pin", save: async () => {} });
  return saved ? bases.find(({ id }) => id === choose.value) : undefined;
}

function say(...children) {
  document.querySelector(".pinned-said")?.remove();
  const line = h("div", { class: "pinned-said", role: "status" }, children);
  document.body.append(line);
  setTimeout(() => line.remove(), SHOWN_FOR);
}

/** Pins `content` (a cell's, as the API takes it) to a notebook of one of the knowledge bases `ids`; says where it is, or
 * why it is not. */
export async function pin(content, ids) {
  try {
    const base = await baseOf(ids);
    if (base === undefined) return;
    if (base === null) return void say("You may not write in this knowledge base: nothing was pinned.");
    const notebook = await openNotebook(base.id);
    await post(`/v1/notebooks/${notebook.id}/cells`, { content });
    const text = `Pinned to “${notebook.title}” of ${base.name}`;
    announce(text);
    say(text, " ", h("a", { href: `/kb/${encodeURIComponent(base.slug)}/notebook?notebook=${notebook.id}` }, "Open it"));
  } catch (error) {
    say(failure(error, { compact: true, safe: "Nothing was pinned." }));
  }
}

/** A button that pins; `content` and `bases` are asked when it is clicked. */
export function pinButton(content, bases, { className = "button small", label = "Pin to notebook" } = {}) {
  const button = h("button", { type: "button", class: className, "aria-label": label }, "Pin");
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    button.disabled = true;
    await pin(content(), await bases());
    button.disabled = false;
  });
  return button;
}

/** The knowledge base of a document, for what knows the document alone. */
export const baseOfDocument = async (id) => [(await call(`/v1/documents/${id}`)).knowledge_base_id];
