// What is searched: knowledge bases with their counts.

import { all } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { Picker } from "../lib/menu.js";

export class Scope {
  constructor(root, changed) {
    this.items = [];
    this.picker = new Picker(root, {
      legend: "Search in",
      className: "button",
      least: 1,
      label: (_items, chosen) => this.#label(chosen),
      changed,
    });
  }

  get total() {
    return this.items.reduce((sum, kb) => sum + kb.chunks, 0);
  }

  get ids() {
    return [...this.picker.chosen];
  }

  /** Reads the knowledge bases; `slugs` (comma separated) or `ids` are chosen, else all that hold something. */
  async load(slugs, ids = []) {
    if (!this.items.length) this.items = await all("/v1/knowledge-bases");
    const wanted = new Set([...(slugs ?? "").split(",").filter(Boolean), ...ids]);
    const named = this.items.filter((kb) => wanted.has(kb.slug) || wanted.has(kb.id));
    const filled = this.items.filter((kb) => kb.chunks > 0);
    const chosen = named.length ? named : filled.length ? filled : this.items;
    this.picker.fill(
      this.items.map((kb) => ({
        id: kb.id,
        name: kb.name,
        note: `${kb.restricted ? "restricted, " : ""}${plural(kb.documents, "document")}, ${count(kb.chunks)} chunks`,
      })),
      chosen.map((kb) => kb.id),
    );
  }

  #label(ids) {
    const chosen = this.items.filter((kb) => ids.has(kb.id));
    const chunks = chosen.reduce((sum, kb) => sum + kb.chunks, 0);
    const name =
      chosen.length === 1
        ? chosen[0].name
        : chosen.length === this.items.length
          ? "All knowledge bases"
          : plural(chosen.length, "knowledge base");
    return [h("span", { class: "scope-name" }, name), h("small", {}, `${count(chunks)} chunks`)];
  }

  /** Chosen slugs, always written out: what an address finds does not change with the next knowledge base. */
  slugs() {
    return this.items
      .filter((kb) => this.picker.chosen.has(kb.id))
      .map((kb) => kb.slug)
      .join(",");
  }
}
