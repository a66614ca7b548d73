// Notes beside what they correct, writing one, and what a version has that the one before has not.

import { call } from "../lib/api.js";
import { correctionQuote } from "../lib/correction.js";
import { byId, h } from "../lib/dom.js";
import { count, versionName } from "../lib/format.js";

/** Opens the box for a note that corrects `chunk`. */
export function correct(chunk) {
  const corrects = { document_id: chunk.document_id, chunk_id: chunk.id, text: chunk.content };
  document.dispatchEvent(new CustomEvent("note-wanted", { detail: { corrects, base: chunk.knowledge_base_id } }));
}

export class Corrections {
  constructor(state) {
    this.state = state;
    document.addEventListener("note-saved", () => this.load());
  }

  /** Reads the notes that correct this document; those of no chunk that is still there stand above the cards. */
  async load() {
    const notes = await call(`/v1/documents/${this.state.id}/corrections`);
    this.state.corrections = Map.groupBy(notes.filter((note) => note.chunk_id), (note) => note.chunk_id);
    const others = notes.filter((note) => !note.chunk_id);
    byId("corrections").hidden = others.length === 0;
    byId("corrections").replaceChildren(...others.map(correctionQuote));
    if (this.state.corrections.size && this.state.view) this.state.emit("filter");
  }
}

/** What is other than in the version before, with the way to see it; of a note, the way to revise it. */
export async function showChanges(state) {
  const { id, document: item } = state;
  const parts = [];
  if (item.version.index > 1) {
    const found = await call(`/v1/documents/${id}/changes`);
    if (found) parts.push(changesLink(id, found));
  }
  if (item.source_type === "note" && item.version.is_current && byId("note-open")) parts.push(reviseButton(item));
  byId("changes").replaceChildren(...parts);
}

function changesLink(id, found) {
  const said = ["changed", "added", "removed"].filter((kind) => found[kind]).map((kind) => `${count(found[kind])} ${kind}`);
  const before = versionName({ version: found.before }, "version ");
  const title = `Chunks since ${before}; ${count(found.same)} are the same`;
  return h("a", { class: "pill changes", href: `/documents/${found.before_id}/diff/${id}`, title }, said.join(" · ") || "nothing changed", h("span", { class: "visually-hidden" }, ` since ${before}`));
}

/** The revision is the current version from then on: its page follows. */
function reviseButton(item) {
  const revise = async () => {
    const revises = await call(`/v1/documents/${item.id}/note`);
    document.addEventListener("note-saved", ({ detail }) => detail.id !== item.id && location.assign(`/documents/${detail.id}`), { once: true });
    document.dispatchEvent(new CustomEvent("note-wanted", { detail: { revises, base: item.knowledge_base_id } }));
  };
  return h("button", { type: "button", class: "button small", onclick: revise }, "Revise");
}
