// Where things stand on a page: the boxes that the overlay draws, and the fragments that a reference names. A reference is
// a fragment's id, `p1.f4`, or a range of its characters, `p1.f4[3:12]`.

import { confidence, words } from "../lib/format.js";

// A source without pages has ranges instead; where a part is shown as text, they get the rects of that text (part.js).
const onPage = (box, page) => box.page === page && box.x !== undefined;

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
  return skipped ? [...chunks, ...view.skipped.map(skippedBox).filter(({ rect }) => rect.x !== undefined)] : chunks;
}

/** Other pages that a chunk touches. */
export const otherPages = (chunk, page) => [
  ...new Set(chunk.boxes.filter((box) => box.page !== page).map((box) => box.page)),
];

/** The fragments of a page view by their ids. */
export const fragmentsOf = (view) => new Map((view.fragments ?? []).map((item) => [item.id, item]));

/** The fragment's id in a reference. */
export const fragmentId = (reference) => reference.replace(/\[.*$/, "");

/** The characters that a reference names; the reference itself where its fragment is not known. */
export function textOf(reference, fragments) {
  const part = /\[(\d+):(\d+)\]$/.exec(reference);
  const text = fragments.get(fragmentId(reference))?.text ?? reference;
  return part ? [...text].slice(Number(part[1]), Number(part[2])).join("") : text;
}

/** The box of a reference: of its characters where their places are known, else of the whole fragment. */
export function rectOf(reference, fragments) {
  const part = /^(.*?)(?:\[(\d+):(\d+)\])?$/.exec(reference);
  const item = fragments.get(part[1]);
  if (!item || part[2] === undefined || !item.char_x?.length) return item?.box;
  const edges = item.char_x.slice(Number(part[2]), Number(part[3]) + 1);
  const x = Math.min(...edges);
  return { ...item.box, x, w: Math.max(...edges) - x };
}

/** Marks `rects` on the page while `node` is pointed at or focused. */
export function markWhile(node, overlay, rects) {
  for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => overlay.mark(rects));
  for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => overlay.mark([]));
  return node;
}
