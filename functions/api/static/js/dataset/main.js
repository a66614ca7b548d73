// A dataset: a window of its rows with profiles of its columns, the steps that transform it, and where a cell was printed.

import { keepInAddress, kept } from "../lib/address.js";
import { all, call, post } from "../lib/api.js";
import { announce, byId, h, icon } from "../lib/dom.js";
import { address } from "../lib/cell.js";
import { DATASET_FORMATS } from "../lib/export.js";
import { age, count, plural } from "../lib/format.js";
import { field, openForm, select } from "../lib/form.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { attachMenu } from "../lib/menu.js";
import { confirmed, failure, waiting } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { drawGrid, WINDOW } from "./grid.js";
import { openHistory } from "./history.js";
import { inWords, kindsFor, noted, openStep } from "./steps.js";

const { datasetId: id } = byId("main").dataset;
const path = `/v1/datasets/${id}`;
const place = byId("grid");
let dataset = null;
let steps = [];
let shown = null;
let profiles = null;
let others = [];
let asked = 0;
let notes = [];
// An older revision that is looked at; null: the newest, which can be changed.
let past = null;

const changed = () => JSON.stringify(steps) !== JSON.stringify(dataset.stored_steps);
const names = () => new Map(others.map((one) => [one.id, one.name]));
const preview = (wanted, offset = 0) => (past ? call(`${path}/rows?revision=${past.revision}&offset=${offset}&limit=${WINDOW}`) : post(`${path}/preview`, { steps: wanted, offset, limit: WINDOW }));

async function show(offset = 0, focus = null) {
  const turn = ++asked;
  const done = waiting(byId("said"), "Computing …");
  try {
    const found = await preview(steps, offset);
    if (turn !== asked) return;
    shown = found;
    byId("said").replaceChildren();
    // Those of the first rows: what stands below them is of the same steps.
    if (!offset) notes = found.notes ?? [];
    draw();
    if (focus) byId(focus)?.focus();
  } catch (error) {
    if (turn === asked) byId("said").replaceChildren(failure(error, { compact: true, safe: "The dataset is as it was.", retry: () => show(offset) }));
  } finally {
    done();
  }
}

function draw() {
  const own = new Set(dataset.source_columns.map((one) => one.label));
  const correct = (label) => (dataset.may_write && !past && !changed() && own.has(label) ? () => openCorrection(label) : null);
  keepInAddress({ from: shown.offset && String(shown.offset + 1) });
  drawGrid(place, shown, { profiles: past || changed() ? false : profiles, correct, open: openCell, goTo: show });
  drawSteps();
}

function drawFacts() {
  document.title = `${dataset.name} · autri`;
  byId("dataset-name").textContent = dataset.name;
  const twice = new Set(dataset.sources.map((one) => one.document)).size < dataset.sources.length;
  const from = dataset.sources.map((one) => h("a", { href: `/documents/${one.document_id}` }, twice ? `${one.document} (version ${one.version})` : one.document));
  const renewable = dataset.may_write ? dataset.sources.filter((one) => one.newest_id) : [];
  const listed = from.slice(0, 5).flatMap((link, at) => (at ? [", ", link] : [link]));
  byId("dataset-facts").replaceChildren(
    ...(from.length ? [`${plural(dataset.rows, dataset.steps ? "printed row" : "row")} of `, ...listed] : ["No document is left of it"]),
    from.length > 5 ? ` and ${count(from.length - 5)} more` : "",
    `; revision ${dataset.revision}, changed ${age(dataset.updated_at)}`,
    ...(dataset.missing > 0 ? [". ", h("b", { class: "gone" }, `${plural(dataset.missing, "table")} of it ${dataset.missing === 1 ? "is" : "are"} gone or hidden from you.`)] : []),
    ...renewable.slice(0, 3).map((one) => h("span", { class: "renewal" }, `There is a newer version of ${one.document}. `, h("button", { type: "button", class: "button small", onclick: () => renew(one) }, "Take its table"))),
  );
  const files = h("span", { class: "menu" });
  const file = (more, said) => ([form, name]) => h("a", { class: "menu-item", href: `${path}/export?format=${form}${more}`, download: true }, `${name}${said}`);
  const formats = Object.entries(DATASET_FORMATS);
  attachMenu(files, "Export", h("div", {}, formats.map(file("", "")), formats.map(file("&lineage=true", ", with sources"))), "button");
  const more = h("span", { class: "menu" });
  attachMenu(
    more,
    "More",
    h(
      "div",
      {},
      h("button", { type: "button", class: "menu-item", onclick: rename }, "Rename"),
      h("button", { type: "button", class: "menu-item", onclick: () => openHistory(dataset, look, restore) }, "History"),
      h("button", { type: "button", class: "menu-item", onclick: remove }, "Delete"),
    ),
    "button",
  );
  const plot = h("a", { class: "button", href: `/datasets/${dataset.id}/plot` }, "Plot it");
  const pin = pinButton(() => ({ kind: "dataset", dataset_id: id }), () => [dataset.knowledge_base_id], { className: "button" });
  byId("head-actions").replaceChildren(plot, files, ...(dataset.may_write ? [pin, more] : []));
}

function drawSteps() {
  if (past) return drawPast();
  const step = (one, at) =>
    h(
      "li",
      {},
      h("span", {}, inWords(one, names())),
      h("button", { type: "button", class: "icon-button small", "aria-label": `Take away step ${at + 1}: ${inWords(one, names())}`, title: "Take it away", onclick: () => without(at) }, icon("trash")),
    );
  const columns = shown?.columns ?? dataset.source_columns;
  // Drawn anew when profiles have been read: what was chosen meanwhile stays.
  const kind = select({ id: "step-kind", "aria-label": "Kind of step" }, kindsFor(columns, others), byId("step-kind")?.value);
  byId("steps").replaceChildren(
    ...[
      steps.length ? h("ol", { class: "step-list" }, steps.map(step)) : h("p", { class: "muted" }, "None: the rows are as printed."),
      ...noted(notes, true),
      h("div", { class: "step-add" }, kind, h("button", { type: "button", id: "step-add", class: "button small", onclick: () => openStep(kind.value, columns, others, add, attempt) }, "Add")),
      changed() &&
        h(
          "div",
          { class: "step-keep" },
          h("p", { class: "muted" }, "A preview: nothing is kept yet."),
          dataset.may_write && h("button", { type: "button", id: "steps-keep", class: "button small primary", onclick: keep }, "Keep these steps"),
          h("button", { type: "button", class: "button small", onclick: undo }, "Undo"),
        ),
      !changed() && steps.length > 0 && h("p", { class: "hash muted", title: dataset.sha256 }, "sha256 ", h("code", {}, dataset.sha256.slice(0, 12))),
    ].filter(Boolean),
  );
}

function drawPast() {
  const listed = past.steps.map((one) => h("li", {}, h("span", {}, inWords(one, names()))));
  byId("steps").replaceChildren(
    listed.length ? h("ol", { class: "step-list" }, listed) : h("p", { class: "muted" }, "None: the rows are as printed."),
    h("div", { class: "step-keep" }, h("p", { class: "muted" }, `Revision ${past.revision}, as it was ${age(past.created_at)}: it can be read, and not changed.`), h("button", { type: "button", id: "to-newest", class: "button small primary", onclick: () => look(null) }, "Back to the newest")),
  );
}

/** At an older revision, or with null at the newest. */
async function look(revision) {
  past = revision;
  await show();
  drawSteps();
  byId(past ? "to-newest" : "step-add")?.focus();
}

const attempt = (step) => post(`${path}/preview`, { steps: [...steps, step], limit: 3 });

/** Only a step that fits is added. */
async function add(step) {
  const wanted = [...steps, step];
  shown = await preview(wanted);
  notes = shown.notes ?? [];
  steps = wanted;
  draw();
  announce(`${inWords(step, names())}: ${plural(shown.rows_in_all, "row")}`);
  byId("step-add").focus();
}

async function without(at) {
  steps = steps.filter((_, other) => other !== at);
  await show();
  drawSteps();
  byId("step-add").focus();
}

async function undo() {
  steps = [...dataset.stored_steps];
  await show();
  byId("step-add").focus();
}

async function keep() {
  await change({ steps });
  announce("The steps are kept.");
}

async function change(body) {
  try {
    dataset = await call(path, { method: "PATCH", body: { ...body, revision: dataset.revision } });
    steps = [...dataset.stored_steps];
    drawFacts();
    await show();
    readProfiles();
  } catch (error) {
    byId("said").replaceChildren(failure(error, { compact: true, safe: "The dataset is as it was." }));
  }
}

const TYPES = ["number", "integer", "quantity", "text", "date", "boolean"];

function openCorrection(label) {
  const column = dataset.source_columns.find((one) => one.label === label);
  const body = (f) => ({ columns: [{ column: label, type: f.type.value, unit: f.type.value === "quantity" ? f.unit.value : "", label: f.label.value || label }] });
  openForm({
    title: `What is ${label}?`,
    fields: [
      field("Label", h("input", { name: "label", value: label, maxlength: 200, autocomplete: "off" })),
      field("Type", select({ name: "type" }, TYPES.map((value) => ({ value, label: value })), column.type)),
      field("Unit", h("input", { name: "unit", value: column.unit ?? "", maxlength: 60, autocomplete: "off" }), "Of a quantity: kg, m/s, EUR …"),
    ],
    done: "Correct it",
    save: async (form) => {
      dataset = await call(path, { method: "PATCH", body: { ...body(form.elements), revision: dataset.revision } });
      steps = [...dataset.stored_steps];
      drawFacts();
      await show();
      readProfiles();
    },
  });
}


/** A cell that was printed in one place leads there; one that is computed shows what it is made of. */
async function openCell(row, column) {
  try {
    const found = await post(`${path}/sources`, { row, column, ...(past ? { revision: past.revision } : { steps }) });
    if (found.rows === 1 && found.cells.length === 1) return location.assign(address(found.cells[0]));
    const title = `${found.label}: ${found.value ?? "missing"}`;
    const items = found.cells.map((cell) => h("li", {}, h("a", { href: address(cell) }, h("b", {}, cell.text || "(empty)"), " ", h("span", { class: "muted" }, [cell.document, cell.page && `page ${cell.page}`].filter(Boolean).join(", ")))));
    const left = found.rows > 200 ? ` The first 200 of ${count(found.rows)} rows.` : "";
    openForm({
      title,
      fields: [h("p", { class: "muted" }, items.length ? `Made of ${plural(items.length, "printed cell")}.${left}` : "No printed cell stands behind it, or you may not see its document."), h("ul", { class: "plain cell-links" }, items)],
      done: "Close",
    });
  } catch (error) {
    byId("said").replaceChildren(failure(error, { compact: true, safe: "The dataset is as it was." }));
  }
}

function rename() {
  openForm({
    title: "Rename the dataset",
    fields: [field("Name", h("input", { name: "name", value: dataset.name, required: true, maxlength: 200, autocomplete: "off" }))],
    done: "Save",
    save: async (form) => {
      dataset = await call(path, { method: "PATCH", body: { name: form.elements.name.value } });
      drawFacts();
    },
  });
}

/** The table of a newer version in place of one that the dataset is made of. */
async function renew(source) {
  try {
    const tables = await all(`/v1/knowledge-bases/${dataset.knowledge_base_id}/tables?document_id=${source.newest_id}`);
    const own = dataset.source_columns.map((one) => one.label).join();
    const alike = tables.find((one) => one.header.join() === own) ?? tables[0];
    const named = (one) => ({ value: one.table_id, label: [one.caption, `page ${one.first_page}`, plural(one.rows, "row"), one.header.filter(Boolean).join(" · ")].filter(Boolean).join(", ") });
    openForm({
      title: `The newer version of ${source.document}`,
      fields: tables.length
        ? [field("Table", select({ name: "table" }, tables.map(named), alike.table_id), "Its columns are read anew; what you corrected stays. The revision before stays in the history.")]
        : [h("p", {}, "The newer version has no table.")],
      done: tables.length ? "Take it" : "Close",
      save: tables.length
        ? async (form) => {
            dataset = await call(path, { method: "PATCH", body: { tables: [{ document_id: source.document_id, table_id: form.elements.table.value }], revision: dataset.revision } });
            steps = [...dataset.stored_steps];
            past = null;
            drawFacts();
            await show();
            readProfiles();
          }
        : undefined,
    });
  } catch (error) {
    byId("said").replaceChildren(failure(error, { compact: true, safe: "The dataset is as it was." }));
  }
}

async function restore(one) {
  past = null;
  steps = [...one.steps];
  await show();
}

async function remove() {
  if (!(await confirmed(`Delete ${dataset.name}?`, "Its columns, steps and history go. The tables of the documents stay."))) return;
  try {
    await call(path, { method: "DELETE" });
    location.assign(byId("datasets-crumb").href);
  } catch (error) {
    byId("said").replaceChildren(failure(error, { compact: true }));
  }
}

async function readProfiles() {
  try {
    const found = await call(`${path}/profile`);
    profiles = new Map(found.columns.map((one) => [one.label, one]));
    if (shown) draw();
  } catch (error) {
    byId("said").replaceChildren(failure(error, { compact: true, safe: "The rows are as they are." }));
  }
}

async function begin() {
  try {
    dataset = await call(path);
    steps = [...dataset.stored_steps];
    await showCrumb(dataset.knowledge_base_id);
    drawFacts();
    drawSteps();
    await show(Math.max(0, Math.trunc(Number(kept("from").from)) - 1 || 0));
    // It has fewer rows than when the address was written.
    if (shown?.offset && !shown.rows.length) await show();
    others = (await all("/v1/datasets")).filter((one) => one.id !== id);
    drawSteps();
    await readProfiles();
  } catch (error) {
    place.replaceChildren(failure(error, { retry: begin, next: { href: "/", label: "All knowledge bases" } }));
    place.setAttribute("aria-busy", "false");
    byId("dataset-name").textContent = "Dataset";
    document.querySelector(".steps-part").hidden = true;
  }
}

begin();
