// A window of rows as a grid: one tab stop, arrow keys from cell to cell, Enter or a click for where it was printed.

import { byId, h } from "../lib/dom.js";
import { asPrinted, count } from "../lib/format.js";
import { printedUnit } from "../lib/units.js";
import { profileView } from "./profile.js";

export const WINDOW = 100;
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const NUMBERS = ["number", "integer", "quantity"];
// Numbers as where the browser's language is spoken; without signs between thousands, since some are years or ids.
const COMPUTED = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 6, useGrouping: false });
const PRINTED = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 12, useGrouping: false });
const WHOLE = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 17, useGrouping: false });

const exact = (value) => (Number.isInteger(value) ? WHOLE : PRINTED).format(value);

/** What is printed is shown so; what is computed has as many digits as can be read, and its title has all. */
function shown(value, { formula, decimals: common = null }, own) {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return value;
  const decimals = own === undefined ? common : own;
  if (decimals !== null) return asPrinted(value, decimals);
  return formula && !Number.isInteger(value) ? COMPUTED.format(value) : exact(value);
}

function kindOf(column) {
  const scale = column.scale === 1 ? "" : ` × ${column.scale.toLocaleString(navigator.language)}`;
  return `${column.unit && column.type === "quantity" ? printedUnit(column.unit) : column.type}${scale}`;
}

function head(column, profile, correct) {
  const sure = column.confidence < 1 ? `, ${Math.floor(column.confidence * 100)} % sure` : "";
  const title = [column.formula && `= ${column.formula}`, `${column.type}${column.unit ? ` in ${column.unit}` : ""}${sure}`].filter(Boolean).join("\n");
  const kind = correct
    ? h("button", { type: "button", class: "kind", title, "aria-label": `${column.label}: ${kindOf(column)}${sure}. Correct it`, onclick: () => correct(column) }, kindOf(column), sure && h("i", {}, "?"))
    : h("span", { class: "kind", title }, kindOf(column), sure && h("i", {}, "?"));
  return h("th", { scope: "col" }, h("span", { class: "label" }, column.label), kind, profile !== false && profileView(profile));
}

/** Draws `found` (a window of the API). `profiles` by label, null while they are read, false where there are none; `correct(label)` gives what corrects a column, or null; `open`
 * is told of a cell (row of all rows, column). */
export function drawGrid(place, found, { profiles, correct, open, goTo }) {
  const cell = (value, row, column) =>
    h(
      "td",
      {
        class: [NUMBERS.includes(found.columns[column].type) && "number", value === null && "empty"].filter(Boolean).join(" ") || null,
        tabindex: row === 0 && column === 0 ? "0" : "-1",
        data: { row, column },
        "aria-label": value === null ? "missing" : null,
        title: found.columns[column].formula && typeof value === "number" ? exact(value) : null,
      },
      shown(value, found.columns[column], found.decimals?.[found.columns[column].label]?.[row]),
    );
  const body = found.rows.map((row, at) => h("tr", {}, h("th", { scope: "row" }, count(found.offset + at + 1)), row.map((value, column) => cell(value, at, column))));
  const table = h(
    "table",
    { role: "grid", "aria-label": "Rows", "aria-rowcount": found.rows_in_all + 1 },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Row")), found.columns.map((column) => head(column, profiles ? profiles.get(column.label) : profiles, correct(column.label))))),
    h("tbody", {}, body),
  );
  const choose = (target) => {
    const at = target.closest("td");
    if (at) open(found.offset + Number(at.dataset.row), Number(at.dataset.column), at);
  };
  table.addEventListener("click", (event) => choose(event.target));
  table.addEventListener("keydown", (event) => {
    const at = event.target.closest("td");
    if (!at) return;
    if (event.key === "Enter") return choose(at);
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const next = table.querySelector(`td[data-row="${Number(at.dataset.row) + move[0]}"][data-column="${Number(at.dataset.column) + move[1]}"]`);
    if (!next) return;
    at.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  place.replaceChildren(h("div", { class: "sheet" }, table), pager(found, goTo));
  place.setAttribute("aria-busy", "false");
}

function pager(found, goTo) {
  const last = Math.max(0, Math.floor((found.rows_in_all - 1) / WINDOW) * WINDOW);
  const end = found.offset + found.rows.length;
  const button = (id, label, offset, disabled) => h("button", { type: "button", id, class: "button small", disabled, onclick: () => goTo(offset, id) }, label);
  const jump = (event) => {
    event.preventDefault();
    const wanted = Number(byId("row-wanted").value);
    if (wanted >= 1) goTo(Math.min(found.rows_in_all, Math.floor(wanted)) - 1, "row-wanted");
  };
  return h(
    "nav",
    { class: "pager", "aria-label": "Rows" },
    h("span", { role: "status" }, found.rows.length ? `Rows ${count(found.offset + 1)}–${count(end)} of ${count(found.rows_in_all)}` : "No rows"),
    button("page-first", "First", 0, found.offset === 0),
    button("page-before", "Before", Math.max(0, found.offset - WINDOW), found.offset === 0),
    button("page-next", "Next", found.offset + WINDOW, end >= found.rows_in_all),
    button("page-last", "Last", last, end >= found.rows_in_all),
    found.rows_in_all > WINDOW && h("form", { onsubmit: jump }, h("label", {}, "Row ", h("input", { id: "row-wanted", type: "number", min: 1, max: found.rows_in_all })), h("button", { class: "button small" }, "Go")),
  );
}
