// The fields of one set of settings; a second set stands beside the first when two are compared.

import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { Picker } from "../lib/menu.js";
import { INDEXES, TYPES, plain, plans, usedBy } from "./settings.js";

let made = 0;

export class Options {
  /** `documents` gives the documents to choose from; `changed` is called when a picker's choice changed. */
  constructor(place, settings, { documents, changed, name = "" }) {
    Object.assign(this, { place, settings, documents, changed, name });
    made += 1;
    this.id = made;
  }

  draw(mode) {
    const fields = {
      index: () => this.#select("Index", "index", INDEXES),
      k: () => this.#select("Hits", "k", this.#counts(), Number),
      types: () => this.#types(),
      where: () => this.#where(),
      sort: () => this.#sort(),
      recency: () => this.#number("Half-life", "recency", "days", { min: "0.01", max: "36500", placeholder: "off" }),
      least: () => this.#number("Score at least", "least", "", { min: "-1", max: "10000", placeholder: "any" }),
      documents: () => this.#documents(),
      older: () => this.#tick("older versions, too", "older"),
      plan: () => plans && this.#tick("the model searches for more first", "plan"),
      below: () => this.#tick("with everything below it", "below"),
    };
    this.complaint = null;
    this.place.replaceChildren(
      ...[this.name && h("b", { class: "option-set", data: { set: this.name } }, this.name)].filter(Boolean),
      ...usedBy(mode).filter((key) => key in fields).map((key) => fields[key]()).filter(Boolean),
    );
  }

  #counts() {
    const usual = [5, 10, 20, 50, 100];
    return (usual.includes(this.settings.k) ? usual : [...usual, this.settings.k].sort((a, b) => a - b)).map((k) => [k, k]);
  }

  #named(label) {
    return this.name ? `${label} of ${this.name}` : label;
  }

  #select(label, key, choices, read = String) {
    const set = (event) => {
      this.settings[key] = read(event.target.value);
    };
    const chosen = (name) => String(this.settings[key]) === String(name);
    return h(
      "label",
      { class: "option" },
      h("span", {}, label, this.name && h("span", { class: "visually-hidden" }, ` of ${this.name}`)),
      h("select", { onchange: set }, choices.map(([name, text]) => h("option", { value: name, selected: chosen(name) }, text))),
    );
  }

  #number(label, key, unit, limits) {
    const set = (event) => {
      if (event.target.validity.valid) this.settings[key] = event.target.value;
    };
    const field = h("input", { type: "number", step: "any", class: "number-field", onchange: set, ...limits });
    field.value = this.settings[key];
    return h(
      "label",
      { class: "option" },
      h("span", {}, label, this.name && h("span", { class: "visually-hidden" }, ` of ${this.name}`)),
      field,
      unit && h("span", {}, unit),
    );
  }

  #tick(label, key) {
    const set = (event) => {
      this.settings[key] = event.target.checked;
    };
    return h(
      "label",
      { class: "option" },
      h("input", { type: "checkbox", checked: this.settings[key], onchange: set }),
      h("span", {}, label, this.name && h("span", { class: "visually-hidden" }, ` of ${this.name}`)),
    );
  }

  #where() {
    const id = `where-error-${this.id}`;
    const field = h("input", {
      type: "text",
      class: "where-field",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": this.#named("Filter by attributes"),
      "aria-describedby": id,
      placeholder: "mass >= 10 kg and not grade = 8.8",
      onchange: (event) => {
        this.settings.where = event.target.value;
        this.complain(null);
      },
    });
    field.value = this.settings.where;
    const text = h("span", { class: "field-error", id, role: "status" });
    this.complaint = { field, text };
    return h("span", { class: "option where" }, h("span", { "aria-hidden": "true" }, "Where"), field, text);
  }

  #sort() {
    const set = (event) => {
      this.settings.sort = event.target.value;
    };
    const field = h("input", {
      type: "text",
      class: "sort-field",
      list: "sort-names",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "relevance",
      onchange: set,
    });
    field.value = this.settings.sort;
    return h(
      "label",
      { class: "option" },
      h("span", {}, "Sort", this.name && h("span", { class: "visually-hidden" }, ` of ${this.name}`)),
      field,
    );
  }

  /** Shows at the filter's field what the server says of it, and marks the place that it names. */
  complain(problem) {
    if (!this.complaint) return;
    const { field, text } = this.complaint;
    text.textContent = problem ?? "";
    field.toggleAttribute("aria-invalid", Boolean(problem));
    if (problem) field.setAttribute("aria-invalid", "true");
    const at = Number(/at character (\d+)/.exec(problem ?? "")?.[1]);
    if (!at) return;
    field.focus();
    field.setSelectionRange(at - 1, Math.max(at, field.value.slice(at - 1).search(/\s|$/) + at - 1));
  }

  #picker(legend, key, items, chosen, label) {
    const root = h("div", { class: "menu" });
    const picker = new Picker(root, {
      legend,
      className: "pill",
      label,
      changed: () => {
        this.settings[key] = [...picker.chosen];
      },
    });
    picker.fill(items, chosen);
    return { root, picker };
  }

  #types() {
    const label = (_items, chosen) => [
      h("span", { class: "visually-hidden" }, this.#named("Types: ")),
      chosen.size === 0 ? "every type" : chosen.size === 1 ? words([...chosen][0]) : `${chosen.size} types`,
    ];
    const items = TYPES.map((type) => ({ id: type, name: words(type) }));
    return this.#picker("Only these types", "types", items, this.settings.types, label).root;
  }

  #documents() {
    const label = (_items, chosen) => [
      h("span", { class: "visually-hidden" }, this.#named("Documents: ")),
      chosen.size === 0 ? "every document" : `${chosen.size} pinned`,
    ];
    const { root, picker } = this.#picker("Only these documents and versions", "documents", [], [], label);
    if (this.settings.documents.length) picker.menu.button.replaceChildren(`${this.settings.documents.length} pinned`);
    const fill = async () => {
      const open = picker.menu.button.getAttribute("aria-expanded") === "true";
      const items = await this.documents();
      picker.fill(items, this.settings.documents);
      if (open) picker.menu.button.click();
    };
    picker.menu.button.addEventListener("click", () => fill(), { once: true });
    return root;
  }

  /** Back to how it is without a word. */
  reset() {
    Object.assign(this.settings, plain());
  }
}
