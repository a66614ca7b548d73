// The rows of the list, kept while what they show stays the same: what is read, typed or pointed at is not taken away
// because something else in the list has changed.

import { keepChildren } from "../lib/dom.js";
import { focusAgain, focusedName } from "../lib/focus.js";
import { age } from "../lib/format.js";
import { row, rowsAround } from "./rows.js";

const LATER = 50; // milliseconds after which it is looked again whether a press has ended

/** Everything that the row of `item` is made of. */
function shownOf(item, { together, writable, approvedOnly }) {
  const others = together.map(({ id, name, logical_document_id, published_at, version }) => [id, name, logical_document_id, published_at, version]);
  return JSON.stringify([item, others, writable, approvedOnly, age(item.created_at), item.reviewed_at && age(item.reviewed_at)]);
}

const isOpen = (node) => node.querySelector(".menu-button[aria-expanded=true]") !== null;

export class RowList {
  constructor() {
    this.list = document.createElement("ul");
    this.list.className = "plain";
    this.list.setAttribute("aria-label", "Documents");
    this.node = rowsAround(this.list);
    this.rows = new Map();
    this.list.addEventListener("menuclosed", () => this.#drawLater());
  }

  /** The click that closes a menu comes to its end before its row is drawn anew. */
  #drawLater() {
    setTimeout(() => (this.list.matches(":active") ? this.#drawLater() : this.draw(...this.drawn)), LATER);
  }

  /** Shows `documents` in this order, with `options` as in `row`. A row whose menu is open changes when that is closed. */
  draw(documents, options) {
    this.drawn = [documents, options];
    this.rows = new Map(documents.map((item) => [item.id, this.#kept(item, options)]));
    const focused = focusedName(this.list);
    keepChildren(this.list, [...this.rows.values()].map(({ node }) => node));
    for (const box of this.list.querySelectorAll("[data-choose]")) box.checked = options.chosen.has(box.dataset.choose);
    focusAgain(this.node, focused);
  }

  #kept(item, options) {
    const known = this.rows.get(item.id);
    const shown = shownOf(item, options);
    if (known && (known.shown === shown || isOpen(known.node))) return known;
    return { node: row(item, options), shown };
  }
}
