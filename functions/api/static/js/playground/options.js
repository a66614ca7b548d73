// The settings of each mode: index, number of hits and chunk types; for a look-up, whether all below comes along.

import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";

const INDEXES = [
  ["hybrid", "all indexes"],
  ["fts", "full text"],
  ["vector", "vector"],
];
const TYPES = ["text", "list", "table_row", "table", "figure", "heading", "code", "footnote"];

export class Options {
  constructor(place, address) {
    this.place = place;
    this.index = INDEXES.some(([name]) => name === address.get("index")) ? address.get("index") : "hybrid";
    this.k = Number(address.get("k")) || 10;
    this.type = TYPES.includes(address.get("type")) ? address.get("type") : "";
    this.recursive = address.get("below") !== "no";
  }

  #select(label, value, choices, set) {
    return h(
      "label",
      { class: "option" },
      h("span", {}, label),
      h(
        "select",
        { onchange: (event) => set(event.target.value) },
        choices.map(([name, text]) => h("option", { value: name, selected: String(value) === String(name) }, text)),
      ),
    );
  }

  draw(mode) {
    const hits = this.#select(
      "Hits",
      this.k,
      [5, 10, 20, 50].map((k) => [k, k]),
      (value) => {
        this.k = Number(value);
      },
    );
    const ranked = [
      this.#select("Index", this.index, INDEXES, (value) => {
        this.index = value;
      }),
      hits,
      this.#select("Type", this.type, [["", "any"], ...TYPES.map((type) => [type, words(type)])], (value) => {
        this.type = value;
      }),
    ];
    const below = h(
      "label",
      { class: "option" },
      h("input", {
        type: "checkbox",
        checked: this.recursive,
        onchange: (event) => {
          this.recursive = event.target.checked;
        },
      }),
      h("span", {}, "with everything below it"),
    );
    this.place.replaceChildren(...{ ask: [hits], search: ranked, lookup: [below] }[mode]);
  }

  /** An answer always stands on the hits of all indexes. */
  askBody() {
    return { k: this.k };
  }

  searchBody() {
    return { index: this.index, k: this.k, types: this.type ? [this.type] : null };
  }

  address(mode) {
    if (mode === "lookup") return { index: "", k: "", type: "", below: this.recursive ? "" : "no" };
    const k = this.k === 10 ? "" : this.k;
    if (mode === "ask") return { index: "", k, type: "", below: "" };
    return { index: this.index === "hybrid" ? "" : this.index, k, type: this.type, below: "" };
  }
}
