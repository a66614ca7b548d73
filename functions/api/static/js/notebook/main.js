// The notebook of a knowledge base: one document of cells, written in place, ordered by hand, each change a version.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h, keepChildren } from "../lib/dom.js";
import { field, openForm, select } from "../lib/form.js";
import { age, plural } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { openLinks } from "../lib/links.js";
import { confirmed, emptiness, failure } from "../lib/notice.js";
import { lastNotebook, openNotebook, rememberNotebook } from "../lib/pin.js";
import { attachPreview } from "../playground/preview.js";
import { actionMenu } from "../playground/turn.js";
import { waysToAdd } from "./adding.js";
import { download, FORMS } from "./bundle.js";
import { cellView, drawn, KINDS } from "./cell.js";
import { cellEditor } from "./editor.js";
import { openHistory } from "./history.js";
import { attachDragging } from "./order.js";

const { slug } = byId("main").dataset;
const place = byId("notebook");
const list = h("div", { class: "notebook-cells" });
const none = h("div", {});
const NEW = "new";
const state = { kb: null, notebooks: [], shown: null, words: [] };
// What is being written, by the cell's id: it stays as it is while other cells change.
const editors = new Map();

const path = () => `/v1/notebooks/${state.shown.id}`;
const cellAt = (id) => state.shown.cells.findIndex((cell) => cell.id === id);
const isOld = () => state.shown && state.shown.revision !== state.shown.latest;
const mayWrite = () => (state.shown ? state.shown.may_write : state.kb.may_write) && !isOld();
const matching = (value) => ({ "If-Match": `"${value}"` });

function refuse(error) {
  const stale = error.status === 412;
  byId("said").replaceChildren(
    failure(error, { compact: true, safe: stale ? "Nothing of yours or theirs is lost. What there is now is shown below." : "The notebook is as it was." }),
  );
}

/** Does `work`, which gives the notebook as it is then; what is refused is said, and what there is now shown. */
async function change(work, said) {
  byId("said").replaceChildren();
  try {
    state.shown = await work();
    draw();
    if (said) announce(said());
    return true;
  } catch (error) {
    refuse(error);
    if ([404, 412].includes(error.status)) await reread();
    return false;
  }
}

async function reread() {
  try {
    state.shown = await call(path());
    draw();
  } catch (error) {
    refuse(error);
  }
}

async function add(content) {
  if (!state.shown) state.shown = await call(`/v1/notebooks/${(await openNotebook(state.kb.id)).id}`);
  state.shown = await post(`${path()}/cells`, { content });
  draw();
  const cell = state.shown.cells.at(-1);
  byId(`cell-${cell.id}`)?.scrollIntoView({ block: "nearest" });
  announce(`${KINDS[cell.kind]} added as cell ${state.shown.cells.length}`);
}

async function move(id, before, refocus) {
  const cell = state.shown.cells[cellAt(id)];
  const work = () => call(`${path()}/cells/${id}/move`, { method: "POST", body: { before }, headers: matching(cell.state) });
  const done = await change(work, () => `Moved to place ${cellAt(id) + 1} of ${state.shown.cells.length}`);
  if (done) refocus?.();
}

function step(id, by, refocus) {
  const at = cellAt(id);
  if (at + by < 0 || at + by >= state.shown.cells.length) return announce(by < 0 ? "It is the first cell" : "It is the last cell");
  const before = by < 0 ? state.shown.cells[at - 1] : state.shown.cells[at + 2];
  return move(id, before?.id ?? null, refocus);
}

async function remove(id) {
  const at = cellAt(id);
  const cell = state.shown.cells[at];
  const before = state.shown.revision;
  const done = await change(() => call(`${path()}/cells/${id}`, { method: "DELETE", headers: matching(cell.state) }), () => "Cell deleted. Undo is offered above the cells.");
  if (!done) return;
  editors.delete(id);
  const undo = h("button", { type: "button", class: "button small", onclick: () => restore(before) }, "Undo");
  byId("said").replaceChildren(h("p", { class: "notebook-said" }, `Cell ${at + 1} is deleted; it stays in the history. `, undo));
  undo.focus();
}

const restore = (revision) =>
  change(
    () => call(`${path()}/restore`, { method: "POST", body: { revision }, headers: matching(state.shown.latest) }),
    () => `Restored: ${plural(state.shown.cells.length, "cell")}`,
  );

async function show(revision) {
  await change(() => call(`${path()}?revision=${revision}`), () => `Version ${revision} is shown`);
}

const contentOf = (cell, text) => (cell.kind === "chunk" ? { kind: "chunk", chunk_id: cell.body.chunk_id, remark: text } : { kind: "markdown", text });

function edit(id) {
  const cell = state.shown.cells[cellAt(id)];
  let held = cell.state;
  const text = cell.body.text ?? cell.body.remark ?? "";
  const close = () => {
    editors.delete(id);
    draw();
    byId(`cell-${id}`)?.querySelector('[data-act="edit"]')?.focus();
  };
  const editor = cellEditor({
    label: cell.kind === "chunk" ? "What you say of the passage" : "Text of the cell, in Markdown",
    text,
    close,
    save: async (now) => {
      state.shown = await call(`${path()}/cells/${id}`, { method: "PUT", body: { content: contentOf(cell, now) }, headers: matching(held) });
      close();
      announce("Saved");
    },
    theirs: async () => {
      state.shown = await call(path());
      const other = state.shown.cells[cellAt(id)];
      if (!other) return null;
      held = other.state;
      return { node: h("div", { class: "notebook-theirs" }, h("p", { class: "muted" }, `By ${other.author}:`), drawn(other, state.shown.sources)) };
    },
    addAnew: async (now) => {
      await add({ kind: "markdown", text: now });
      close();
    },
  });
  editors.set(id, editor);
  draw();
  editor.focus();
}

function write() {
  const close = () => {
    editors.delete(NEW);
    draw();
  };
  const save = async (text) => {
    if (text.trim()) await add({ kind: "markdown", text });
    close();
  };
  if (!editors.has(NEW)) editors.set(NEW, cellEditor({ label: "Text of the new cell, in Markdown", text: "", save, close, theirs: async () => null, addAnew: save }));
  draw();
  editors.get(NEW).focus();
}

const passes = (node) => state.words.every((word) => node.textContent.toLowerCase().includes(word));

function cellNode(cell, at) {
  const { cells, sources } = state.shown;
  const editor = editors.get(cell.id);
  const refocus = (by) => () => {
    const buttons = [...(byId(`cell-${cell.id}`)?.querySelectorAll("[data-step]") ?? [])];
    (buttons.find((one) => one.dataset.step === String(by) && !one.disabled) ?? buttons.find((one) => !one.disabled))?.focus();
  };
  const acts = mayWrite() && { edit: () => edit(cell.id), move: (by) => step(cell.id, by, refocus(by)), remove: () => remove(cell.id) };
  const node = cellView(cell, { at, total: cells.length, sources, acts });
  if (editor) {
    const body = node.querySelector(".notebook-body");
    if (cell.kind === "chunk") body.before(editor.node);
    else body.replaceWith(editor.node);
  }
  node.addEventListener("keydown", (event) => {
    if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || !acts) return;
    event.preventDefault();
    const by = event.key === "ArrowUp" ? -1 : 1;
    const inside = document.activeElement?.matches("[data-step]");
    step(cell.id, by, inside ? refocus(by) : () => byId(`cell-${cell.id}`)?.focus());
  });
  return node;
}

function draw() {
  const cells = state.shown?.cells ?? [];
  const focused = document.activeElement;
  const nodes = cells.map(cellNode);
  for (const node of nodes) node.hidden = !passes(node);
  const fresh = editors.get(NEW)?.node;
  keepChildren(list, nodes);
  none.replaceChildren(...(cells.length || fresh ? [] : [nothing()]));
  keepChildren(place, [list, none, ...(fresh ? [fresh] : [])]);
  if (focused?.isConnected && focused !== document.body) focused.focus({ preventScroll: true });
  byId("notebook-add").hidden = !mayWrite();
  head();
  place.setAttribute("aria-busy", "false");
}

function nothing() {
  const text = mayWrite()
    ? "Write a cell below, or pin what you find: hits, answers, passages, datasets, plots and summaries have a button “Pin”."
    : "Whoever may write in this knowledge base begins one.";
  return emptiness("Nothing is written here yet", text);
}

function head() {
  const { shown, notebooks } = state;
  byId("notebook-title").textContent = shown?.title ?? "Notebook";
  if (shown) byId("notebook-lead").textContent = `${plural(shown.cells.length, "cell")}, version ${shown.revision} by ${shown.author}, ${age(shown.updated_at)}.`;
  const old = isOld() && [
    h("p", { class: "notebook-said" }, `This is version ${shown.revision}; the latest is ${shown.latest}. `,
      h("button", { type: "button", class: "button small", onclick: () => show(shown.latest) }, "Back to the latest"),
      shown.may_write && h("button", { type: "button", class: "button small", onclick: () => restore(shown.revision) }, "Restore this one")),
  ];
  const several = notebooks.length > 1 && select({ "aria-label": "Notebook", onchange: (event) => open(event.target.value) }, notebooks.map(({ id, title }) => ({ value: id, label: title })), shown?.id);
  const find = byId("notebook-find") ?? h("input", { type: "search", id: "notebook-find", "aria-label": "Find in this notebook", placeholder: "Find in this notebook", autocomplete: "off", oninput: findWords });
  keepChildren(byId("notebook-tools"), [several, shown?.cells.length > 1 && find, ...(old || [])].filter(Boolean));
  const files = FORMS.map(({ form, text, note }) => ({ text, note, act: () => download(shown.id, shown.revision, form) }));
  const more = [
    { text: "Rename", act: rename },
    { text: "New notebook", act: begin },
    { text: "Delete", act: discard },
  ];
  byId("head-actions").replaceChildren(
    ...[
      shown && h("button", { type: "button", class: "button", onclick: history }, "History"),
      shown && shown.cells.length > 0 && actionMenu("Download", files, "button"),
      shown && mayWrite() && h("button", { type: "button", class: "button", onclick: share }, "Share…"),
      shown && mayWrite() && actionMenu("More", more, "button"),
    ].filter(Boolean),
  );
}

function findWords(event) {
  state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const node of list.children) found += (node.hidden = !passes(node)) ? 0 : 1;
  announce(plural(found, "cell"));
}

const history = () => openHistory(state.shown, show, state.shown.may_write ? restore : null);

const share = () =>
  openLinks({
    path: `${path()}/shares`,
    title: "Share this notebook",
    text: "Whoever has the link reads the notebook as it is now, without signing in: its cells, and the passages that they cite, as far as you may see them. Nothing can be changed with it. Whoever may write here sees all links, and can take each back.",
  });

async function rename() {
  const title = h("input", { name: "title", value: state.shown.title, required: true, maxlength: 200 });
  const save = async () => {
    state.shown = await call(path(), { method: "PATCH", body: { title: title.value.trim() }, headers: matching(state.shown.latest) });
    await listed();
  };
  await openForm({ title: "Rename the notebook", fields: [field("Title", title)], done: "Rename", save });
}

async function begin() {
  const title = h("input", { name: "title", required: true, maxlength: 200 });
  const save = async () => {
    const made = await post("/v1/notebooks", { knowledge_base_id: state.kb.id, title: title.value.trim() });
    await listed();
    await open(made.id);
  };
  await openForm({ title: "New notebook", fields: [field("Title", title)], done: "Begin", save });
}

async function discard() {
  if (!(await confirmed("Delete this notebook?", "Its cells, its history and its links go with it. What they show stays where it is."))) return;
  try {
    await call(path(), { method: "DELETE" });
    location.assign(location.pathname);
  } catch (error) {
    refuse(error);
  }
}

async function listed() {
  state.notebooks = await all(`/v1/notebooks?knowledge_base_id=${state.kb.id}`);
  draw();
}

async function open(id) {
  editors.clear();
  state.words = [];
  state.shown = await call(`/v1/notebooks/${id}`);
  rememberNotebook(state.kb.id, id);
  globalThis.history.replaceState(null, "", `?notebook=${id}`);
  draw();
}

openPageOf(slug, place, "Notebook", async (kb) => {
  state.kb = kb;
  state.words = [];
  const ways = waysToAdd(kb, { write, add });
  byId("notebook-add").replaceChildren(
    h("span", { class: "muted", id: "add-label" }, "Add"),
    ...ways.map(({ label, act }) => h("button", { type: "button", class: "button small", "aria-label": `Add: ${label}`, onclick: () => Promise.resolve(act()).catch(refuse) }, label)),
  );
  state.notebooks = await all(`/v1/notebooks?knowledge_base_id=${kb.id}`);
  const asked = new URL(location.href).searchParams.get("notebook");
  const first = state.notebooks.find(({ id }) => id === asked) ?? lastNotebook(kb.id, state.notebooks);
  if (first) await open(first.id);
  else draw();
});

attachDragging(list, (id, before) => move(id, before));
attachPreview(byId("preview"), document.body);
addEventListener("beforeunload", (event) => {
  if (editors.size) event.preventDefault();
});
