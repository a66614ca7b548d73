// The attributes of one knowledge base: what was read is proposed, people say what counts, and documents are read for it.

import { call } from "../lib/api.js";
import { alter, announce, byId, h } from "../lib/dom.js";
import { count, dollars, plural, roughly } from "../lib/format.js";
import { field, openForm, select } from "../lib/form.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { emptiness, failure } from "../lib/notice.js";
import { BackfillPanel } from "./backfill.js";
import { Draft } from "./draft.js";
import { changeList, showHistory } from "./history.js";
import { rowView } from "./row.js";

const CANDIDATES_SHOWN = 100;
const STALE_MS = 2000;
const { slug } = byId("main").dataset;
const place = byId("schema");
const opened = new Set();
let kb = null;
let draft = null;
let panel = null;
let filter = "";

const path = () => `/v1/knowledge-bases/${kb.id}/schema`;

/** Draws all rows anew; the focus stays on its control. */
function draw(focus = document.activeElement?.id) {
  place.replaceChildren(...parts());
  place.setAttribute("aria-busy", "false");
  if (focus) byId(focus)?.focus({ preventScroll: true });
}

/** Shows what is other, in the nodes that are there: whoever leaves a field by a click has the button under the pointer. */
function refresh() {
  alter(place, h("div", { id: place.id, "aria-busy": "false" }, parts()));
}

function parts() {
  const first = draft.rows.filter((row) => row.shown);
  const others = draft.rows.filter((row) => !row.shown);
  const wanted = others.filter((row) => [row.d.name, ...row.seen.names.map(({ name }) => name)].some((name) => name.includes(filter)));
  const view = (row) => rowView(row, acts, { writable: kb.may_write, opened: opened.has(row.id), open: draft.open });
  const open = place.querySelector("details.attr-candidates")?.open ?? false;
  const title = draft.open ? "Rarer names" : "Candidates";
  const said = draft.open ? "Read too seldom to be recommended." : "Read, and found by no filter until you let them count.";
  return [
    kb.may_write && first.length > 0 && tools(),
    first.length > 0 && h("ul", { class: "attrs plain", "aria-label": draft.open ? "Proposed attributes" : "Attributes" }, first.map(view)),
    first.length === 0 && others.length > 0 && h("p", { class: "muted" }, "Nothing is read often enough to be recommended; below is what was read."),
    others.length > 0 &&
      h(
        "details",
        { class: "attr-candidates", open },
        h("summary", {}, h("b", {}, title), h("span", { class: "count" }, ` ${count(others.length)}`), h("span", { class: "muted" }, ` ${said}`)),
        h("label", { class: "attr-filter" }, h("span", { class: "visually-hidden" }, `Find among ${title.toLowerCase()}`), h("input", { type: "search", id: "attr-filter", value: filter, placeholder: "Find a name", oninput: (event) => find(event.target.value) })),
        h("ul", { class: "attrs plain", "aria-label": title }, wanted.slice(0, CANDIDATES_SHOWN).map(view)),
        wanted.length > CANDIDATES_SHOWN && h("p", { class: "muted" }, `${count(wanted.length - CANDIDATES_SHOWN)} more: type a part of the name.`),
      ),
    draft.rows.length === 0 && emptiness("Nothing was read yet", "Attributes are read from labels, tables and sentences with values. Upload documents that have some.", h("a", { class: "button", href: `/kb/${encodeURIComponent(slug)}` }, "To the documents")),
    kb.may_write && draft.rows.length > 0 && saveBar(),
  ].filter(Boolean);
}

function find(text) {
  filter = text.trim().toLowerCase();
  const { selectionStart } = byId("attr-filter");
  draw("attr-filter");
  byId("attr-filter").setSelectionRange(selectionStart, selectionStart);
}

function tools() {
  const all = draft.rows.filter((row) => row.shown);
  const every = all.every((row) => row.keep);
  return h(
    "div",
    { class: "attr-tools" },
    h("label", { class: "tick-all" }, h("input", { type: "checkbox", id: "attr-all", checked: every, onchange: (event) => changed(() => all.forEach((row) => (row.keep = event.target.checked))) }), h("span", {}, "All")),
    h("span", { class: "muted" }, `${count(all.filter((row) => row.keep).length)} of ${plural(all.length, "attribute")} count`),
  );
}

function saveBar() {
  const version = draft.version + 1;
  const number = draft.kept.length;
  const label = draft.open ? `Declare ${plural(number, "attribute")}` : `Save as version ${version}`;
  return h(
    "div",
    { class: "attr-save" },
    h("p", { class: "muted" }, draft.open ? "Until you declare some, all that are read count." : draft.changed ? "Not saved yet." : `Version ${draft.version} holds.`),
    h("button", { type: "button", class: "button", id: "attr-undo", disabled: draft.former.length === 0, onclick: undo }, "Undo"),
    h("button", { type: "button", class: "button primary", id: "attr-save", disabled: !draft.changed, onclick: () => save().catch(trouble) }, label),
  );
}

function changed(act, said, focus) {
  draft.change(act);
  draw(focus);
  if (said) announce(said);
}

/** A change within rows: the same rows are there afterwards. */
function edited(act, said) {
  draft.change(act);
  refresh();
  if (said) announce(said);
}

function undo() {
  draft.undo();
  draw("attr-undo");
  announce("Undone");
}

const acts = {
  edit: (row, act) => edited(act),
  keep: (row, yes) => edited(() => (row.keep = yes), yes ? `${row.d.name} counts` : `${row.d.name} does not count`),
  rename: (row, text) => edited(() => draft.rename(row, text)),
  retype: (row, type) => edited(() => draft.retype(row, type)),
  toggle: (row) => {
    if (!opened.delete(row.id)) opened.add(row.id);
    draw();
  },
  mergeNamed: (row, name) => {
    const other = draft.rows.find((one) => one !== row && (one.d.name === name || one.seen.names.some((printed) => printed.name === name)));
    if (other) changed(() => draft.merge(other, row), `${other.d.name} is merged into ${row.d.name}`, `${row.id}-name`);
  },
  merge: async (row) => {
    const others = draft.rows.filter((one) => one !== row && (one.keep || one.shown));
    const likely = new Set(row.seen.maybe);
    const order = (one) => (one.seen.names.some(({ name }) => likely.has(name)) ? 0 : one.d.type === row.d.type ? 1 : 2);
    const options = others.toSorted((a, b) => order(a) - order(b) || a.d.name.localeCompare(b.d.name)).map((one) => ({ value: one.id, label: `${one.d.name} (${one.d.type}${one.d.unit ? `, ${one.d.unit}` : ""})` }));
    if (!options.length) return;
    let into = null;
    const fields = [field("Merge it into", select({ name: "into" }, options), `What is printed as ${row.d.name} is then read as that attribute.`)];
    const save = (form) => (into = draft.row(form.elements.into.value));
    if (await openForm({ title: `Merge ${row.d.name}`, fields, done: "Merge", save })) changed(() => draft.merge(row, into), `${row.d.name} is merged into ${into.d.name}`, `${into.id}-name`);
  },
  split: async (row) => {
    let names = [];
    const box = ({ name, units, documents }, at) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "names", value: name, checked: at > 0 }), h("span", {}, name, units.length ? ` [${units.join(", ")}]` : "", documents ? h("small", { class: "muted" }, ` ${plural(documents, "document")}`) : ""));
    const fields = [h("fieldset", { class: "choices" }, h("legend", {}, "Printed names that are another attribute"), h("div", { class: "tick-list" }, row.seen.names.map(box)))];
    const save = (form) => {
      names = [...form.querySelectorAll("input:checked")].map((one) => one.value);
      if (!names.length || names.length === row.seen.names.length) throw new Error("Choose some of the names, and leave some.");
    };
    if (await openForm({ title: `Split ${row.d.name}`, fields, done: "Split", save })) changed(() => draft.split(row, names), `${names.join(", ")} is an attribute of its own`, `${row.id}-name`);
  },
};

/** Says what would change and what it takes, then makes the next version. */
async function save() {
  const body = { version: draft.version, attributes: draft.attributes };
  const diff = await call(`${path()}/preview`, { method: "POST", body });
  const { documents, chunks, seconds, cost_usd: cost } = diff.estimate;
  const reading = documents ? `${plural(documents, "document")} of ${plural(chunks, "chunk")} are read for it, in about ${roughly(seconds)}, for ${dollars(cost)}. Searching goes on meanwhile.` : "No document has to be read for it.";
  const why = h("input", { type: "text", name: "why", maxlength: 2000, autocomplete: "off" });
  const fields = [h("div", { class: "attr-changes", tabindex: "0", role: "group", "aria-label": "Changes" }, changeList(diff.changes)), h("p", {}, reading), field("Why, for the history", why)];
  let state = null;
  const keep = async () => {
    state = await call(path(), { method: "PUT", body: { ...body, why: why.value.trim() } });
  };
  const done = draft.open ? "Declare them" : `Save version ${draft.version + 1}`;
  if (!(await openForm({ title: draft.open ? "Declare these attributes?" : "Save these changes?", fields, done, save: keep }))) return;
  announce(`Version ${state.version} holds`);
  opened.clear();
  await load();
}

/** What the server refuses is said beside the button; what was typed stays. */
function trouble(error) {
  place.querySelector(".attr-trouble")?.remove();
  const stale = error.status === 409;
  const again = stale && { href: location.pathname, label: "Load it again, without these changes" };
  const said = h("div", { class: "attr-trouble" }, failure(error, { safe: "Nothing was saved; what you changed is still here.", compact: true, next: again }));
  place.querySelector(".attr-save").before(said);
  said.scrollIntoView({ block: "nearest" });
}

/** Which values were left out of which attribute, by reason. */
function withLeftOut(candidates) {
  for (const one of candidates) {
    const row = one.declared && draft.rows.find(({ was }) => was?.name === one.declared);
    if (row) ((row.leftOut ??= {})[one.reason] ??= []).push(...one.places);
  }
}

const fetched = () => Promise.all([call(path()), call(`${path()}/proposal`), call(`${path()}/candidates?limit=200`)]);

const load = async () => show(...(await fetched()));

async function show(state, proposal, candidates) {
  draft = new Draft(state, proposal);
  withLeftOut(candidates);
  byId("lead").textContent = state.open
    ? "Nobody has declared attributes here, so that all that are read count. Below is what was read: keep what you filter by, name it, merge what is one."
    : "Filters, facets and tables know these and no others. What else was read is a candidate.";
  panel ??= new BackfillPanel(path(), kb.may_write, showRead);
  draw();
  if (state.backfill?.status !== "done" || panel.place.childElementCount) panel.show(state.backfill);
  const bringBack = kb.may_write && ((version) => changed(() => draft.bringBack(version.attributes), `Version ${version.version} is brought back: save it to let it hold`, "attr-save"));
  await showHistory(path(), state.version, bringBack);
}

/** Whether somebody types, chooses in a dialog, or has changed what is not saved yet. */
function atWork() {
  const field = document.activeElement?.closest("input, textarea, select");
  return draft.former.length > 0 || place.contains(field) || document.querySelector("dialog[open]") !== null;
}

/** Shows what was read meanwhile as soon as nobody is at work here: nothing of theirs is drawn over. */
async function showRead() {
  const found = await fetched();
  if (atWork()) setTimeout(() => showRead().catch(() => {}), STALE_MS);
  else await show(...found);
}

addEventListener("beforeunload", (event) => {
  if (draft && draft.former.length > 0 && draft.changed) event.preventDefault();
});

openPageOf(slug, place, "Attributes", async (found) => {
  kb = found;
  byId("head-actions").replaceChildren(h("a", { class: "button", href: `/playground?mode=search&kb=${encodeURIComponent(slug)}&facets=yes&table=yes` }, "Search by attributes"));
  await load();
});
