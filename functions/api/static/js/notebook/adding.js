// Adding a cell of each kind: words are written in place, a question is asked, everything else is chosen.

import { all, post, postForEvents } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { field, openForm, select } from "../lib/form.js";
import { plural } from "../lib/format.js";
import { openNote } from "../lib/note.js";
import { emptiness } from "../lib/notice.js";

const choice = (rows, label) => select({ name: "chosen", required: true }, rows.map((one) => ({ value: one.id, label: label(one) })), rows[0].id);

/** Chooses one of what `path` lists. */
async function choose({ title, path, label, name, none, href, content }, add) {
  const rows = await all(path);
  if (!rows.length) {
    await openForm({ title, fields: [emptiness(none, "Make one first, and pin it from its page or here.", h("a", { class: "button", href }, "Go there"))], done: "Close" });
    return;
  }
  const chosen = choice(rows, label);
  await openForm({ title, fields: [field(name, chosen)], done: "Add", save: () => add(content(chosen.value)) });
}

/** Asks `question` in the knowledge base, in a conversation of its own, and gives the answer as a cell's content. */
async function asked(base, question) {
  const scope = { knowledge_base_ids: [base] };
  const thread = await post("/v1/threads", { scope });
  const body = { question, rewrite: false, scope };
  const message = await postForEvents(`/v1/threads/${thread.id}/ask`, body, new AbortController().signal, () => {}, "message");
  const answer = message.answers.at(-1);
  if (!answer) throw Object.assign(new Error("No answer was given: something failed. Ask again."), { status: 0 });
  return { kind: "answer", thread_id: thread.id, answer_id: answer.id };
}

async function ask(kb, add) {
  const text = h("input", { name: "question", required: true, maxlength: 2000, autocomplete: "off", "data-wrong": "Write a question." });
  const save = async () => add(await asked(kb.id, text.value.trim()));
  await openForm({ title: "Ask a question", fields: [field("Question", text, `It is asked of ${kb.name}, and its answer becomes a cell.`)], done: "Ask and add", save });
}

async function findPassage(kb, add) {
  const text = h("input", { type: "search", name: "words", autocomplete: "off" });
  const list = h("div", { class: "notebook-found", "aria-live": "polite" });
  const hit = (one, at) => {
    const radio = h("input", { type: "radio", name: "chunk", value: one.chunk.id, checked: at === 0 });
    const page = one.chunk.boxes.find((box) => box.kind === "page")?.page;
    return h("label", {}, radio, h("span", {}, h("b", {}, one.document.name, page ? `, p. ${page}` : ""), h("span", {}, one.chunk.content.slice(0, 240))));
  };
  const find = async () => {
    const wanted = text.value.trim();
    if (!wanted) return list.replaceChildren();
    const { hits } = await post("/v1/search", { query: wanted, k: 8, knowledge_base_ids: [kb.id] });
    return list.replaceChildren(...(hits.length ? hits.map(hit) : [h("p", { class: "muted" }, "Nothing found. Try other words.")]));
  };
  const save = async (form) => {
    const chosen = form.querySelector('input[name="chunk"]:checked');
    if (chosen) return add({ kind: "chunk", chunk_id: chosen.value });
    await find();
    throw Object.assign(new Error("Choose one of the passages."), { status: 0 });
  };
  text.addEventListener("input", () => list.replaceChildren());
  await openForm({ title: "Pin a passage", fields: [field("Search for", text, "Enter searches; then choose a passage."), list], done: "Search or add", save });
}

/** Writes a note, which is found and cited as every other is, and shows it here. */
async function writeNote(kb, add) {
  const made = await openNote({ base: kb.id });
  if (made) await add({ kind: "note", document_id: made.id });
}

/** The ways to add, as {label, act}; `write()` opens an empty editor, `add(content)` adds. */
export function waysToAdd(kb, { write, add }) {
  const at = `/kb/${encodeURIComponent(kb.slug)}`;
  const of = (path) => `/v1/${path}?knowledge_base_id=${kb.id}`;
  const ways = [
    { kind: "dataset", name: "Dataset", path: of("datasets"), href: `${at}/datasets`, label: (one) => `${one.name} (${plural(one.columns, "column")})`, none: "No dataset yet", content: (id) => ({ kind: "dataset", dataset_id: id }) },
    { kind: "plot", name: "Plot", path: of("plots"), href: `${at}/plots`, label: (one) => one.name, none: "No plot yet", content: (id) => ({ kind: "plot", plot_id: id }) },
    { kind: "summary", name: "Summary", path: of("summaries"), href: `${at}/summaries`, label: (one) => one.document, none: "No experiment summary yet", content: (id) => ({ kind: "summary", document_id: id }) },
  ];
  return [
    { label: "Text", act: write },
    { label: "Note", act: () => writeNote(kb, add) },
    { label: "Question", act: () => ask(kb, add) },
    { label: "Passage", act: () => findPassage(kb, add) },
    ...ways.map((way) => ({ label: way.name, act: () => choose({ ...way, title: `Add a ${way.name.toLowerCase()}` }, add) })),
  ];
}
