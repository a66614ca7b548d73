// The form of a plot: what stands on the axes, and how it is drawn. A specification by hand is edited as JSON.

import { h } from "../lib/dom.js";
import { field, select } from "../lib/form.js";
import { withUnit } from "../lib/units.js";

const MARKS = { bar: "Bars", line: "Lines", point: "Points", area: "Areas", rect: "Heat map", tick: "Ticks", boxplot: "Box plot", arc: "Pie" };
const FUNCTIONS = {
  "": "as it is", count: "count", distinct: "distinct values", sum: "sum", mean: "mean", median: "median", min: "minimum",
  max: "maximum", stdev: "standard deviation", stderr: "standard error", q1: "first quartile", q3: "third quartile",
};
const NUMBERS = ["number", "integer", "quantity"];
const CHANNELS = { x: "X axis", y: "Y axis", colour: "Colour", facet: "Panels" };
const OF_PIES = { x: "Slices", y: "How large each is" };
// What adds up to a whole.
const ADDED = { "": "as it is", count: "count", sum: "sum" };
const SORT = { name: "by name", ascending: "smallest first", descending: "largest first" };
const NO_TREND = "The form alone draws the straight line: Vega-Lite by hand has the points without it.";
const TRENDS = { "": "none", linear: "straight, of least squares" };
const BARS = { "": "none", stderr: "standard error", stdev: "standard deviation", ci: "95 % confidence interval" };
// No column is called so.
const COUNT = " rows ";

const options = (named) => Object.entries(named).map(([value, label]) => ({ value, label }));
const without = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false));

function channelFields(name, legend, functions, channel, columns, changed) {
  const of = columns.find((one) => one.label === channel?.field);
  const isNumber = NUMBERS.includes(of?.type);
  const grouped = !channel?.aggregate;
  const set = (values) => changed(name, values && without({ ...channel, ...values }));
  const choose = (value) => {
    if (value === "") return changed(name, null);
    if (value === COUNT) return changed(name, { aggregate: "count" });
    return set({ field: value, aggregate: channel?.field ? channel.aggregate : null, bins: null, time_unit: null, category: null });
  };
  const named = columns.map((one) => ({ value: one.label, label: withUnit(one) }));
  const shown = [{ value: "", label: "nothing" }, { value: COUNT, label: "number of rows" }, ...named];
  const chosen = channel ? (channel.field ?? COUNT) : "";
  const parts = [
    field("Column", select({ name: `${name}-field`, onchange: (e) => choose(e.target.value) }, name === "facet" ? [shown[0], ...named] : shown, chosen)),
  ];
  if (channel?.field && name !== "facet" && !(functions === ADDED && name === "x")) {
    const some = isNumber ? functions : Object.fromEntries(["", "count", "distinct"].filter((one) => functions[one]).map((one) => [one, functions[one]]));
    parts.push(
      field("Summed up", select({ name: `${name}-aggregate`, onchange: (e) => set({ aggregate: e.target.value, bins: null, time_unit: null }) }, options(some), channel.aggregate ?? "")),
    );
  }
  if (channel?.field && grouped && isNumber && name !== "facet" && functions !== ADDED) {
    const most = [5, 10, 20, 50].map((count) => ({ value: String(count), label: `${count} at most` }));
    const bins = [{ value: "", label: "each value" }, { value: "groups", label: "as groups" }, ...most];
    const put = (value) => set({ bins: Number(value) || null, category: value === "groups" });
    const chosenBins = channel.category ? "groups" : String(channel.bins ?? "");
    parts.push(field("Intervals", select({ name: `${name}-bins`, onchange: (e) => put(e.target.value) }, bins, chosenBins)));
  }
  if (channel?.field && grouped && of?.type === "date" && name !== "facet") {
    const units = { "": "each day", yearmonth: "by month", year: "by year" };
    parts.push(field("Time", select({ name: `${name}-time`, onchange: (e) => set({ time_unit: e.target.value }) }, options(units), channel.time_unit ?? "")));
  }
  if (channel && (name === "x" || name === "y") && (isNumber || channel.aggregate) && functions !== ADDED) {
    const scales = { linear: "linear", log: "logarithmic", sqrt: "square root", symlog: "symmetric log" };
    parts.push(field("Scale", select({ name: `${name}-scale`, onchange: (e) => set({ scale: e.target.value }) }, options(scales), channel.scale ?? "linear")));
  }
  return h("fieldset", { class: "plot-channel" }, h("legend", {}, legend), parts);
}

/** What a pie has: names, and how large each is by what adds up. */
function pie({ mark, x, y, sort, title }) {
  const size = y?.field ? { field: y.field, aggregate: [undefined, "count", "sum"].includes(y.aggregate) ? y.aggregate : "sum" } : { aggregate: "count" };
  return without({ mark, sort, title, x: x?.field ? without({ field: x.field, time_unit: x.time_unit }) : x, y: without(size) });
}

/** Error bars that the axes have no values for are taken away. */
function fitting(form) {
  if (form.mark === "arc") return pie(form);
  const [summed, means] = [hasAggregate(form), isMean(form)];
  const trend = form.mark === "point" && !summed && !form.facet && form.x && form.y ? form.trend : null;
  return without({ ...form, trend, error_bars: means ? form.error_bars : null, error_field: summed ? null : form.error_field });
}

const mayTrend = (form, columns) => form.mark === "point" && !form.facet && !hasAggregate(form) && isPrinted(form.x, columns) && isPrinted(form.y, columns);

const hasAggregate = (form) => [form.x, form.y].some((one) => one?.aggregate);
const isPrinted = (one, columns) => NUMBERS.includes(columns.find(({ label }) => label === one?.field)?.type) && !one.category && !one.bins;
const isMean = (form) => [form.x, form.y].some((one) => one?.aggregate === "mean");

/** Around means what is computed, around printed numbers what a column says. */
function errorFields(form, columns, set) {
  if (!["bar", "line", "point"].includes(form.mark)) return null;
  if (isMean(form)) return field("Error bars", select({ name: "error-bars", onchange: (e) => set({ error_bars: e.target.value }) }, options(BARS), form.error_bars ?? ""));
  const numbers = columns.filter(({ label, type }) => NUMBERS.includes(type) && ![form.x?.field, form.y?.field].includes(label));
  if (hasAggregate(form) || ![form.x, form.y].some((one) => isPrinted(one, columns)) || !numbers.length) return null;
  const named = [{ value: "", label: "none" }, ...numbers.map(({ label }) => ({ value: label, label: `± ${label}` }))];
  return field("Error bars", select({ name: "error-field", onchange: (e) => set({ error_field: e.target.value }) }, named, form.error_field ?? ""));
}

function formFields(form, columns, changed) {
  const set = (values) => changed(fitting(without({ ...form, ...values })));
  const channel = (name, value) => set({ [name]: value });
  const isPie = form.mark === "arc";
  return [
    field("Drawn as", select({ name: "mark", onchange: (e) => set({ mark: e.target.value, error_bars: null, error_field: null }) }, options(MARKS), form.mark)),
    ...Object.entries(isPie ? OF_PIES : CHANNELS).map(([name, legend]) => channelFields(name, legend, isPie ? ADDED : FUNCTIONS, form[name], columns, channel)),
    errorFields(form, columns, set),
    mayTrend(form, columns) && field("Line", select({ name: "trend", onchange: (e) => set({ trend: e.target.value }) }, options(TRENDS), form.trend ?? "")),
    field("Order", select({ name: "sort", onchange: (e) => set({ sort: e.target.value }) }, options(SORT), form.sort ?? "name")),
    field("Title", h("input", { name: "title", value: form.title ?? "", maxlength: 200, onchange: (e) => set({ title: e.target.value.trim() }) })),
  ].filter(Boolean);
}

function handFields(spec, lost, changed) {
  const said = h("p", { class: "form-error", role: "alert" });
  const text = h("textarea", { name: "vega-lite", rows: 24, spellcheck: "false", class: "plot-code" });
  text.value = JSON.stringify(spec, null, 2);
  const apply = () => {
    try {
      said.textContent = "";
      changed(JSON.parse(text.value));
    } catch (error) {
      said.textContent = `This is no JSON: ${error.message}`;
    }
  };
  return [
    lost && h("p", { class: "muted" }, lost),
    field("Vega-Lite, without data", text, "Columns are named by their labels. Data, transforms, expressions and links are not taken."),
    said,
    h("button", { type: "button", class: "button", onclick: apply }, "Draw it"),
  ].filter(Boolean);
}

const SIGNS = { ascending: "", descending: "-" };

/** A channel of the form as one of Vega-Lite; `other` is what names are put in order by. */
function written(one, sort, other) {
  const scale = { ...(one.scale && one.scale !== "linear" && { type: one.scale }), ...(typeof one.zero === "boolean" && { zero: one.zero }) };
  const order = other && sort in SIGNS && !one.aggregate ? SIGNS[sort] + other : null;
  return without({
    field: one.field, aggregate: one.aggregate, bin: one.bins && { maxbins: one.bins }, timeUnit: one.time_unit, type: one.category && "nominal",
    title: one.title, sort: order, scale: Object.keys(scale).length ? scale : null,
  });
}

function asVegaLite(form, columns) {
  if (form.mark === "arc") return without({ title: form.title, mark: "arc", encoding: { theta: written(form.y), color: written(form.x, form.sort, "theta") } });
  const encoding = {};
  const others = { x: form.y && "y", y: form.x && "x" };
  for (const [name, other] of [["x", "x"], ["y", "y"], ["colour", "color"], ["facet", "facet"]]) if (form[name]) encoding[other] = written(form[name], form.sort, others[name]);
  if (!form.error_bars && !form.error_field) return without({ title: form.title, mark: form.mark, encoding });
  const axis = (form.error_field ? isPrinted(form.y, columns) : form.y?.aggregate === "mean") ? "y" : "x";
  if (form.error_field) encoding[`${axis}Error`] = { field: form.error_field };
  const bars = { mark: without({ type: "errorbar", extent: form.error_bars }), encoding: { ...encoding, [axis]: without({ ...encoding[axis], aggregate: null }) } };
  return without({ title: form.title, layer: [{ mark: form.mark, encoding }, bars] });
}

/** The fields of `spec`; `changed(spec)` is called with another one. */
export function plotForm(spec, columns, changed) {
  let own = spec;
  let form = spec.form ?? { mark: "bar", x: { field: columns[0].label }, y: { aggregate: "count" } };
  const place = h("div", {});
  const put = (next, silent = false) => {
    own = next;
    form = own.form ?? form;
    const focused = document.activeElement?.name;
    const fields = own.form
      ? formFields(own.form, columns, (form) => put({ form }))
      : handFields(own.vega_lite, form.trend && NO_TREND, (vegaLite) => put({ vega_lite: vegaLite }));
    const other = own.form
      ? h("button", { type: "button", class: "button small quiet", onclick: () => put({ vega_lite: asVegaLite(own.form, columns) }) }, "Write Vega-Lite by hand")
      : h("button", { type: "button", class: "button small quiet", onclick: () => put({ form }) }, "Back to the form");
    place.replaceChildren(...fields, other);
    if (focused) place.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
    if (!silent) changed(own);
  };
  put(spec, true);
  return [h("h2", { id: "form-title" }, "What it shows"), place];
}
