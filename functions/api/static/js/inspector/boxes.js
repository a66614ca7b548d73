// From a page view to what the overlay draws.

import { confidence, words } from "../lib/format.js";

const onPage = (box, page) => box.kind === "page" && box.page === page;

function chunkBoxes(chunk, page) {
  const label = [words(chunk.chunk_type), chunk.section_id, confidence(chunk.confidence)].filter(Boolean).join(" · ");
  return chunk.boxes
    .filter((box) => onPage(box, page))
    .map((rect) => ({ key: chunk.id, type: chunk.chunk_type, label, flagged: chunk.flags.length > 0, rect }));
}

const skippedBox = (item, index) => ({
  key: `skipped-${index}`,
  type: "skipped",
  label: `skipped: ${words(item.reason)}`,
  flagged: false,
  rect: item.box,
});

/** Every box of `view`; furniture only where `skipped`. */
export function boxesOf(view, skipped) {
  const chunks = view.items.flatMap((chunk) => chunkBoxes(chunk, view.page));
  return skipped ? [...chunks, ...view.skipped.map(skippedBox)] : chunks;
}

/** Other pages that a chunk touches. */
export const otherPages = (chunk, page) => [
  ...new Set(chunk.boxes.filter((box) => box.kind === "page" && box.page !== page).map((box) => box.page)),
];
