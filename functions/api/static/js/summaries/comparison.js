// Metric by system: a row for each dataset and metric, a column for each system; each value leads to its cell.

import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { printedUnit } from "../lib/units.js";
import { datasetOf } from "../summary/cells.js";
import { TITLES } from "../summary/field.js";
import { placeOf } from "../summary/place.js";

// The canonical unit of shares: each value has its own sign of per cent.
const RATIO = "1";

function value(one) {
  const { cell } = one;
  return h("a", { href: placeOf(one.document_id, cell), title: `${one.document}${cell.page ? `, page ${cell.page}` : ""}` }, cell.raw);
}

function results(said) {
  if (!said.rows.length) return h("p", { class: "summary-missing" }, "No table of these documents gives numbers by system and metric.");
  const head = h("tr", {}, h("th", { scope: "col" }, "Metric"), h("th", { scope: "col" }, "Dataset"), said.columns.map((name) => h("th", { scope: "col" }, name)));
  const rows = said.rows.map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, row.metric, row.unit && row.unit !== RATIO && !row.metric.includes(row.unit) && ` (${printedUnit(row.unit)})`, row.printed_of.length > 1 && " (printed of 1 and of 100)"),
      h("td", {}, datasetOf(row)),
      row.cells.map((cells, place) => h("td", { class: "number" }, cells.flatMap((one, at) => [at > 0 && " / ", value(one)]), row.disagree[place] && h("span", { class: "tag flag", title: "The documents give different values." }, "⚑ differ"))),
    ),
  );
  return h(
    "div",
    { class: "summary-scroll", tabindex: "0", role: "region", "aria-label": "Metric by system" },
    h("table", { class: "summary-cells compared" }, h("thead", {}, head), h("tbody", {}, rows)),
  );
}

function fields(said) {
  const cell = (one, name) => {
    const own = one.fields.find((field) => field.field === name);
    if (own.state === "missing") return h("td", {}, h("span", { class: "summary-missing" }, "missing"));
    const [first] = own.statements;
    const more = own.statements.length - 1;
    return h("td", {}, h("a", { href: placeOf(one.document_id, first) }, first.shown), more > 0 && h("span", { class: "muted" }, ` and ${plural(more, "more", "more")}`));
  };
  const head = h("tr", {}, h("th", { scope: "col" }, "Field"), said.summaries.map((one) => h("th", { scope: "col" }, one.document)));
  const rows = Object.entries(TITLES).map(([name, title]) => h("tr", {}, h("th", { scope: "row" }, title), said.summaries.map((one) => cell(one, name))));
  return h(
    "div",
    { class: "summary-scroll", tabindex: "0", role: "region", "aria-label": "Fields side by side" },
    h("table", { class: "summary-cells compared told" }, h("thead", {}, head), h("tbody", {}, rows)),
  );
}

/** `left`: how many that are ticked are more than can be compared at once. */
export function comparison(said, left) {
  return h(
    "div",
    {},
    h("h2", {}, "Metric by system"),
    h("p", { class: "muted" }, "As the documents print them. Whether more is better is not known, so nothing is ranked.", left > 0 && ` The first ${said.summaries.length} of those that you ticked.`, said.left_out > 0 && ` ${plural(said.left_out, "row")} left out: filter by metric or system.`),
    results(said),
    h("h2", {}, "What they state"),
    fields(said),
  );
}
