// Sends edits and takes them back. An edit names chunks and lines, never text; afterwards the page is drawn anew.

import { call, post } from "../lib/api.js";
import { announce } from "../lib/dom.js";
import { words } from "../lib/format.js";

export const KINDS = {
  merge: "Merged",
  split: "Split",
  retype: "Type changed",
  resection: "Section changed",
  furniture: "Left out",
  restore: "Brought back",
  unflag: "Flag cleared",
};
const WHOLE = new Set(["table", "table_row", "figure", "structured"]);

/** Chunks whose lines may be joined with a neighbour's. */
export const joins = (chunk) => !WHOLE.has(chunk.chunk_type);

/** Makes edits one at a time; listeners of `edit` are told {busy, text, error, last}. */
export class Editor {
  constructor(state) {
    this.state = state;
    this.busy = false;
    this.last = null;
  }

  /** Makes one edit of the pinned chunk or page. */
  make(edit) {
    const body = { revision: this.state.document.revision, edit };
    return this.#send(`${this.#base}`, body, (done) => {
      this.last = done.edit;
      return KINDS[done.edit.kind];
    });
  }

  undo(edit) {
    const body = { revision: this.state.document.revision };
    return this.#send(`${this.#base}/${edit.id}/undo`, body, () => {
      this.last = null;
      return `Undone: ${words(edit.kind)}`;
    });
  }

  async undoLast() {
    if (this.last) return this.undo(this.last);
    const { items } = await call(`${this.#base}?limit=50`);
    const last = items.find((item) => !item.undone_at);
    return last ? this.undo(last) : this.#tell({ text: "There is nothing to undo." });
  }

  get #base() {
    return `/v1/documents/${this.state.id}/edits`;
  }

  async #send(path, body, said) {
    if (this.busy) {
      this.#tell({ busy: true, text: "The edit before is still being saved. Do this again in a moment." });
      return;
    }
    this.busy = true;
    this.#tell({ busy: true, text: "Saving…" });
    try {
      const done = await post(path, body);
      const text = said(done);
      await this.#redraw(done);
      this.busy = false;
      this.#tell({ text: `${text} · saved`, saved: true });
    } catch (error) {
      this.busy = false;
      this.#tell({ error });
    }
  }

  /** The page as it is now, with what the edit left pinned. */
  async #redraw(done) {
    const { state } = this;
    const { page } = state;
    state.cache.clear();
    await state.load();
    const here = done.chunks.find((chunk) => chunk.boxes.some((box) => box.page === page));
    const kept = here ?? done.chunks[0];
    await state.open(kept && !here ? kept.boxes[0].page : page, kept?.id ?? null);
    state.emit("edited");
  }

  /** After somebody else's edit: what there is now. */
  async reload() {
    const { state } = this;
    state.cache.clear();
    await state.load();
    await state.open(state.page, state.pinned);
    this.#tell({ text: "Loaded again." });
    state.emit("edited");
  }

  #tell(detail) {
    const text = detail.error ? detail.error.detail || detail.error.message : detail.text;
    announce(text);
    this.state.emit("edit", { last: this.last, ...detail });
  }
}
