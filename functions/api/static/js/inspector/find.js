// Finds exact words in the whole document: how often, and from one place to the next. Case and line ends are no matter.

import { call } from "../lib/api.js";
import { announce, byId, settled } from "../lib/dom.js";
import { count } from "../lib/format.js";

const WAIT = 200;
const ROWS_FOUND = 200;

/** What is typed as a pattern: any white space for a space, everything else as it is. */
export function patternOf(text) {
  const words = text.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(words.join("\\s+"), "giu");
}

export class Find {
  constructor(state) {
    this.state = state;
    this.bar = byId("find-bar");
    this.input = byId("find-input");
    this.said = byId("find-said");
    this.texts = null;
    this.places = [];
    this.at = -1;
    this.more = false;
    this.turn = 0;
    this.input.addEventListener("input", settled(() => this.#search(), WAIT));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    byId("find-next").addEventListener("click", () => this.step(1));
    byId("find-previous").addEventListener("click", () => this.step(-1));
    byId("find-close").addEventListener("click", () => this.close());
    byId("find-open").addEventListener("click", () => this.open());
    for (const name of ["edited", "document"]) state.on(name, () => this.#forget());
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "f" || event.altKey || event.shiftKey || !(event.metaKey || event.ctrlKey)) return;
      // A second press is the browser's own.
      if (document.activeElement === this.input || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.open();
    });
  }

  open() {
    this.bar.hidden = false;
    this.input.focus();
    this.input.select();
    this.#read();
  }

  close() {
    this.bar.hidden = true;
    this.#mark("");
    byId("stage").focus();
  }

  #forget() {
    this.texts = null;
  }

  /** The text of every chunk, read once: [{id, page, content}] in document order. A table is found by its rows. */
  #read() {
    this.texts ??= this.#readAll().catch((error) => {
      this.texts = null;
      throw error;
    });
    return this.texts;
  }

  async #readAll() {
    const chunks = [];
    const base = `/v1/documents/${this.state.id}/chunks?limit=200`;
    let cursor = "";
    do {
      const part = await call(cursor ? `${base}&cursor=${encodeURIComponent(cursor)}` : base);
      for (const { id, boxes, content, chunk_type: type, table_id: table } of part.items)
        chunks.push({ id, page: boxes[0]?.page ?? 1, content, type, table });
      cursor = part.next_cursor;
    } while (cursor);
    const rows = new Set(chunks.filter((item) => item.type === "table_row").map((item) => item.table));
    return chunks.filter((item) => item.type !== "table" || !rows.has(item.table));
  }

  /** The first rows with these words among those that are no passages. */
  async #rows(text) {
    if (!this.state.keepsRows()) return [];
    return call(`/v1/documents/${this.state.id}/rows?words=${encodeURIComponent(text)}&limit=${ROWS_FOUND}`);
  }

  async #search() {
    const text = this.input.value.trim();
    this.turn += 1;
    const { turn } = this;
    if (!text) {
      this.places = [];
      this.#mark("");
      this.#say("");
      return;
    }
    this.#say("Reading the text…");
    try {
      const [chunks, rows] = await Promise.all([this.#read(), this.#rows(text)]);
      if (turn !== this.turn) return;
      const pattern = patternOf(text);
      this.more = rows.length >= ROWS_FOUND;
      this.places = chunks.flatMap(({ id, page, content }) => [...content.matchAll(pattern)].map(() => ({ id, page })));
      this.places.push(...rows.map(({ page, row }) => ({ id: null, page, row })));
      this.places.sort((one, other) => one.page - other.page);
      this.#mark(text);
      // From the page that is open onwards, as one reads.
      const from = this.places.findIndex((place) => place.page >= this.state.page);
      this.#go(Math.max(0, from));
    } catch (error) {
      this.#say(error.detail || error.message);
    }
  }

  step(by) {
    if (this.places.length) this.#go((this.at + by + this.places.length) % this.places.length);
  }

  async #go(at) {
    this.at = at;
    const place = this.places[at];
    if (!place) {
      this.#say("nothing found");
      return;
    }
    this.#say(`${count(at + 1)} of ${count(this.places.length)}${this.more ? " and more" : ""}`);
    announce(`${at + 1} of ${this.places.length}, page ${place.page}`);
    const there = this.state.page === place.page && this.state.pinned === place.id && this.state.row === (place.row ?? null);
    if (!there) await this.state.open(place.page, place.id, { row: place.row ?? null });
  }

  #mark(text) {
    this.state.found = text ? patternOf(text) : null;
    this.state.emit("found");
  }

  #say(text) {
    this.said.textContent = text;
    for (const id of ["find-next", "find-previous"]) byId(id).disabled = this.places.length === 0;
  }

  #key(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.close();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.step(event.shiftKey ? -1 : 1);
  }
}
