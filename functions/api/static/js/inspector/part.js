// A part of a source without pages, shown as text: its headings, paragraphs, tables and code by the operations, every
// fragment an element of its own. Where those stand is measured, so that boxes over text work as they do over a page.

import { decidedDirection, direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { fragmentId, fragmentsOf, textOf } from "./boxes.js";
import { FormulaBar, formulaInCell, uncalculatedNote } from "./formulas.js";
import { keptBar } from "./kept.js";

const DEEPEST = 6;

export class Part {
  constructor(root) {
    this.root = root;
    this.shown = false;
    this.bar = null;
  }

  /** Draws the part of `view`; null shows none. Of rows that are no passages `row` is marked, and `turn` shows others. */
  show(view, row = null, turn = null) {
    this.shown = Boolean(view?.operations?.length);
    this.root.hidden = !this.shown;
    this.bar?.forget();
    this.bar = null;
    if (!this.shown) return this.root.replaceChildren();
    const fragments = fragmentsOf(view);
    const piece = (reference) =>
      h("span", { class: "piece", dir: direction(textOf(reference, fragments)), data: { piece: reference } }, textOf(reference, fragments));
    const formulas = new Map((view.formulas ?? []).map((one) => [one.range, one]));
    const rangeOf = (cell) => cell.place?.range ?? fragments.get(fragmentId(cell.fragment_ids[0] ?? ""))?.place?.range;
    const cells = { place: (reference) => cellOf(reference, fragments), range: rangeOf, formula: (range) => formulas.get(range) };
    if (formulas.size) this.bar = new FormulaBar(this.root, view);
    this.root.replaceChildren(
      this.bar?.node ?? "",
      view.label && view.label !== String(view.page) ? h("p", { class: "part-label" }, view.label) : "",
      view.kept ? keptBar(view.kept, turn) : "",
      uncalculatedNote(view, new Set(view.operations.flatMap(({ rows = [] }) => rows.flat()).map(rangeOf))),
      ...view.operations.map((operation) => read(block(operation, piece, cells))).filter(Boolean),
    );
    this.root.querySelector(".computed")?.setAttribute("tabindex", "0");
    this.asked = row === null ? null : this.root.querySelector(`tr[data-row="${row}"]`);
    this.asked?.classList.add("asked");
  }

  /** Gives the boxes of chunks and skipped text, and the fragments of `view`, the rects of their text, in fractions of
   *  `sheet`. */
  measure(sheet, view, skipped) {
    this.root.classList.toggle("with-skipped", skipped);
    const port = sheet.getBoundingClientRect();
    const rects = new Map();
    for (const node of this.root.querySelectorAll("[data-piece]")) {
      const box = (node.closest("td, th") ?? node).getBoundingClientRect();
      if (!box.width) continue;
      rects.set(node.dataset.piece, {
        x: (box.left - port.left) / port.width,
        y: (box.top - port.top) / port.height,
        w: box.width / port.width,
        h: box.height / port.height,
      });
    }
    const boxes = [...view.items.flatMap((chunk) => [...chunk.boxes, ...cellBoxes(chunk)]), ...view.skipped.map((item) => item.box)];
    for (const box of boxes) {
      if (box.page !== view.page) continue;
      for (const side of ["x", "y", "w", "h"]) delete box[side];
      Object.assign(box, around((box.fragment_ids ?? []).map((id) => rects.get(id)).filter(Boolean)));
    }
    for (const fragment of view.fragments) fragment.box = rects.get(fragment.id);
  }
}

const cellBoxes = (chunk) => (chunk.table?.rows ?? []).flat().flatMap((cell) => cell.boxes);

/** The smallest rect around some; nothing around none. */
function around(rects) {
  if (!rects.length) return {};
  const x = Math.min(...rects.map((rect) => rect.x));
  const y = Math.min(...rects.map((rect) => rect.y));
  const w = Math.max(...rects.map((rect) => rect.x + rect.w)) - x;
  return { x, y, w, h: Math.max(...rects.map((rect) => rect.y + rect.h)) - y };
}

/** The first cell of a reference's place in a sheet: its column's letters and its row; null in other sources. */
function cellOf(reference, fragments) {
  const place = fragments.get(fragmentId(reference))?.place;
  const found = place?.kind === "sheet" && /^([A-Z]+)([0-9]+)/.exec(place.range);
  return found ? { column: found[1], row: found[2] } : null;
}

/** A block that says which way it reads: one from the right stands on the right, a table's first column too. */
function read(drawn) {
  if (drawn) drawn.dir = decidedDirection(drawn.textContent);
  return drawn;
}

function block(operation, piece, cells) {
  const pieces = (ids, between = " ") => ids.flatMap((id, at) => [at ? between : "", piece(id)]);
  switch (operation.op) {
    case "register_section":
      return h("p", { class: "part-heading", role: "heading", "aria-level": Math.min(operation.depth + 1, DEEPEST), data: { depth: operation.depth } }, pieces(operation.title_fragment_ids));
    case "register_chunk":
      if (operation.chunk_type === "code") return h("pre", { class: "part-code", tabindex: "0" }, pieces(operation.fragment_ids, "\n"));
      if (operation.chunk_type === "list") return h("div", { class: "part-list" }, operation.fragment_ids.map((id) => h("p", {}, piece(id))));
      return h("p", { class: `part-${operation.chunk_type}` }, pieces(operation.fragment_ids));
    case "register_table":
      return table(operation, piece, cells);
    case "skip":
      return h("p", { class: "part-skipped", title: `skipped: ${words(operation.reason)}` }, pieces(operation.fragment_ids));
    default:
      return null;
  }
}

function table({ rows, header_rows: headers, caption_fragment_ids: caption }, piece, cells) {
  const names = namesOf(rows, cells.place);
  const tile = (name, cell) => {
    const range = cells.range(cell);
    const formula = range && cells.formula(range);
    return h(
      name,
      {
        colspan: cell.col_span > 1 ? cell.col_span : null,
        rowspan: cell.row_span > 1 ? cell.row_span : null,
        class: formula ? "computed" : null,
        tabindex: formula ? "-1" : null,
        data: range ? { range } : {},
      },
      cell.fragment_ids.map((id) => piece(id)),
      formula?.calculated === false && formulaInCell(formula),
    );
  };
  const line = (row, at) =>
    h(
      "tr",
      { data: names?.rows[at] ? { row: names.rows[at] } : {} },
      names && h(names.rows[at] ? "th" : "td", { class: "part-name", scope: names.rows[at] ? "row" : null }, names.rows[at]),
      row.map((cell) => tile(at < headers ? "th" : "td", cell)),
    );
  return h(
    "div",
    { class: "part-table", tabindex: "0", role: "group", "aria-label": "Table" },
    caption.length > 0 && h("p", { class: "part-caption" }, caption.map(piece)),
    h(
      "table",
      {},
      names && h("thead", {}, h("tr", {}, h("td", { class: "part-name" }), names.columns.map((name) => h(name ? "th" : "td", { class: "part-name", scope: name ? "col" : null }, name)))),
      h("tbody", {}, rows.map(line)),
    ),
  );
}

/** The names of a sheet's rows and columns as far as a table has cells in them; null where it is in no sheet. */
function namesOf(rows, cellOf) {
  const columns = [];
  const free = []; // by column, the first row that no cell above reaches into
  const numbers = rows.map((row, at) => {
    let column = 0;
    let number = "";
    for (const cell of row) {
      while ((free[column] ?? 0) > at) column += 1;
      const place = cell.fragment_ids.length ? cellOf(cell.fragment_ids[0]) : null;
      if (place && cell.row_span === 1) number ||= place.row;
      if (place) columns[column] ??= place.column;
      for (let over = 0; over < cell.col_span; over += 1) free[column + over] = at + cell.row_span;
      column += cell.col_span;
    }
    return number;
  });
  if (!columns.some(Boolean)) return null;
  return { columns: Array.from({ length: free.length }, (_, at) => columns[at] ?? ""), rows: numbers };
}
