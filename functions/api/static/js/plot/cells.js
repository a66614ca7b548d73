// The printed cells behind a mark: each leads to its page and its box.

import { address } from "../lib/cell.js";
import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";

/** The cells of one row of a table as one link. */
function row(cells) {
  const [first] = cells;
  const where = [first.document, first.page && `page ${first.page}`].filter(Boolean).join(", ");
  const text = cells.map((one) => one.text || "(empty)").join(" · ");
  return h("li", {}, h("a", { href: address(first) }, h("b", {}, text), h("span", { class: "muted" }, where)));
}

/** Cells that stand beside each other in one row of a table. */
function rowsOf(cells) {
  const rows = new Map();
  for (const one of cells) {
    const place = `${one.table_id} ${one.row}`;
    rows.set(place, [...(rows.get(place) ?? []), one]);
  }
  return [...rows.values()];
}

/** What the panel holds; `close` closes it. */
export function cellsPanel(found, close) {
  const hidden = found.cells.length === 0;
  return [
    h(
      "header",
      {},
      h("div", {}, h("h2", {}, found.title), h("p", { class: "muted" }, `${plural(found.rows, "row")} of the dataset; printed as`)),
      h("button", { type: "button", class: "button small quiet", onclick: close }, "Close"),
    ),
    hidden
      ? h("p", {}, "The documents that they were printed in are gone, or you may not read them.")
      : h("ul", { class: "plain cell-links" }, rowsOf(found.cells).map(row)),
  ];
}
