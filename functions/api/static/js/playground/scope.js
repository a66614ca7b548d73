// What is searched: knowledge bases with their counts. The choice is remembered in this browser.

import { organization } from "../lib/account.js";
import { all } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { Picker } from "../lib/menu.js";

const KEPT = `autri-scope-${organization ?? ""}`;

/** Ids chosen before; none where all were, so that what is added since is among them. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? [];
  } catch {
    return [];
  }
}

export class Scope {
  constructor(root, changed) {
    this.items = [];
    this.picker = new Picker(root, {
      legend: "Search in",
      className: "button",
      least: 1,
      label: (_items, chosen) => this.#label(chosen),
      changed: () => {
        this.#remember();
        changed();
      },
    });
  }

  get total() {
    return this.items.reduce((sum, kb) => sum + kb.chunks, 0);
  }

  get ids() {
    return [...this.picker.chosen];
  }

  #remember() {
    const all = areAll(this.items.filter((kb) => this.picker.chosen.has(kb.id)), this.items);
    try {
      localStorage.setItem(KEPT, JSON.stringify(all ? [] : this.ids));
    } catch {
      // A browser that keeps nothing asks everywhere next time.
    }
  }

  /** Reads the knowledge bases; `slugs` (comma separated) or `ids` are chosen, else those chosen before, else all that hold
   * something. */
  async load(slugs, ids = []) {
    if (!this.items.length) this.items = await all("/v1/knowledge-bases");
    const wanted = new Set([...(slugs ?? "").split(",").filter(Boolean), ...ids]);
    const among = (names) => this.items.filter((kb) => names.has(kb.slug) || names.has(kb.id));
    const named = wanted.size ? among(wanted) : among(new Set(remembered()));
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
    const documents = chosen.reduce((sum, kb) => sum + kb.documents, 0);
    return [h("span", { class: "scope-name" }, nameOf(chosen, this.items)), h("small", {}, plural(documents, "document"))];
  }

  /** What is chosen, in a few words. */
  inWords() {
    const name = nameOf(this.items.filter((kb) => this.picker.chosen.has(kb.id)), this.items);
    return name.replace(/^All/, "all");
  }

  /** Chosen slugs, always written out: what an address finds does not change with the next knowledge base. */
  slugs() {
    return this.items
      .filter((kb) => this.picker.chosen.has(kb.id))
      .map((kb) => kb.slug)
      .join(",");
  }
}

function nameOf(chosen, items) {
  if (chosen.length === 1) return chosen[0].name;
  return areAll(chosen, items) ? "All knowledge bases" : plural(chosen.length, "knowledge base");
}

/** Whether all are chosen that hold something: in the others there is nothing to ask. */
const areAll = (chosen, items) => items.every((kb) => chosen.includes(kb) || !kb.chunks) && chosen.length > 0;
