// The right side's list of chunks, kept in step with the page.

import { announce, byId, settled } from "../lib/dom.js";
import { count, words } from "../lib/format.js";
import { emptiness } from "../lib/notice.js";
import { makeCard } from "./card.js";
import { VirtualList } from "./virtual.js";

const REST = 50; // milliseconds a pointer rests on a box before the list moves to its card

export class Cards {
  constructor(state) {
    this.state = state;
    this.scroller = byId("cards");
    this.list = new VirtualList(
      this.scroller,
      (chunk, at, total) => this.#make(chunk, at, total),
      () => state.active,
    );
    this.open = null;
    this.marked = new Set();
    this.last = "";
    this.follow = settled(() => {
      if (state.active) this.list.reveal(state.active);
    }, REST);
    state.on("page", () => this.#fill());
    state.on("filter", () => this.#fill());
    state.on("active", (detail) => this.#activate(detail));
    this.#listen();
  }

  #listen() {
    const at = (event) => event.target.closest?.(".card")?.dataset.chunk ?? null;
    this.scroller.addEventListener("pointermove", (event) => {
      const point = `${event.clientX},${event.clientY}`;
      if (point === this.last || event.pointerType === "touch") return;
      this.last = point;
      this.state.hover(at(event), "cards");
    });
    this.scroller.addEventListener("pointerleave", () => this.state.hover(null, "cards"));
    this.scroller.addEventListener("focusin", (event) => {
      if (event.target.matches(".card:focus-visible")) this.state.hover(at(event), "cards");
    });
    this.scroller.addEventListener("click", (event) => this.#clicked(event, at(event)));
    this.scroller.addEventListener("keydown", (event) => {
      if (!event.target.matches(".card") || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.state.pin(at(event), "cards");
    });
  }

  #clicked(event, id) {
    const link = event.target.closest("a[data-page]");
    if (link) {
      event.preventDefault();
      this.state.open(Number(link.dataset.page), id, { push: true });
      return;
    }
    if (id && !event.target.closest("a, button, .grid, .attrs") && getSelection().isCollapsed) this.state.pin(id, "cards");
  }

  #make(chunk, at, total) {
    const { active, pinned, hovered, page } = this.state;
    return makeCard(chunk, at, total, { page, active, pinned, preview: pinned ? hovered : null, table: this.state.tableOf(chunk) });
  }

  #fill() {
    const { shown, chunks } = this.state;
    this.open = this.state.pinned;
    byId("chunk-count").textContent = count(chunks.length);
    this.list.set(shown);
    this.scroller.setAttribute("aria-busy", "false");
    if (shown.length === 0) this.list.runway.replaceChildren(this.#nothing(chunks.length));
  }

  #nothing(all) {
    if (all) return emptiness("No chunk passes the filter", `${count(all)} on this page are hidden by it.`);
    const { status, flags } = this.state.view;
    const failed = status === "failed";
    if ((flags ?? []).includes("no_text_layer"))
      return emptiness(
        "This page is a picture that nobody read",
        "Install tesseract with the language of the page, or set AUTRI_OCR=auto, then ingest the document again.",
      );
    return emptiness(
      "No chunks on this page",
      failed
        ? "It could not be read."
        : this.state.running
          ? "The document is still being read."
          : "There is no text to keep: see “skipped” and Page text for what stands on it.",
    );
  }

  #activate({ origin, preview }) {
    const { active, pinned, hovered } = this.state;
    if (this.open !== pinned) {
      const before = this.open;
      this.open = pinned;
      if (before) this.list.refresh(before);
      if (pinned) this.list.refresh(pinned);
    }
    this.#mark(active, pinned, hovered);
    if (origin === "cards" && !this.open) return;
    if (preview && (origin === "cards" || pinned)) return;
    if (preview) this.follow();
    else if (active) this.list.reveal(active);
    if (origin === "keys" && active) this.#say(active);
  }

  #mark(active, pinned, hovered) {
    for (const id of this.marked) this.list.nodeOf(id)?.classList.remove("active", "pinned", "preview");
    if (active) this.list.nodeOf(active)?.classList.add("active");
    if (pinned) this.list.nodeOf(pinned)?.classList.add("pinned");
    if (pinned && hovered && hovered !== pinned) this.list.nodeOf(hovered)?.classList.add("preview");
    this.marked = new Set([active, pinned, hovered].filter(Boolean));
  }

  #say(id) {
    const chunk = this.state.chunk(id);
    announce(
      `${words(chunk.chunk_type)}${chunk.section_id ? `, ${chunk.section_id}` : ""}: ${chunk.content.slice(0, 300)}`,
    );
  }
}
