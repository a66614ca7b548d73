// A dataset: a window of its rows with profiles of its columns, the steps that transform it, and where a cell was printed.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h, icon } from "../lib/dom.js";
import { TABLE_FORMATS } from "../lib/export.js";
import { age, count, plural } from "../lib/format.js";
import { field, openForm, select } from "../lib/form.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { attachMenu } from "../lib/menu.js";
import { confirmed, failure, waiting } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { drawGrid, WINDOW } from "./grid.js";
import { inWords, kindsFor, openStep } from "./steps.js";

const { datasetId: id } = byId("main").dataset;
const path = `/v1/datasets/${id}`;
const place = byId("grid");
let dataset = null;
let steps = [];
let shown = null;
let profiles = null;
let others = [];
let asked = 0;

const changed = () => JSON.stringify(steps) !== JSON.stringify(dataset.stored_steps);
const names = () => new Map(others.map((one) => [one.id, one.name]));
const preview = (wanted, offset = 0) => post(`${path}/preview`, { steps: wanted, offset, limit: WINDOW });

async function show(offset = 0, focus = null) {
  const turn = ++asked;
  const done = waiting(byId("said"), "Computing …");
  try {
    const found = await preview(steps, offset);
    if (turn !== asked) return;
    shown = found;
    byId("said").replaceChildren();
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
  const correct = (label) => (dataset.may_write && !changed() && own.has(label) ? () => openCorrection(label) : null);
  drawGrid(place, shown, { profiles: changed() ? false : profiles, correct, open: openCell, goTo: show });
  drawSteps();
}

function drawFacts() {
  document.title = `${dataset.name} · autri`;
  byId("dataset-name").textContent = dataset.name;
  const from = dataset.sources.map((one) => h("a", { href: `/documents/${one.document_id}` }, one.document));
  const listed = from.slice(0, 5).flatMap((link, at) => (at ? [", ", link] : [link]));
  byId("dataset-facts").replaceChildren(
    `${plural(dataset.rows, "row")} of `,
    ...listed,
    from.length > 5 ? ` and ${count(from.length - 5)} more` : "",
    `; revision ${dataset.revision}, changed ${age(dataset.updated_at)}`,
    ...(dataset.missing > 0 ? [". ", h("b", { class: "gone" }, `${plural(dataset.missing, "table")} of it ${dataset.missing === 1 ? "is" : "are"} gone or hidden from you.`)] : []),
  );
  const files = h("span", { class: "menu" });
  attachMenu(files, "Export", h("div", {}, Object.entries(TABLE_FORMATS).map(([form, name]) => h("a", { class: "menu-item", href: `${path}/export?format=${form}`, download: true }, name))), "button");
  const more = h("span", { class: "menu" });
  attachMenu(
    more,
    "More",
    h(
      "div",
      {},
      h("button", { type: "button", class: "menu-item", onclick: rename }, "Rename"),
      h("button", { type: "button", class: "menu-item", onclick: showHistory }, "History"),
      h("button", { type: "button", class: "menu-item", onclick: remove }, "Delete"),
    ),
    "button",
  );
  const plot = h("a", { class: "button", href: `/datasets/${dataset.id}/plot` }, "Plot it");
  const pin = pinButton(() => ({ kind: "dataset", dataset_id: id }), () => [dataset.knowledge_base_id], { className: "button" });
  byId("head-actions").replaceChildren(plot, files, ...(dataset.may_write ? [pin, more] : []));
}

function drawSteps() {
  const step = (one, at) =>
    h(
      "li",
      {},
      h("span", {}, inWords(one, names())),
      h("button", { type: "button", class: "icon-button small", "aria-label": `Take away step ${at + 1}: ${inWords(one, names())}`, title: "Take it away", onclick: () => without(at) }, icon("trash")),
    );
  const columns = shown?.columns ?? dataset.source_columns;
  const kind = select({ id: "step-kind", "aria-label": "Kind of step" }, kindsFor(columns, others));
  byId("steps").replaceChildren(
    ...[
      steps.length ? h("ol", { class: "step-list" }, steps.map(step)) : h("p", { class: "muted" }, "None: the rows are as printed."),
      h("div", { class: "step-add" }, kind, h("button", { type: "button", id: "step-add", class: "button small", onclick: () => openStep(kind.value, columns, others, add) }, "Add")),
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

/** Only a step that fits is added. */
async function add(step) {
  const wanted = [...steps, step];
  shown = await preview(wanted);
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

const address = (cell) => `/documents/${cell.document_id}?page=${cell.page ?? 1}${cell.chunk_id ? `&chunk=${cell.chunk_id}` : ""}`;

/** A cell that was printed in one place leads there; one that is computed shows what it is made of. */
async function openCell(row, column) {
  try {
    const found = await post(`${path}/sources`, { row, column, steps });
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

async function showHistory() {
  const revisions = await all(`${path}/revisions`);
  const item = (one) =>
    h(
      "li",
      {},
      h("div", {}, h("b", {}, `Revision ${one.revision}`), " ", h("span", { class: "muted" }, `${one.author}, ${age(one.created_at)}: ${plural(one.steps.length, "step")}`)),
      one.revision !== dataset.revision && h("button", { type: "button", class: "button small", onclick: ({ currentTarget }) => restore(one, currentTarget) }, "Preview its steps"),
    );
  openForm({ title: "History", fields: [h("ul", { class: "plain revision-list" }, revisions.map(item))], done: "Close" });
}

async function restore(one, button) {
  button.closest("dialog").close();
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
    await show();
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
