// What the inspector shows, in one place. Parts listen for `document`, `pages`, `page`, `active`, `filter`, `skipped`, `reviewed`.

import { all, call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { hasPages } from "../lib/sources.js";

const KEPT_PAGES = 24;
const PAGES_AT_ONCE = 500;
// The flag of a part with rows that are no passages.
const ROWS_KEPT = "rows_not_searched";

export class State extends EventTarget {
  constructor(documentId) {
    super();
    this.id = documentId;
    this.document = null;
    this.pages = [];
    this.page = 0;
    // The number of the row that was asked for, where it is none of a passage.
    this.row = null;
    this.view = null;
    this.pinned = null;
    this.hovered = null;
    this.filter = { types: new Set(), below: null, flagged: false };
    this.showSkipped = false;
    // The pattern that is looked for in the document, and marked.
    this.found = null;
    this.editable = false;
    // Chunk id → what was decided about it.
    this.reviews = new Map();
    // Chunk id → the notes that correct it.
    this.corrections = new Map();
    this.cache = new Map();
  }

  on(name, listener) {
    this.addEventListener(name, (event) => listener(event.detail ?? {}));
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  get chunks() {
    return this.view?.items ?? [];
  }

  get active() {
    return this.pinned ?? this.hovered;
  }

  get running() {
    return this.document.status === "queued" || this.document.status === "running";
  }

  /** Whether the source has pages to be seen; else its parts are shown as text. */
  get paged() {
    return hasPages(this.document.source_type);
  }

  /** The address of a page's picture. It names the run, so that a browser keeps it. */
  imageOf(page, more = "") {
    return `/v1/documents/${this.id}/pages/${page}/image?run=${this.document.ingestion_id}${more}`;
  }

  chunk(id) {
    return this.chunks.find((item) => item.id === id);
  }

  /** The grid of the table that `chunk` is, or is a row of; null for any other chunk. */
  tableOf(chunk) {
    if (!chunk.table_id) return null;
    return this.chunks.find((item) => item.table && item.table_id === chunk.table_id)?.table ?? null;
  }

  /** The chunks that pass the filter, in document order. */
  get shown() {
    const { types, below, flagged } = this.filter;
    return this.chunks.filter(
      (item) =>
        (types.size === 0 || types.has(item.chunk_type)) &&
        (below === null || item.confidence < below) &&
        (!flagged || item.flags.length > 0),
    );
  }

  /** `soon` is the page that is opened next: it is asked for beside the list of all pages. */
  async load(soon = 0) {
    this.document = await call(`/v1/documents/${this.id}`);
    this.emit("document");
    if (soon > 0 && soon <= this.document.pages && !this.running) this.#begin(soon);
    await this.loadPages();
  }

  #begin(page) {
    this.fetchPage(page).catch(() => {});
    if (this.paged) h("img", { fetchpriority: "high" }).src = this.imageOf(page);
  }

  async loadPages() {
    this.pages = await all(`/v1/documents/${this.id}/pages?limit=${PAGES_AT_ONCE}`);
    this.emit("pages");
  }

  /** Whether a page has rows that are no passages; of any page without `number`. */
  keepsRows(number = null) {
    const pages = number === null ? this.pages : this.pages.slice(number - 1, number);
    return pages.some((one) => one.flags.includes(ROWS_KEPT));
  }

  fetchPage(number, row = number === this.page ? this.row : null) {
    const rows = row !== null || this.keepsRows(number) ? `&row=${row ?? 1}` : "";
    const key = `${number}${rows}`;
    if (!this.cache.has(key)) {
      // While the document is read its lines are there before its chunks; what has no pages is drawn from both.
      const include = this.paged ? (this.running ? "?include=fragments" : "") : "?include=fragments,operations";
      const view = call(`/v1/documents/${this.id}/pages/${number}${include}${include && rows}`);
      view.catch(() => this.cache.delete(key));
      this.cache.set(key, view);
      if (this.cache.size > KEPT_PAGES) this.cache.delete(this.cache.keys().next().value);
    }
    return this.cache.get(key);
  }

  /** Opens a page and pins `chunk` on it; `chunk` may also be "first" or "last". `row`: at a row that is no passage. */
  async open(number, chunk = null, { push = false, row = null } = {}) {
    const page = Math.min(Math.max(1, number), Math.max(1, this.pages.length));
    this.page = page;
    this.row = row;
    this.emit("turning");
    const view = await this.fetchPage(page);
    if (this.page !== page || this.row !== row) return;
    this.view = view;
    this.hovered = null;
    this.pinned = this.#resolve(chunk);
    this.emit("page");
    this.#address(push);
    this.emit("active", { origin: "open" });
  }

  /** Takes over what has come of the open page since, at the place where the reader is: nothing is drawn where nothing
   * has come, and a pinned chunk stays pinned, under the id that it has now. */
  async refresh() {
    const { page } = this;
    this.cache.clear();
    const view = await this.fetchPage(page);
    if (this.page !== page || JSON.stringify(view) === JSON.stringify(this.view)) return;
    const before = this.chunk(this.pinned);
    this.view = view;
    this.hovered = null;
    this.pinned = before ? (this.chunks.find((item) => item.id === before.id || item.content === before.content)?.id ?? null) : null;
    this.emit("page", { again: true });
    this.#address(false);
    this.emit("active", { origin: "again" });
  }

  #resolve(chunk) {
    if (chunk === "first") return this.shown.at(0)?.id ?? null;
    if (chunk === "last") return this.shown.at(-1)?.id ?? null;
    return this.chunk(chunk)?.id ?? null;
  }

  #address(push) {
    const url = new URL(location.href);
    url.searchParams.set("page", this.page);
    if (this.pinned) url.searchParams.set("chunk", this.pinned);
    else url.searchParams.delete("chunk");
    if (this.row) url.searchParams.set("row", this.row);
    else url.searchParams.delete("row");
    if (url.href === location.href) return;
    history[push ? "pushState" : "replaceState"](null, "", url);
  }

  hover(id, origin) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.emit("active", { origin, preview: true });
  }

  pin(id, origin) {
    this.pinned = id === this.pinned ? null : id;
    this.#address(false);
    this.emit("active", { origin });
  }

  release() {
    this.pinned = null;
    this.hovered = null;
    this.#address(false);
    this.emit("active", { origin: "keys" });
  }

  /** Next (+1) or previous (-1) chunk; goes over to the neighbouring page at the ends. */
  async step(by) {
    const shown = this.shown;
    const at = shown.findIndex((item) => item.id === this.active);
    const to = at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by;
    if (shown[to]) {
      this.pinned = shown[to].id;
      this.hovered = null;
      this.#address(false);
      this.emit("active", { origin: "keys" });
    } else if (this.pages[this.page - 1 + by]) {
      await this.open(this.page + by, by > 0 ? "first" : "last");
    }
  }

  setFilter(change) {
    Object.assign(this.filter, change);
    if (this.pinned && !this.shown.some((item) => item.id === this.pinned)) this.release();
    this.emit("filter");
  }

  setSkipped(yes) {
    this.showSkipped = yes;
    this.emit("skipped");
  }
}
