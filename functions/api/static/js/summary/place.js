// Where a statement or a cell stands: its part of the page, and the way to the inspector.

import { h } from "../lib/dom.js";

const placed = (node, box) =>
  Object.assign(node.style, { left: `${box.x * 100}%`, top: `${box.y * 100}%`, width: `${box.w * 100}%`, height: `${box.h * 100}%` });

/** The page, moved to the boxes; the region scrolls, so that what stands around can be seen. Sources without pages have
 * none. */
export function crop(documentId, one) {
  const boxes = one.boxes.filter((box) => box.kind === "page" && box.page === one.page);
  if (!boxes.length) return h("p", { class: "muted" }, "This source has no pages to show.");
  const image = h("img", { src: `/v1/documents/${documentId}/pages/${one.page}/image`, alt: "", decoding: "async" });
  const marks = boxes.map((box) => {
    const mark = h("i", { class: "summary-box" });
    placed(mark, box);
    return mark;
  });
  const sheet = h("div", { class: "summary-sheet" }, image, marks);
  const region = h("div", { class: "summary-window", tabindex: "0", role: "region", "aria-label": `Page ${one.page}` }, sheet);
  image.addEventListener("load", () => {
    region.scrollTop = Math.min(...boxes.map((box) => box.y)) * sheet.offsetHeight - 24;
  });
  return region;
}

/** To the page in the inspector, at the chunk. */
export const placeOf = (documentId, one) => `/documents/${documentId}?page=${one.page ?? 1}&chunk=${one.chunk_ids?.[0] ?? one.chunk_id}`;

export const pageLink = (documentId, one) => h("a", { class: "button small", href: placeOf(documentId, one) }, "Open in the inspector");
