// The box into which a note is written or pasted: found as soon as it is saved.

import { all, call, post } from "./api.js";
import { announce, byId, h, settled } from "./dom.js";
import { field, openForm, select } from "./form.js";
import { emptiness } from "./notice.js";

const TYPES = [
  { value: "", label: "As it seems" },
  { value: "prose", label: "Text" },
  { value: "code", label: "Code" },
  { value: "table", label: "Table" },
  { value: "reference", label: "Reference" },
  { value: "correction", label: "Correction" },
];
const REST = 500; // milliseconds without a key before the text is looked at
const TAGS_MAX = 20;

const split = (text) => text.split(",").map((tag) => tag.trim().toLowerCase()).filter(Boolean);

/** The knowledge base that the page is about, as far as it says so. */
async function pageBase(bases) {
  const { slug, documentId } = byId("main").dataset;
  if (slug) return bases.find((one) => one.slug === slug);
  if (!documentId) return bases.find((one) => one.slug === new URL(location.href).searchParams.get("kb"));
  const found = await call(`/v1/documents/${documentId}`).catch(() => null);
  return bases.find((one) => one.id === found?.knowledge_base_id);
}

/** Opens the box. `corrects` is {document_id, chunk_id, text}: what the note corrects; `base` the id of its knowledge base, which is
 * asked for otherwise.
 * `revises` is the note that it is a revision of. Resolves to the note, or to null. */
export async function openNote({ corrects = null, revises = null, base = null } = {}) {
  const bases = (await all("/v1/knowledge-bases")).filter((one) => one.may_write);
  if (!bases.length) {
    const fields = emptiness("There is no knowledge base to put it into", "Make one, or ask an owner or admin for the right to write.");
    await openForm({ title: "New note", fields, done: "Close" });
    return null;
  }
  const chosen = bases.find((one) => one.id === base) ?? (await pageBase(bases)) ?? bases[0];
  const parts = controls(bases, chosen, { corrects, revises, base });
  let made = null;
  const save = async () => {
    made = await post(`/v1/knowledge-bases/${parts.base.value}/notes`, wanted(parts, corrects, revises));
  };
  const title = corrects ? "Correct this" : revises ? "Revise the note" : "New note";
  await openForm({ title, fields: parts.fields, done: "Save note", save });
  if (made) said(made);
  return made;
}

function wanted({ text, title, type, tags }, corrects, revises) {
  const body = { text: text.value, title: title.value.trim() || null, type: type.value || null, tags: split(tags.value).slice(0, TAGS_MAX) };
  if (corrects) body.corrects = { document_id: corrects.document_id, chunk_id: corrects.chunk_id };
  if (revises) body.version_of = revises.id;
  return body;
}

function controls(bases, chosen, { corrects, revises, base: fixed }) {
  const text = h("textarea", { name: "text", rows: 10, required: true, maxlength: 200000, "data-wrong": "Write or paste something.", spellcheck: "true" });
  text.value = revises?.text ?? "";
  const title = h("input", { name: "title", maxlength: 200, autocomplete: "off", value: revises?.title ?? "", placeholder: "Its first line" });
  const type = select({ name: "type" }, TYPES, revises?.type ?? (corrects ? "correction" : ""));
  const tags = h("input", { name: "tags", autocomplete: "off", value: (revises?.tags ?? []).join(", ") });
  const base = select({ name: "base" }, bases.map((one) => ({ value: one.id, label: one.name })), chosen.id);
  const hints = h("div", { class: "note-hints", "aria-live": "polite" });
  const look = settled(() => advise({ text, title, type, tags, base, hints }), REST);
  text.addEventListener("input", look);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) text.form.requestSubmit();
  });
  const fields = [
    corrects?.text && h("blockquote", { class: "note-corrects" }, corrects.text),
    field("Note", text, "Text, code, a table, a reference. Ctrl Enter saves it."),
    h("div", { class: "note-row" }, field("Title", title), field("Type", type)),
    h("div", { class: "note-row" }, field("Tags, divided by commas", tags), !corrects && !revises && !fixed && field("Knowledge base", base)),
    hints,
  ].filter(Boolean);
  return { text, title, type, tags, base, fields };
}

/** What the text seems to be, and tags that are a click away. */
async function advise({ text, title, type, tags, base, hints }) {
  if (!text.value.trim()) return hints.replaceChildren();
  const found = await post(`/v1/knowledge-bases/${base.value}/notes:advise`, { text: text.value }).catch(() => null);
  if (!found) return hints.replaceChildren();
  title.placeholder = found.title;
  type.options[0].textContent = `As it seems: ${TYPES.find((one) => one.value === found.type).label.toLowerCase()}`;
  const left = found.tags.filter((tag) => !split(tags.value).includes(tag));
  const add = (tag, button) => {
    tags.value = [...split(tags.value), tag].join(", ");
    button.remove();
    tags.focus();
  };
  hints.replaceChildren(
    ...(left.length ? ["Tags? ", ...left.map((tag) => h("button", { type: "button", class: "button small", "aria-label": `Add the tag ${tag}`, onclick: (event) => add(tag, event.currentTarget) }, `+ ${tag}`))] : []),
  );
}

/** Says that it is there, with the way to it; what lists documents reads them anew. */
function said(made) {
  const text = made.duplicate ? "This note is there already" : "The note is saved, and found from now on";
  announce(text);
  const line = h("p", { class: "note-said", role: "status" }, `${text}: `, h("a", { href: `/documents/${made.id}` }, made.title));
  document.querySelector(".note-said")?.remove();
  byId("main").prepend(line);
  document.dispatchEvent(new CustomEvent("note-saved", { detail: made }));
}
