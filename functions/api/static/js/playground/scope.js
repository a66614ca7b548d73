// What is searched: knowledge bases with their counts, and whether older versions count.

import { all } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";

export class Scope {
  constructor(root) {
    this.root = root;
    this.items = [];
    this.chosen = new Set();
    this.superseded = false;
  }

  get total() {
    return this.items.reduce((sum, kb) => sum + kb.chunks, 0);
  }

  /** Reads the knowledge bases; `slugs` (comma separated) are chosen, else all that hold something. */
  async load(slugs) {
    this.items = await all("/v1/knowledge-bases");
    const wanted = new Set((slugs ?? "").split(",").filter(Boolean));
    const named = this.items.filter((kb) => wanted.has(kb.slug));
    const chosen = named.length ? named : this.items.filter((kb) => kb.chunks > 0);
    this.chosen = new Set(chosen.map((kb) => kb.id));
    const panel = h(
      "fieldset",
      { class: "scope-panel" },
      h("legend", {}, "Search in"),
      this.items.map((kb) => this.#choice(kb)),
      h("hr"),
      this.#older(),
    );
    this.menu = attachMenu(this.root, "", panel, "button");
    this.#label();
  }

  #choice(kb) {
    const toggle = (event) => {
      if (event.target.checked) this.chosen.add(kb.id);
      else this.chosen.delete(kb.id);
      if (this.chosen.size === 0) {
        this.chosen.add(kb.id);
        event.target.checked = true;
      }
      this.#label();
    };
    return h(
      "label",
      { class: "scope-item" },
      h("input", { type: "checkbox", checked: this.chosen.has(kb.id), onchange: toggle }),
      h("span", {}, kb.name),
      h("small", {}, `${plural(kb.documents, "document")}, ${count(kb.chunks)} chunks`),
    );
  }

  #older() {
    const toggle = (event) => {
      this.superseded = event.target.checked;
      this.#label();
    };
    return h(
      "label",
      { class: "scope-item" },
      h("input", { type: "checkbox", onchange: toggle }),
      h("span", {}, "older versions, too"),
      h("small", {}, "else current ones only"),
    );
  }

  #label() {
    const chosen = this.items.filter((kb) => this.chosen.has(kb.id));
    const chunks = chosen.reduce((sum, kb) => sum + kb.chunks, 0);
    const name =
      chosen.length === 1
        ? chosen[0].name
        : chosen.length === this.items.length
          ? "All knowledge bases"
          : plural(chosen.length, "knowledge base");
    this.menu.button.replaceChildren(
      h("span", { class: "scope-name" }, name),
      h("small", {}, `${count(chunks)} chunks${this.superseded ? ", all versions" : ""}`),
    );
  }

  body() {
    return { knowledge_base_ids: [...this.chosen], include_superseded: this.superseded };
  }

  slugs() {
    const chosen = this.items.filter((kb) => this.chosen.has(kb.id));
    return chosen.length === this.items.length ? "" : chosen.map((kb) => kb.slug).join(",");
  }
}
