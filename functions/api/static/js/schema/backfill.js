// How far documents are read under the present version: followed, stopped, taken up again.

import { call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { count, dollars, duration, plural, roughly } from "../lib/format.js";
import { failure } from "../lib/notice.js";

const EVERY_MS = 1500;

/** Follows the backfill at `path`; `ended` is called when one that ran has ended. */
export class BackfillPanel {
  constructor(path, writable, ended) {
    Object.assign(this, { path, writable, ended, timer: 0, turn: 0 });
    this.place = byId("backfill");
  }

  /** Shows `found`, and follows it while it runs. */
  show(found) {
    clearTimeout(this.timer);
    this.turn += 1;
    const focused = document.activeElement?.id;
    this.place.replaceChildren(...(found ? [this.panel(found)] : []));
    if (focused?.startsWith("backfill-")) (byId(focused) ?? this.place.querySelector("button"))?.focus();
    if (found?.status === "running") this.timer = setTimeout(() => this.follow(), this.writable ? 100 : EVERY_MS);
  }

  async follow() {
    const { turn } = this;
    try {
      const found = this.writable ? await post(`${this.path}/backfill/continue`) : await call(`${this.path}/backfill`);
      if (turn !== this.turn) return;
      const stuck = found.status === "running" && found.documents_done === this.done;
      this.done = found.documents_done;
      this.show(found);
      if (stuck) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.follow(), EVERY_MS * 2);
      }
      if (found.status !== "running") {
        announce(found.status === "done" ? "All documents are read" : "Reading is stopped");
        await this.ended();
      }
    } catch (error) {
      this.trouble(error);
    }
  }

  trouble(error) {
    this.place.replaceChildren(failure(error, { safe: "What is read stays, and the background goes on with the rest.", compact: true, retry: () => this.follow() }));
  }

  async set(what) {
    try {
      this.show(await post(`${this.path}/backfill/${what}`));
    } catch (error) {
      this.trouble(error);
    }
  }

  panel(found) {
    const { status, documents, documents_done: done, chunks, chunks_done: read, seconds } = found;
    const left = read ? ((chunks - read) * seconds) / read : null;
    const names = found.names.length > 4 ? `${found.names.slice(0, 4).join(", ")} and ${found.names.length - 4} more` : found.names.join(", ");
    const button = (what, label) => this.writable && h("button", { type: "button", class: "button small", id: `backfill-${what}`, onclick: () => this.set(what) }, label);
    const result = `${count(found.found)} values found, ${count(found.refused)} left out · ${duration(seconds)} of work · ${dollars(found.cost_usd)}`;
    const unread = found.unread > 0 && h("p", { class: "attr-conflict" }, `${plural(found.unread, "document")} could not be read: ${found.error}`);
    if (status === "done") return h("div", { class: "attr-backfill done" }, h("p", {}, documents ? `Version ${found.version} is read: ${plural(documents, "document")}, ${result}` : `Version ${found.version} holds; no document had to be read for it.`), unread);
    return h(
      "section",
      { class: "attr-backfill", "aria-label": "Reading of documents" },
      h("p", {}, h("b", {}, status === "running" ? "Reading documents for " : "Stopped while reading "), names || "what is other"),
      h("progress", { max: Math.max(1, chunks), value: read, "aria-label": "Read so far" }),
      h("p", { class: "muted" }, `${count(done)} of ${plural(documents, "document")}, ${count(read)} of ${plural(chunks, "chunk")}`, status === "running" && left !== null ? ` · about ${roughly(left)} left` : "", ` · ${result}. Searching goes on meanwhile.`),
      unread,
      status === "running" ? button("cancel", "Stop") : button("resume", "Go on"),
    );
  }
}
