// One chunk as a card: type, section, confidence, text; everything about it when it is pinned.

import { announce, h } from "../lib/dom.js";
import { confidence, tierOf, words } from "../lib/format.js";
import { attributeTable, valuesOf } from "./attributes.js";
import { otherPages } from "./boxes.js";
import { gridTable } from "./grid.js";

function meter(value) {
  return h(
    "span",
    { class: `meter tier-${tierOf(value)}`, title: `Confidence ${value}` },
    h("i", { class: "meter-bar", vars: { share: value }, "aria-hidden": "true" }),
    h("span", { class: "visually-hidden" }, "confidence "),
    confidence(value),
  );
}

function tags(chunk, open) {
  const list = [
    ...chunk.flags.map((flag) => h("span", { class: "tag flag" }, `⚑ ${words(flag)}`)),
    ...(open ? [] : valuesOf(chunk).map(({ name, raw }) => h("span", { class: "tag attr" }, `${words(name)} ${raw}`))),
    ...chunk.keywords.map((word) => h("span", { class: "tag" }, word)),
    chunk.ocr && !chunk.flags.includes("ocr") && h("span", { class: "tag flag" }, words("ocr")),
  ].filter(Boolean);
  return list.length ? h("div", { class: "tags" }, list) : null;
}

function path(chunk) {
  const steps = chunk.section?.path ?? [];
  return steps.map((step) => step.address ?? step.title).join(" › ") || "no section";
}

function detail(label, value) {
  return value === null || value === "" ? null : [h("dt", {}, label), h("dd", {}, value)];
}

function details(chunk, page) {
  const section = chunk.section && [chunk.section.address, chunk.section.title].filter(Boolean).join(" ");
  const fragments = chunk.boxes.flatMap((box) => box.fragment_ids ?? []);
  const pages = otherPages(chunk, page).map((number) =>
    h("a", { href: `?page=${number}&chunk=${chunk.id}`, data: { page: number } }, `page ${number}`),
  );
  return h(
    "dl",
    { class: "card-details" },
    detail("Section", section ?? null),
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

function actions(chunk) {
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
    button("Answers a question…", () => document.dispatchEvent(new CustomEvent("gold-chunk", { detail: chunk }))),
    button(
      "Show on page",
      () => document.dispatchEvent(new CustomEvent("show-side", { detail: "page" })),
      "narrow-only",
    ),
  );
}

/** The card of `chunk`, number `at` of `total`. */
export function makeCard(chunk, at, total, { page, active, pinned, preview, table }) {
  const open = chunk.id === pinned;
  const marks = [chunk.id === active && "active", open && "pinned", chunk.id === preview && "preview"]
    .filter(Boolean)
    .join(" ");
  return h(
    "article",
    {
      class: `card ${marks}`,
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
      h("span", { class: "card-path" }, path(chunk)),
      meter(chunk.confidence),
    ),
    open && table
      ? gridTable(table, chunk.chunk_type === "table_row" ? chunk.row : null)
      : h("p", { class: "card-text" }, chunk.content),
    tags(chunk, open),
    open && attributeTable(chunk),
    open && chunk.chunk_type === "figure" && picture(chunk),
    open && details(chunk, page),
    open && actions(chunk),
  );
}
