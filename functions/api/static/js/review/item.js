// One thing to look at: the place on the page beside the text that was read there.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { confidence, tierOf, words } from "../lib/format.js";

const NARROW = 0.92; // of the window's width that a passage may fill
const ZOOM_MAX = 2.2;

// What was measured, by flag (docs/decisions/0003).
const MEANS = {
  unmapped_characters: "characters without a meaning",
  broken_characters: "bytes of the file that are no characters",
  order_conflict: "lines that overlap, or go back upwards",
  garbled_text: "letters that are those of no language",
  odd_spacing: "words run together, or spread into letters",
  text_over_text: "lines that another line covers",
  many_fragments: "text in very many small pieces",
  rotated_text: "text on its side",
  uncertain_tables: "a table whose cells are a guess",
  unread_tables: "rows of figures that are in no table",
  uncertain_ticks: "a box to tick with little ink in it",
  invisible_text: "text that the page does not show",
  no_text_layer: "a picture that nobody read",
  unread_pictures: "a picture that may hold text nobody read",
  ocr: "text recognised in a picture",
  low_ocr_confidence: "text recognised with doubt",
  lost_content: "a page that is empty in a repaired file",
};

const placed = (box) => (node) =>
  Object.assign(node.style, { left: `${box.x * 100}%`, top: `${box.y * 100}%`, width: `${box.w * 100}%`, height: `${box.h * 100}%` });

const onPage = (item) => item.boxes.filter((box) => box.kind === "page" && box.page === item.page);

/** The page, moved to the passage; all of it for a page. The region scrolls, so that what stands around can be seen. */
export function crop(item) {
  const boxes = onPage(item);
  const wide = boxes.length ? Math.max(...boxes.map((box) => box.x + box.w)) - Math.min(...boxes.map((box) => box.x)) : 1;
  const zoom = item.kind === "page" ? 1 : Math.min(ZOOM_MAX, Math.max(1, NARROW / Math.max(wide, 0.05)));
  const image = h("img", { src: `/v1/documents/${item.document_id}/pages/${item.page}/image`, alt: "", decoding: "async" });
  const marks = boxes.map((box) => {
    const mark = h("i", { class: "review-box" });
    placed(box)(mark);
    return mark;
  });
  const sheet = h("div", { class: "review-sheet" }, image, marks);
  sheet.style.width = `${zoom * 100}%`;
  const region = h("div", { class: "review-window", tabindex: "0", role: "region", "aria-label": `Page ${item.page} of ${item.document_name}` }, sheet);
  const move = () => {
    if (!boxes.length || item.kind === "page") return;
    const [first] = boxes;
    region.scrollLeft = Math.min(...boxes.map((box) => box.x)) * sheet.offsetWidth - 16;
    region.scrollTop = (first.y + Math.min(first.h, 0.2) / 2) * sheet.offsetHeight - region.clientHeight / 2;
  };
  image.addEventListener("load", move);
  return region;
}

export function meter(value) {
  return h(
    "span",
    { class: `meter tier-${tierOf(value)}`, title: `Confidence ${value}` },
    h("i", { class: "meter-bar", vars: { share: value }, "aria-hidden": "true" }),
    h("span", { class: "visually-hidden" }, "confidence "),
    confidence(value),
  );
}

/** What the thing is called in the list and above its text. */
export const nameOf = (item) => (item.kind === "page" ? `Page ${item.page}` : words(item.chunk_type));

function why(flags) {
  if (!flags.length) return h("p", { class: "muted" }, "No single sign is strong; together they make it doubtful.");
  return h("ul", { class: "review-why" }, flags.map((flag) => h("li", {}, h("span", { class: "tag flag" }, `⚑ ${words(flag)}`), " ", h("span", { class: "muted" }, MEANS[flag] ?? ""))));
}

const place = (item) => `/documents/${item.document_id}?page=${item.page ?? 1}${item.chunk_id ? `&chunk=${item.chunk_id}` : ""}`;

/** The text as it was read. Of a page the passages on it: `texts` fills it when they are there. */
function text(item, texts) {
  const body = h("div", { class: "review-text", tabindex: "0", role: "region", "aria-label": "The text as it was read" });
  const shown = (content, type) => h("p", { dir: direction(content), data: { type } }, content || h("span", { class: "muted" }, "A picture without a caption."));
  if (item.kind === "chunk") body.append(shown(item.content, item.chunk_type));
  else texts.then((chunks) => body.append(...(chunks.length ? chunks.map((one) => shown(one.content, one.chunk_type)) : [h("p", { class: "muted" }, "Nothing was read on this page.")])), (error) => body.append(h("p", { class: "trouble" }, error.detail || error.message)));
  return body;
}

/** The whole view. `acts` are buttons, none for who may only look; `texts` is asked for the passages of a page. */
export function itemView(item, { at, total, acts, texts }) {
  return h(
    "article",
    { class: "review-item", "aria-labelledby": "review-name" },
    h("div", { class: "review-picture" }, item.page ? crop(item) : h("p", { class: "muted" }, "This format has no pages to show.")),
    h(
      "div",
      { class: "review-side" },
      h(
        "header",
        { class: "review-head" },
        h("h2", { id: "review-name", tabindex: "-1" }, nameOf(item)),
        h("span", { class: "muted" }, [item.section, item.kind === "chunk" && item.page && `page ${item.page}`].filter(Boolean).join(" · ")),
        meter(item.confidence),
      ),
      h("p", { class: "review-of" }, h("a", { href: place(item) }, item.document_name), h("span", { class: "muted" }, ` · ${at} of ${total}`)),
      why(item.flags),
      text(item, texts),
      item.kind === "page" && h("p", { class: "muted review-hint" }, "What you decide about a page counts for the passages on it."),
      acts,
    ),
  );
}

export const hrefOf = place;
