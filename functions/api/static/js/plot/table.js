// The table beside a plot: a row for each mark, which leads to the same cells.

import { h } from "../lib/dom.js";
import { asPrinted, count } from "../lib/format.js";

const SHOWN = 200;
const NUMBER = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 6 });

function said(cell, { number, decimals: common }, own) {
  if (cell === null) return "–";
  if (!number || typeof cell !== "number") return String(cell);
  const decimals = own === undefined ? common : own;
  return decimals === null ? NUMBER.format(cell) : asPrinted(cell, decimals);
}

function row(one, columns, chosen) {
  const name = one.cells.slice(0, 2).map((cell, at) => said(cell, columns[at], one.decimals?.[at])).join(", ");
  const label = `Cells behind ${name || "this mark"}`;
  return h(
    "tr",
    {},
    one.cells.map((cell, at) => h("td", { class: columns[at].number ? "number" : "" }, said(cell, columns[at], one.decimals?.[at]))),
    h("td", { class: "number" }, count(one.rows)),
    h("td", {}, h("button", { type: "button", class: "button small", "aria-label": label, onclick: () => chosen(one.mark) }, "Cells")),
  );
}

function table({ columns, rows }, chosen) {
  const body = h("tbody", {}, rows.slice(0, SHOWN).map((one) => row(one, columns, chosen)));
  const more = h("button", { type: "button", class: "button small" }, `Show all ${count(rows.length)} rows`);
  more.addEventListener("click", () => {
    body.append(...rows.slice(SHOWN).map((one) => row(one, columns, chosen)));
    more.remove();
  });
  const heads = columns.map(({ title, number }) => h("th", { scope: "col", class: number ? "number" : "" }, title));
  return h(
    "div",
    {},
    h(
      "div",
      { class: "sheet", tabindex: "0", role: "region", "aria-label": "The plot as a table" },
      h("table", {}, h("thead", {}, h("tr", {}, heads, h("th", { scope: "col", class: "number" }, "Rows"), h("td", {}))), body),
    ),
    rows.length > SHOWN && more,
  );
}

/** A table for each group of layers; `chosen(mark)` is called for a row's mark. */
export const tables = (given, chosen) => given.map((one) => table(one, chosen));
