// The right side's list of chunks, kept in step with the page. A chunk is a card: type, section, confidence, text;
// everything about it when it is pinned.

import { correctionQuote } from "../lib/correction.js";
import { direction } from "../lib/direction.js";
import { announce, byId, h, settled } from "../lib/dom.js";
import { confidence, count, plural, sectionName, tierOf, words } from "../lib/format.js";
import { emptiness } from "../lib/notice.js";
import { baseOfDocument, pinButton } from "../lib/pin.js";
import { way } from "../lib/way.js";
import { attributeTable, valuesOf } from "./attributes.js";
import { otherPages } from "./boxes.js";
import { correct } from "./corrections.js";
import { formulaList } from "./formulas.js";
import { gridTable } from "./grid.js";
import { reviewButtons, reviewTag } from "./reviews.js";
import { VirtualList } from "./virtual.js";

const REST = 50; // milliseconds a pointer rests on a box before the list moves to its card

export class Cards {
  constructor(state, reviews) {
    this.state = state;
    this.reviews = reviews;
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
    state.on("page", ({ again }) => this.#fill(again));
    state.on("filter", () => this.#fill());
    state.on("found", () => state.view && this.#fill());
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
    const shown = { page, active, pinned, preview: pinned ? hovered : null, editable: this.state.editable && !this.state.view.provisional };
    const known = { table: this.state.tableOf(chunk), found: this.state.found, review: this.state.reviews.get(chunk.id), reviews: this.reviews, corrected: this.state.corrections.get(chunk.id) };
    return makeCard(chunk, at, total, { ...shown, ...known });
  }

  #fill(again = false) {
    const { shown, chunks } = this.state;
    this.open = this.state.pinned;
    byId("chunk-count").textContent = count(chunks.length);
    this.list.set(shown, again);
    this.scroller.setAttribute("aria-busy", "false");
    if (shown.length === 0) this.list.runway.replaceChildren(this.#nothing(chunks.length));
  }

  #nothing(all) {
    if (all) return emptiness("No chunk passes the filter", `${count(all)} on this page are hidden by it.`);
    const { status, flags, fragments } = this.state.view;
    const failed = status === "failed";
    if (this.state.running && fragments?.length) return linesRead(fragments);
    if ((flags ?? []).includes("no_text_layer"))
      return emptiness(
        "This page is a picture that nobody read",
        "Install tesseract with the language of the page, or set AUTRI_OCR=auto (on AWS: ocr = \"textract\" in the deployment’s file), then ingest the document again.",
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
    if (origin === "again" || (origin === "cards" && !this.open)) return;
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
      `${words(chunk.chunk_type)}${chunk.section_id ? `, ${chunk.section_id}` : ""}: ${(chunk.marked ?? chunk.content).slice(0, 300)}`,
    );
  }
}

/** What is known of a page before its chunks are: its lines as they are read. */
function linesRead(fragments) {
  return h(
    "div",
    { class: "lines-read" },
    h("p", { class: "panel-note" }, `${plural(fragments.length, "line")} read. Chunks are made of them when every page is read.`),
    fragments.map(({ text }) => h("p", { dir: direction(text) }, text)),
  );
}

function meter(value) {
  return h(
    "span",
    { class: `meter tier-${tierOf(value)}`, title: `Confidence ${value}` },
    h("i", { class: "meter-bar", vars: { share: value }, "aria-hidden": "true" }),
    h("span", { class: "visually-hidden" }, "confidence "),
    confidence(value),
  );
}

function tags(chunk, open, review) {
  const list = [
    reviewTag(review),
    ...chunk.flags.map((flag) => h("span", { class: "tag flag" }, `⚑ ${words(flag)}`)),
    ...(open ? [] : valuesOf(chunk).map(({ name, raw }) => h("span", { class: "tag attr" }, `${words(name)} ${raw}`))),
    ...chunk.keywords.map((word) => h("span", { class: "tag" }, word)),
    chunk.ocr && !chunk.flags.includes("ocr") && h("span", { class: "tag flag" }, words("ocr")),
  ].filter(Boolean);
  return list.length ? h("div", { class: "tags" }, list) : null;
}

function path(chunk) {
  const steps = (chunk.section?.path ?? []).map((step) => step.address ?? step.title);
  return steps.length ? way(steps, "card-path") : h("span", { class: "card-path" }, "no section");
}

/** The text with what is looked for marked. */
function withMarks(text, pattern) {
  if (!pattern) return [text];
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(at, match.index), h("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

function detail(label, value) {
  return value === null || value === "" ? null : [h("dt", {}, label), h("dd", {}, value)];
}

function details(chunk, page) {
  const section = chunk.section && sectionName(chunk.section);
  const fragments = chunk.boxes.flatMap((box) => box.fragment_ids ?? []);
  const pages = otherPages(chunk, page).map((number) =>
    h("a", { href: `?page=${number}&chunk=${chunk.id}`, data: { page: number } }, `page ${number}`),
  );
  return h(
    "dl",
    { class: "card-details" },
    detail("Section", section ?? null),
    detail(chunk.formulas?.length === 1 ? "Formula" : "Formulas", formulaList(chunk.formulas)),
    detail(
      "Fragments",
      fragments.length > 6 ? `${fragments.slice(0, 6).join(", ")} … ${fragments.length} in all` : fragments.join(", "),
    ),
    pages.length > 0 && [h("dt", {}, "Also on"), h("dd", {}, pages)],
    detail("Chunk", h("code", {}, chunk.id)),
  );
}

function picture(chunk) {
  return h("img", {
    class: "card-figure",
    src: `/v1/documents/${chunk.document_id}/figures/${chunk.id}/image`,
    alt: chunk.content || "Figure without a caption",
    loading: "lazy",
    onerror: (event) => event.target.remove(),
  });
}

async function copy(text, what) {
  await navigator.clipboard.writeText(text);
  announce(`${what} copied`);
}

function actions(chunk, editable, review, reviews) {
  const button = (label, work, extra = "") =>
    h(
      "button",
      {
        type: "button",
        class: `button small ${extra}`,
        onclick: (event) => {
          event.stopPropagation();
          work();
        },
      },
      label,
    );
  return h(
    "div",
    { class: "card-actions" },
    button("Copy text", () => copy(chunk.content, "Text")),
    button("Copy link", () => copy(location.href, "Link")),
    editable && pinButton(() => ({ kind: "chunk", chunk_id: chunk.id }), () => baseOfDocument(chunk.document_id)),
    editable && reviewButtons(chunk, review, reviews, button),
    editable && button("Correct by a note…", () => correct(chunk)),
    editable && button("Answers a question…", () => document.dispatchEvent(new CustomEvent("gold-chunk", { detail: chunk }))),
    button(
      "Show on page",
      () => document.dispatchEvent(new CustomEvent("show-side", { detail: "page" })),
      "narrow-only",
    ),
  );
}

/** The card of `chunk`, number `at` of `total`. */
function makeCard(chunk, at, total, { page, active, pinned, preview, editable, table, found, review, reviews, corrected }) {
  const open = chunk.id === pinned;
  const marks = [chunk.id === active && "active", open && "pinned", chunk.id === preview && "preview"]
    .filter(Boolean)
    .join(" ");
  return h(
    "article",
    {
      class: `card ${marks}${review?.verdict === "rejected" ? " rejected" : ""}`,
      id: `card-${chunk.id}`,
      tabindex: "0",
      data: { chunk: chunk.id, type: chunk.chunk_type },
      "aria-posinset": at + 1,
      "aria-setsize": total,
      "aria-current": open ? "true" : null,
      "aria-labelledby": `head-${chunk.id}`,
    },
    h(
      "header",
      { class: "card-head", id: `head-${chunk.id}` },
      h("span", { class: "card-type" }, words(chunk.chunk_type)),
      path(chunk),
      meter(chunk.confidence),
    ),
    open && table
      ? gridTable(table, chunk.chunk_type === "table_row" ? chunk.row : null)
      : h("p", { class: "card-text", dir: direction(chunk.content) }, withMarks(chunk.marked ?? chunk.content, found)),
    corrected?.map(correctionQuote),
    tags(chunk, open, review),
    open && attributeTable(chunk, editable),
    open && chunk.chunk_type === "figure" && picture(chunk),
    open && details(chunk, page),
    open && actions(chunk, editable, review, reviews),
  );
}
