// The results that a document's tables give, each cell with the way to its place.

import { h } from "../lib/dom.js";
import { placeOf } from "./place.js";

const SHOWN = 100;
const CAPTION = 80;

/** What a result is of: its dataset, or where none is named what its table says that it shows. */
export function datasetOf({ dataset, caption }) {
  if (dataset || !caption) return dataset || "–";
  const short = caption.length > CAPTION ? `${caption.slice(0, CAPTION).trimEnd()}…` : caption;
  return h("span", { class: "muted", title: caption }, short);
}

export function cellTable(summary) {
  const { cells, document_id: id } = summary;
  if (!cells.length) return h("p", { class: "summary-missing" }, h("strong", {}, "Missing."), " No table gives numbers by system and metric.");
  const row = (cell) =>
    h(
      "tr",
      {},
      h("td", {}, datasetOf(cell)),
      h("td", {}, cell.metric || "–"),
      h("td", {}, cell.system),
      h("td", { class: "number" }, h("a", { href: placeOf(id, cell), "aria-label": `${cell.raw}, open its place` }, cell.raw)),
    );
  const body = h("tbody", {}, cells.slice(0, SHOWN).map(row));
  const more = h("button", { type: "button", class: "button" }, `Show all ${cells.length}`);
  more.addEventListener("click", () => {
    body.append(...cells.slice(SHOWN).map(row));
    more.remove();
  });
  const heads = ["Dataset", "Metric", "System"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "div",
    { class: "summary-scroll", tabindex: "0", role: "region", "aria-label": "Results from tables" },
    h("table", { class: "summary-cells" }, h("thead", {}, h("tr", {}, heads, h("th", { scope: "col", class: "number" }, "Value"))), body),
    cells.length > SHOWN && more,
  );
}
