// Rows of a long table that are no passages: what says so above them, and turns from some to others.

import { h } from "../lib/dom.js";
import { count } from "../lib/format.js";

const SHOWN = 100;

/** `turn(row)` shows the rows around that number of the sheet. */
export function keptBar({ rows, first, last, shown: [from, to] }, turn) {
  const button = (label, text, row, off) => h("button", { type: "button", class: "button small", "aria-label": label, title: label, disabled: off, onclick: () => turn(row) }, text);
  const number = h("input", { type: "number", min: first, max: last, value: String(from), "aria-label": "Show the rows around row" });
  return h(
    "div",
    { class: "part-kept" },
    h(
      "p",
      { role: "note" },
      h("b", {}, `⚑ ${count(rows)} rows here are no passages. `),
      `Rows ${count(first)} to ${count(last)} are kept as rows of the table: a search lists them by their words, and no answer quotes them. Find in this document (Ctrl F) looks through them, and a dataset of the table has them all.`,
    ),
    h(
      "form",
      {
        class: "part-kept-turn",
        onsubmit: (event) => {
          event.preventDefault();
          if (number.reportValidity()) turn(Number(number.value));
        },
      },
      button("The rows before", "‹", Math.max(first, from - SHOWN), from <= first),
      h("span", {}, `Rows ${count(from)} to ${count(to)}`),
      button("The rows behind", "›", to + 1, to >= last),
      h("label", {}, "Go to row ", number),
      h("button", { class: "button small" }, "Go"),
    ),
  );
}
