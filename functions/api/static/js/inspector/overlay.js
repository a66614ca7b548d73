// <page-overlay>: every box of a page as percentages over its image, so that zooming recomputes nothing.
// Smaller boxes lie above larger ones: the rows of a table are reached before the table.

import { h } from "../lib/dom.js";

class PageOverlay extends HTMLElement {
  #boxes = new Map();
  #label = h("span", { class: "box-label" });
  #marks = h("div", { class: "marks" });
  #lines = h("div", { class: "cell-lines" });
  #cells = [];
  #cell = null;
  #active = null;
  #preview = null;
  #last = "";

  connectedCallback() {
    this.addEventListener("pointermove", (event) => this.#moved(event));
    this.addEventListener("pointerleave", () => {
      this.#tell("box-hover", null);
      this.#overCell(null);
    });
    this.addEventListener("click", (event) =>
      this.#tell("box-pick", event.target.closest(".box")?.dataset.key ?? null),
    );
  }

  /** Boxes as {key, type, label, flagged, rect: {x, y, w, h}}; a key may own several. */
  set boxes(list) {
    this.#boxes.clear();
    this.#active = null;
    this.#preview = null;
    const sorted = [...list].sort((one, two) => two.rect.w * two.rect.h - one.rect.w * one.rect.h);
    this.replaceChildren(...sorted.map((box) => this.#make(box)), this.#lines, this.#marks);
    this.#marks.replaceChildren();
  }

  #make(box) {
    const skipped = box.type === "skipped";
    const node = h("div", {
      class: `box${box.flagged ? " flagged" : ""}`,
      data: { key: box.key, type: box.type, label: box.label },
    });
    place(node, box.rect);
    if (skipped) node.title = box.label;
    this.#boxes.set(box.key, [...(this.#boxes.get(box.key) ?? []), node]);
    return node;
  }

  /** Only boxes whose key is in `keys` (a Set) are shown; null shows all. */
  filter(keys) {
    for (const [key, nodes] of this.#boxes)
      for (const node of nodes) node.hidden = keys !== null && node.dataset.type !== "skipped" && !keys.has(key);
  }

  /** Marks the active pair's box and, while one is pinned, the one that is previewed. */
  highlight(active, preview, pinned) {
    this.#swap("active", this.#active, active);
    this.#swap("preview", this.#preview, preview === active ? null : preview);
    this.#active = active;
    this.#preview = preview === active ? null : preview;
    for (const node of this.#boxes.get(active) ?? []) node.classList.toggle("pinned", pinned);
    this.#tag(preview ?? active);
  }

  #swap(name, from, to) {
    if (from === to) return;
    for (const node of this.#boxes.get(from) ?? []) node.classList.remove(name, "pinned");
    for (const node of this.#boxes.get(to) ?? []) node.classList.add(name);
  }

  #tag(key) {
    const node = this.#boxes.get(key)?.[0];
    if (!node) {
      this.#label.remove();
      return;
    }
    this.#label.textContent = node.dataset.label;
    this.#label.dataset.type = node.dataset.type;
    if (this.#label.parentNode !== node) node.append(this.#label);
  }

  /** Draws thin marks over rects, e.g. the fragments of an operation. */
  mark(rects) {
    this.#marks.replaceChildren(...rects.map((rect) => place(h("div", { class: "mark" }), rect)));
  }

  /** Draws the cells of a table as {key, row, rows, header, rect}; an empty list draws none. */
  set grid(cells) {
    this.#cells = cells.map((cell) => ({
      ...cell,
      node: place(h("div", { class: `cell-line${cell.header ? " header" : ""}`, data: { cell: cell.key } }), cell.rect),
    }));
    this.#cell = null;
    this.#lines.replaceChildren(...this.#cells.map((cell) => cell.node));
  }

  /** Marks one cell and the row that it begins in; null marks none. */
  markCell(key) {
    const here = this.#cells.find((cell) => cell.key === key);
    for (const cell of this.#cells) {
      cell.node.classList.toggle("here", cell === here);
      cell.node.classList.toggle("in-row", Boolean(here) && cell.row <= here.row && here.row < cell.row + cell.rows);
    }
  }

  /** The first element of a key, for measuring. */
  nodeOf(key) {
    return this.#boxes.get(key)?.[0] ?? null;
  }

  get size() {
    return this.#boxes.size;
  }

  #moved(event) {
    const at = `${event.clientX},${event.clientY}`;
    if (at === this.#last || event.pointerType === "touch") return;
    this.#last = at;
    this.#overCell(event);
    const box = event.target.closest(".box");
    this.#tell("box-hover", box && box.dataset.type !== "skipped" ? box.dataset.key : null);
  }

  #overCell(event) {
    if (!this.#cells.length) return;
    const key = event && this.#cellAt(event);
    if (key === this.#cell) return;
    this.#cell = key;
    this.#tell("cell-hover", key);
  }

  #cellAt({ clientX, clientY }) {
    const port = this.getBoundingClientRect();
    const [x, y] = [(clientX - port.left) / port.width, (clientY - port.top) / port.height];
    const inside = ({ rect }) => rect.x <= x && x < rect.x + rect.w && rect.y <= y && y < rect.y + rect.h;
    return this.#cells.find(inside)?.key ?? null;
  }

  #tell(name, key) {
    this.dispatchEvent(new CustomEvent(name, { detail: key }));
  }
}

function place(node, { x, y, w, h: height }) {
  node.style.left = `${x * 100}%`;
  node.style.top = `${y * 100}%`;
  node.style.width = `${w * 100}%`;
  node.style.height = `${height * 100}%`;
  return node;
}

customElements.define("page-overlay", PageOverlay);
