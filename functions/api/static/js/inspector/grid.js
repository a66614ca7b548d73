// A table as a grid: drawn over the page, shown in its card, and the two kept in step, row and cell.

import { direction } from "../lib/direction.js";
import { announce, byId, h } from "../lib/dom.js";
import { formulaInCell, said } from "./formulas.js";

// From so many columns on a card is too narrow to read them.
const WIDE = 5;
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The cells of a grid with the columns that they stand in, as in HTML. */
function placed(rows) {
  const taken = new Set();
  return rows.flatMap((row, at) => {
    let column = 0;
    return row.map((cell) => {
      while (taken.has(`${at}:${column}`)) column += 1;
      const place = { cell, row: at, column, key: `${at}:${column}` };
      for (let r = 0; r < cell.row_span; r += 1)
        for (let c = 0; c < cell.col_span; c += 1) taken.add(`${at + r}:${column + c}`);
      column += cell.col_span;
      return place;
    });
  });
}

/** The table as an element; of a row only its header and itself, when `row` is given. */
export function gridTable(table, row = null, large = false) {
  const shown = (place) => row === null || place.row < table.header_rows || covers(place, row);
  const cells = placed(table.rows).filter(shown);
  const numbers = [...new Set(cells.map((place) => (place.row < table.header_rows || row === null ? place.row : row)))];
  const name = table.caption || `Table of ${table.rows.length} rows`;
  const line = (number) =>
    h(
      "tr",
      {},
      cells.filter((place) => (row !== null && covers(place, row) ? row : place.row) === number).map((p) => tile(p, table, row)),
    );
  const head = numbers.filter((number) => number < table.header_rows);
  const body = numbers.filter((number) => number >= table.header_rows);
  const grid = h(
    "table",
    { class: "grid", role: "grid", "aria-label": name },
    head.length > 0 && h("thead", {}, head.map(line)),
    h("tbody", {}, body.map(line)),
  );
  grid.querySelector("[data-cell]")?.setAttribute("tabindex", "0");
  const scroll = withFormula(h("div", { class: "grid-scroll" }, grid), cells);
  const columns = Math.max(...cells.map((place) => place.column + place.cell.col_span), 0);
  if (large || columns < WIDE) return scroll;
  return h("div", {}, scroll, h("button", { type: "button", class: "button small grid-enlarge", onclick: (event) => enlarge(event, table) }, "Open the table large"));
}

/** The grid, and below it the formula of the cell where the reader is. */
function withFormula(scroll, cells) {
  const formulas = new Map(cells.filter(({ cell }) => cell.formula !== undefined).map(({ key, cell }) => [key, said(cell)]));
  if (!formulas.size) return scroll;
  const line = h("p", { class: "grid-formula", role: "status" }, "Choose a marked cell to see its formula.");
  const show = ({ target }) => {
    const key = target.closest("[data-cell]")?.dataset.cell;
    if (key) line.textContent = formulas.get(key) ?? "No formula.";
  };
  scroll.addEventListener("focusin", show);
  scroll.addEventListener("click", show);
  return h("div", {}, scroll, line);
}

/** The whole table in a dialog as wide as the window: a card is too narrow for many columns. */
function enlarge(event, table) {
  event.stopPropagation();
  const title = table.caption || `Table of ${table.rows.length} rows`;
  const close = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close");
  const dialog = h("dialog", { class: "dialog grid-dialog", "aria-label": title }, h("div", { class: "grid-dialog-head" }, h("h2", {}, title), close), gridTable(table, null, true));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function tile({ cell, row, column, key }, table, only) {
  const header = row < table.header_rows;
  return h(
    header ? "th" : "td",
    {
      role: header ? "columnheader" : "gridcell",
      tabindex: "-1",
      data: { cell: key },
      dir: direction(cell.text),
      colspan: cell.col_span > 1 ? cell.col_span : null,
      rowspan: only === null && cell.row_span > 1 ? cell.row_span : null,
      class: [/^[\s$€£¥(+\-−–—]*[\d.,]+[\s%)]*$/.test(cell.text) && "number", column === 0 && "stub", cell.formula !== undefined && "computed"].filter(Boolean).join(" ") || null,
    },
    cell.calculated === false ? formulaInCell(cell) : cell.text,
  );
}

const covers = (place, row) => place.row <= row && row < place.row + place.cell.row_span;

/** Where each cell of `table` lies on `page`, empty ones between their neighbours: [{key, row, header, rect}]. */
function cellRects(table, page) {
  const cells = placed(table.rows);
  const boxed = cells.map((p) => ({ ...p, box: around(p.cell.boxes.filter((box) => box.page === page)) }));
  const here = boxed.filter((p) => p.box);
  if (!here.length) return [];
  const across = edges(here.map((p) => [p.column, p.column + p.cell.col_span, p.box.x, p.box.x + p.box.w]));
  const down = edges(here.map((p) => [p.row, p.row + p.cell.row_span, p.box.y, p.box.y + p.box.h]));
  const [first, last] = [Math.min(...down.keys()), Math.max(...down.keys())];
  return boxed
    .map((p) => {
      const [top, bottom] = [Math.max(p.row, first), Math.min(p.row + p.cell.row_span, last)];
      const [x, right] = [across.get(p.column), across.get(p.column + p.cell.col_span)];
      if (top >= bottom || x === undefined || right === undefined) return null;
      const [y, low] = [down.get(top), down.get(bottom)];
      return { key: p.key, row: p.row, rows: p.cell.row_span, header: p.row < table.header_rows, rect: { x, y, w: right - x, h: low - y } };
    })
    .filter(Boolean);
}

function around(boxes) {
  if (!boxes.length) return null;
  const [x, y] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
  return { x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y };
}

/** Lines between columns (or rows), in the middle of the gaps between texts: index → position. */
function edges(spans) {
  const count = [Math.min(...spans.map(([from]) => from)), Math.max(...spans.map(([, to]) => to))];
  const lines = new Map();
  for (let at = count[0]; at <= count[1]; at += 1) {
    const before = spans.filter(([, to]) => to <= at).map(([, , , end]) => end);
    const after = spans.filter(([from]) => from >= at).map(([, , start]) => start);
    const low = before.length ? Math.max(...before) : null;
    const high = after.length ? Math.min(...after) : null;
    lines.set(at, low === null ? high - 0.004 : high === null ? low + 0.004 : (low + high) / 2);
  }
  return lines;
}

/** Draws the active table's grid over the page and keeps its cells and those of its card in step. */
export class GridLink {
  constructor(state, overlay) {
    this.state = state;
    this.overlay = overlay;
    this.scroller = byId("cards");
    this.table = null;
    this.here = null;
    state.on("active", () => this.#draw());
    state.on("page", () => this.#draw(true));
    state.on("skipped", () => this.#draw(true));
    overlay.addEventListener("cell-hover", ({ detail }) => this.#mark(detail));
    const at = ({ target }) => target.closest?.("[data-cell]")?.dataset.cell ?? null;
    this.scroller.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.#mark(at(event)));
    this.scroller.addEventListener("pointerleave", () => this.#mark(null));
    this.scroller.addEventListener("focusin", (event) => at(event) && this.#focused(event.target, at(event)));
    this.scroller.addEventListener("keydown", (event) => this.#step(event, at(event)));
  }

  #draw(again = false) {
    const chunk = this.state.chunk(this.state.active);
    const table = chunk ? this.state.tableOf(chunk) : null;
    if (table === this.table && !again) return this.#mark(this.here);
    this.table = table;
    this.here = null;
    this.overlay.grid = table ? cellRects(table, this.state.page) : [];
  }

  #mark(key) {
    this.here = key;
    this.overlay.markCell(key);
    for (const node of this.scroller.querySelectorAll(".in-row, .here")) node.classList.remove("in-row", "here");
    const node = key && this.scroller.querySelector(`[data-cell="${key}"]`);
    if (!node) return;
    for (const cell of node.parentElement.children) cell.classList.add("in-row");
    node.classList.add("here");
  }

  #focused(node, key) {
    for (const other of node.closest(".grid").querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    node.tabIndex = 0;
    this.#mark(key);
    if (!node.textContent) announce("empty cell");
  }

  #step(event, key) {
    const step = STEPS[event.key];
    if (!key || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const line = event.target.parentElement;
    const lines = [...line.closest("table").rows];
    const [down, across] = step;
    const to = across
      ? line.children[event.target.cellIndex + across]
      : nearest(lines[lines.indexOf(line) + down], key);
    to?.focus();
  }
}

/** The cell of `line` that stands in the column of `key`, or the last one left of it. */
function nearest(line, key) {
  const column = Number(key.split(":")[1]);
  const cells = [...(line?.children ?? [])];
  return cells.findLast((cell) => Number(cell.dataset.cell.split(":")[1]) <= column) ?? cells[0];
}
