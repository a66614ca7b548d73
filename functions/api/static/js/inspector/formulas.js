// The formulas of a sheet's cells: a bar that says those of the chosen cell or row, marks on cells that are computed, and
// what nobody has calculated.

import { announce, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";

const LISTED = 100; // of formulas that stand in no table
const WRITTEN = 120; // characters of a formula in its cell; the bar has all
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export const said = (one) => one.formula || "a formula that could not be read";
const term = (one) => [
  h("dt", {}, one.range),
  h("dd", {}, h("code", { dir: "ltr" }, said(one)), one.calculated === false && h("span", { class: "tag flag" }, "never calculated")),
];

/** What stands in a cell that has a formula and no value: the formula, which is no text of the document. */
export function formulaInCell(one) {
  const text = said(one);
  return h("span", { class: "uncalculated" }, h("span", { class: "visually-hidden" }, "never calculated: "), text.length > WRITTEN ? `${text.slice(0, WRITTEN)}…` : text);
}

/** Of a chunk's formulas a list; null for none. */
export const formulaList = (formulas) => (formulas?.length ? h("dl", { class: "formula-list" }, formulas.map(term)) : null);

/** What is to be said above a part: how many formulas nobody has calculated, and those of them that stand in no table. */
export function uncalculatedNote({ uncalculated, formulas }, inTable) {
  if (!uncalculated) return "";
  const apart = formulas.filter((one) => one.calculated === false && !inTable.has(one.range));
  const cells = uncalculated === 1 ? "1 cell here holds a formula that was" : `${count(uncalculated)} cells here hold formulas that were`;
  return h(
    "div",
    { class: "part-kept" },
    h(
      "p",
      { role: "note" },
      h("b", {}, `⚑ ${cells} never calculated. `),
      "A program wrote the file without values: open it in a spreadsheet program, save it, and upload it again.",
    ),
    apart.length > 0 && h("p", {}, "In no table:"),
    apart.length > 0 && formulaList(apart.slice(0, LISTED)),
    apart.length > LISTED && h("p", {}, `… and ${plural(apart.length - LISTED, "more", "more")}`),
  );
}

/** The cells that a formula refers to on its own sheet, as [left, top, right, bottom]. */
export function references(formula) {
  const plain = formula.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'!?[$A-Za-z0-9:]*|[^\s(),;+\-*/^&=<>{}]*![$A-Za-z0-9:]*/g, " ");
  return [...plain.matchAll(/(?<![\w.$])\$?([A-Z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Z]{1,3})\$?([0-9]{1,7}))?(?![\w.(!])/g)].map(
    ([, left, top, right = left, bottom = top]) => [number(left), Number(top), number(right), Number(bottom)],
  );
}

const number = (letters) => [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0);

/** The bar above a sheet, and the sheet's cells as far as they are computed. */
export class FormulaBar {
  constructor(root, view) {
    this.root = root;
    this.chunk = null;
    this.byRange = new Map(view.formulas.map((one) => [one.range, one]));
    this.nothing = `${plural(view.formulas.length, "cell")} here ${view.formulas.length === 1 ? "is" : "are"} computed. Choose one to see its formula.`;
    this.place = h("div", { class: "formula-text" }, this.nothing);
    this.node = h("div", { class: "formula-bar", role: "group", "aria-label": "Formula" }, h("div", { class: "formula-said", tabindex: "0" }, h("span", { class: "formula-sign", "aria-hidden": "true" }, "ƒx"), this.place));
    root.addEventListener("focusin", this.focused);
    root.addEventListener("keydown", this.stepped);
  }

  forget() {
    this.root.removeEventListener("focusin", this.focused);
    this.root.removeEventListener("keydown", this.stepped);
  }

  /** The formulas of a chunk that is chosen anew; of none what there is to choose. */
  show(chunk) {
    if (this.chunk === (chunk?.id ?? null)) return;
    this.chunk = chunk?.id ?? null;
    this.#mark(null);
    this.place.replaceChildren(formulaList(chunk?.formulas) ?? this.nothing);
  }

  /** Chooses the computed cell at a point of the window; returns whether there is one. */
  chooseAt(x, y) {
    const cell = document.elementsFromPoint(x, y).find((node) => node.matches?.("td.computed, th.computed"));
    if (cell) this.#choose(cell);
    return Boolean(cell);
  }

  focused = ({ target }) => {
    if (target.matches(".computed")) this.#choose(target, true);
  };

  stepped = (event) => {
    const step = STEPS[event.key];
    if (!step || !event.target.matches(".computed") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    nearest([...this.root.querySelectorAll(".computed")], event.target, step)?.focus();
  };

  #choose(cell, aloud = false) {
    const one = this.byRange.get(cell.dataset.range);
    if (!one) return;
    for (const other of this.root.querySelectorAll(".computed[tabindex='0']")) other.tabIndex = -1;
    cell.tabIndex = 0;
    this.#mark(cell, one);
    this.place.replaceChildren(formulaList([one]));
    if (aloud) announce(`${one.range}: ${said(one)}${one.calculated === false ? ", never calculated" : ""}`);
  }

  #mark(cell, one = null) {
    for (const node of this.root.querySelectorAll(".chosen, .referred")) node.classList.remove("chosen", "referred");
    if (!cell) return;
    cell.classList.add("chosen");
    const wanted = references(one.formula);
    for (const node of wanted.length ? this.root.querySelectorAll("[data-range]") : []) {
      const [, column, row] = /^([A-Z]+)([0-9]+)/.exec(node.dataset.range);
      const [x, y] = [number(column), Number(row)];
      if (wanted.some(([left, top, right, bottom]) => left <= x && x <= right && top <= y && y <= bottom)) node.classList.add("referred");
    }
  }
}

/** The next computed cell in a direction, in the same column or row where there is one. */
function nearest(cells, from, [down, across]) {
  const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const [x, y] = middle(from.getBoundingClientRect());
  const far = (cell) => {
    const [left, top] = middle(cell.getBoundingClientRect());
    const [ahead, aside] = across ? [(left - x) * across, Math.abs(top - y)] : [(top - y) * down, Math.abs(left - x)];
    return ahead > 1 ? ahead + 8 * aside : Infinity;
  };
  return cells.map((cell) => [far(cell), cell]).reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity, null])[1];
}
