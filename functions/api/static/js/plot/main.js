// A plot: declared by the form beside it, drawn as it is changed, kept, exported; its marks lead to the printed cells.

import { call, post } from "../lib/api.js";
import { announce, byId, h, settled } from "../lib/dom.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { confirmed, failure, waiting } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { cellsPanel } from "./cells.js";
import { draw } from "./drawing.js";
import { plotForm } from "./form.js";
import { tables } from "./table.js";

const { plotId, datasetId } = byId("main").dataset;
const state = { plot: null, dataset: null, spec: null, drawing: null, columns: [] };
let asked = 0;

const body = () => ({ dataset_id: state.dataset.id, spec: state.spec });
// Of a dataset whose tables are gone nothing is drawn; the notices say so.
const hasMarks = () => state.drawing.vega_lite.data.values.length > 0;
const isKept = () => state.plot && JSON.stringify(state.plot.spec) === JSON.stringify(state.spec);

async function showCells(mark) {
  const place = byId("plot-cells");
  place.hidden = false;
  const done = waiting(place, "Looking for the cells behind it …");
  try {
    const found = isKept() ? await call(`/v1/plots/${state.plot.id}/marks/${mark}`) : await post("/v1/plots/preview/cells", { ...body(), mark });
    place.replaceChildren(...cellsPanel(found, () => (place.hidden = true)));
    place.focus();
    place.scrollIntoView({ block: "nearest" });
  } catch (error) {
    place.replaceChildren(failure(error, { compact: true, safe: "The plot is as it was." }));
  } finally {
    done();
  }
}

const address = (form) => `/v1/plots/${state.plot.id}.${form}?theme=${document.documentElement.dataset.theme}`;
// What is not kept is asked for by all that it shows.
const preview = () => `/v1/plots/preview.svg?${new URLSearchParams({ dataset_id: state.dataset.id, spec: JSON.stringify(state.spec), theme: document.documentElement.dataset.theme })}`;
const picture = () => (isKept() ? address("svg") : preview());

async function show(drawing) {
  state.drawing = drawing;
  byId("plot-notices").replaceChildren(...drawing.notices.map((text) => h("p", { class: "plot-notice" }, text)));
  byId("plot-alt").textContent = hasMarks() ? drawing.alt : "";
  byId("plot-tables").replaceChildren(...tables(drawing.tables, showCells));
  const left = hasMarks();
  byId("plot-figure").hidden = !left;
  byId("plot-table").hidden = !left;
  if (left) await draw(byId("plot-drawing"), drawing, showCells, picture());
  else byId("plot-drawing").replaceChildren();
  byId("plot").setAttribute("aria-busy", "false");
}

async function drawAnew() {
  const turn = ++asked;
  byId("plot").setAttribute("aria-busy", "true");
  byId("plot-cells").hidden = true;
  try {
    const drawing = await post("/v1/plots/preview", body());
    if (turn === asked) await show(drawing);
  } catch (error) {
    if (turn === asked) refuse(error);
  }
  actions();
}

function refuse(error) {
  byId("plot-figure").hidden = false;
  byId("plot-notices").replaceChildren(failure(error, { compact: true, safe: "Nothing is stored; change the form and it is drawn again." }));
  byId("plot-drawing").replaceChildren();
  byId("plot-alt").textContent = "";
  byId("plot-table").hidden = true;
  byId("plot").setAttribute("aria-busy", "false");
}

const again = settled(drawAnew, 250);

async function keep() {
  if (state.plot) state.plot = await call(`/v1/plots/${state.plot.id}`, { method: "PATCH", body: { spec: state.spec } });
  else {
    const made = await post("/v1/plots", body());
    location.assign(`/plots/${made.id}`);
    return;
  }
  state.spec = state.plot.spec;
  announce("The plot is saved");
  head();
  actions();
}

async function rename() {
  const { field, openForm } = await import("../lib/form.js");
  const name = h("input", { name: "name", value: state.plot.name, required: true, maxlength: 200 });
  const save = async () => {
    state.plot = await call(`/v1/plots/${state.plot.id}`, { method: "PATCH", body: { name: name.value.trim() } });
    head();
  };
  await openForm({ title: "Rename the plot", fields: [field("Name", name)], done: "Rename", save });
}

async function remove() {
  if (!(await confirmed("Delete this plot?", "The dataset and its documents stay as they are."))) return;
  await call(`/v1/plots/${state.plot.id}`, { method: "DELETE" });
  location.assign(byId("plots-crumb").href);
}

async function redraw() {
  state.plot = await call(`/v1/plots/${state.plot.id}`, { method: "PATCH", body: { redraw: true } });
  await open();
}

const guarded = (act) => async () => {
  try {
    await act();
  } catch (error) {
    byId("plot-notices").replaceChildren(failure(error, { compact: true, safe: "The plot is as it was." }));
  }
};

const button = (label, act, kind = "") => h("button", { type: "button", class: `button ${kind}`, onclick: guarded(act) }, label);

function exports() {
  return ["png", "svg", "pdf", "html", "json"].map((form) =>
    h("a", { class: "button small", href: address(form), download: `${state.plot.name}.${form}` }, form.toUpperCase()),
  );
}

function actions() {
  const may = state.dataset.may_write;
  byId("head-actions").replaceChildren(
    ...(isKept() ? exports() : []),
    ...[
      may && !isKept() && button(state.plot ? "Save changes" : "Save plot", keep, "primary"),
      may && state.plot?.dataset_changed && isKept() && hasMarks() && button("Take the new data", redraw),
      may && isKept() && pinButton(() => ({ kind: "plot", plot_id: state.plot.id }), () => [state.plot.knowledge_base_id], { className: "button quiet" }),
      may && state.plot && button("Rename", rename, "quiet"),
      may && state.plot && button("Delete", remove, "quiet"),
    ].filter(Boolean),
  );
}

function head() {
  const { plot, dataset } = state;
  const title = plot?.name ?? "New plot";
  byId("plot-title").textContent = title;
  document.title = `${title} · autri`;
  const of = plot ? `, drawn from revision ${plot.dataset_revision}` : "";
  byId("plot-lead").replaceChildren("Of the dataset ", h("a", { href: `/datasets/${dataset.id}` }, dataset.name), `${of}.`);
}

const countsOf = ({ label }) => ({ form: { mark: "bar", x: { field: label }, y: { aggregate: "count" } } });

/** What is drawn first: what is kept, else what the server chooses; null where that cannot be drawn. */
async function first() {
  if (plotId) return call(`/v1/plots/${plotId}/drawing`);
  const drawing = await post("/v1/plots/preview", { dataset_id: datasetId }).catch((error) => (error.status === 422 ? refuse(error) : Promise.reject(error)));
  return { plot: null, drawing: drawing ?? null };
}

async function open() {
  try {
    const { plot, drawing } = await first();
    state.plot = plot;
    state.dataset = await call(`/v1/datasets/${plot?.dataset_id ?? datasetId}`);
    const rows = await call(`/v1/datasets/${state.dataset.id}/rows?limit=1`);
    state.columns = rows.columns;
    state.spec = plot?.spec ?? drawing?.spec ?? countsOf(state.columns[0]);
    head();
    showCrumb(state.dataset.knowledge_base_id);
    byId("plot-form").replaceChildren(
      ...plotForm(state.spec, state.columns, (spec) => {
        state.spec = spec;
        again();
      }),
    );
    if (drawing) await show(drawing);
    actions();
  } catch (error) {
    byId("plot").className = "";
    byId("plot").replaceChildren(failure(error, { retry: () => location.reload(), next: { href: "/", label: "All knowledge bases" } }));
    byId("plot").setAttribute("aria-busy", "false");
    byId("plot-lead").textContent = "";
  }
}

new MutationObserver(() => {
  if (state.drawing && hasMarks()) draw(byId("plot-drawing"), state.drawing, showCells, picture());
  if (state.plot && state.dataset) actions();
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });

open();
