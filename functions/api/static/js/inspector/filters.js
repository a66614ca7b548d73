// Filter chips: chunk types with counts, confidence, flagged, and the furniture that was skipped.

import { byId, h } from "../lib/dom.js";
import { count, words } from "../lib/format.js";

const ORDER = [
  "heading",
  "text",
  "list",
  "table",
  "table_row",
  "figure",
  "caption",
  "footnote",
  "code",
  "formula",
  "structured",
];

export class Filters {
  constructor(state) {
    this.state = state;
    this.place = byId("filters");
    for (const name of ["page", "filter", "skipped"]) state.on(name, () => this.#draw());
  }

  #chip(key, label, number, pressed, click) {
    return h(
      "button",
      { type: "button", class: "chip", data: { chip: key }, "aria-pressed": String(pressed), onclick: click },
      h("i", { class: "swatch", data: { type: key }, "aria-hidden": "true" }),
      label,
      " ",
      h("b", {}, count(number)),
    );
  }

  #toggle(type) {
    const types = new Set(this.state.filter.types);
    if (!types.delete(type)) types.add(type);
    this.state.setFilter({ types });
  }

  #confidence() {
    const { below } = this.state.filter;
    const options = [
      ["", "any confidence"],
      ["0.85", "below 0.85"],
      ["0.7", "below 0.70"],
    ];
    return h(
      "select",
      {
        class: "chip",
        "aria-label": "Confidence",
        onchange: (event) => this.state.setFilter({ below: event.target.value ? Number(event.target.value) : null }),
      },
      options.map(([value, text]) => h("option", { value, selected: String(below ?? "") === value }, text)),
    );
  }

  #draw() {
    const focused = this.place.contains(document.activeElement)
      ? (document.activeElement.dataset.chip ?? "select")
      : null;
    const { chunks, view, filter, showSkipped } = this.state;
    const number = (type) => chunks.filter((item) => item.chunk_type === type).length;
    const flagged = chunks.filter((item) => item.flags.length > 0).length;
    const kinds = ORDER.filter((type) => number(type) > 0 || filter.types.has(type));
    this.place.replaceChildren(
      ...[
        ...kinds.map((type) =>
          this.#chip(type, words(type), number(type), filter.types.has(type), () => this.#toggle(type)),
        ),
        view.skipped.length > 0 &&
          this.#chip("skipped", "skipped", view.skipped.length, showSkipped, () => this.state.setSkipped(!showSkipped)),
        (flagged > 0 || filter.flagged) &&
          this.#chip("flagged", "flagged", flagged, filter.flagged, () =>
            this.state.setFilter({ flagged: !filter.flagged }),
          ),
        this.#confidence(),
      ].filter(Boolean),
    );
    if (focused) (this.place.querySelector(`[data-chip="${focused}"]`) ?? this.place.querySelector("select"))?.focus();
  }
}
