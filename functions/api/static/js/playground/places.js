// Where a chunk is: its address in the inspector, and what to call the place. A hit says it itself; a trace holds ids alone,
// and its labels are asked for.

import { call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { sectionName } from "../lib/format.js";

const EXCERPT = 160; // characters that the server sends at most

const pageBox = (chunk) => chunk.boxes.find((box) => box.kind === "page") ?? null;

/** The nearest title above a chunk; a numbered rule has none of its own. */
export const titleOf = (chunk) => [...(chunk.section?.path ?? [])].reverse().find((step) => step.title)?.title ?? null;

/** The sections around a chunk from the top, as far as they have a number or a title. */
export const sectionsOf = (chunk) => (chunk.section?.path ?? []).map(sectionName).filter(Boolean);

/** The place of a hit, in words too (`spot`); `data-preview` of what shows it on hovering is its `preview`. */
export function placeOf({ chunk, document: source, version, other_places: others, kept_row: row }) {
  const box = pageBox(chunk);
  const page = row?.page ?? chunk.boxes[0]?.page ?? 1;
  const image = box && `/v1/documents/${source.id}/pages/${page}/image`;
  return {
    box,
    page,
    spot: row ? `${row.sheet}, ${row.range}` : box && `p. ${page}`,
    // A row that is no passage is no chunk that a page could show.
    href: `/documents/${source.id}?page=${page}&${row ? `row=${row.row}` : `chunk=${chunk.id}`}`,
    preview: JSON.stringify({ image, box, name: source.name }),
    name: source.name,
    version: version?.label ?? null,
    older: version ? !version.is_current : false,
    others: others.map((other) => ({
      name: other.knowledge_base,
      href: `/documents/${other.document.id}?page=${page}&chunk=${other.chunk_id}`,
    })),
  };
}

/** Links to where the same passage of the same file is in other knowledge bases. */
export const elsewhere = ({ others }) => others.map(({ name, href }) => h("a", { href }, "also in ", h("bdi", {}, name)));

const cut = (text) => (text.length < EXCERPT ? text : `${text.slice(0, text.lastIndexOf(" ") + 1 || EXCERPT)}…`);

/** Chunk id → {document_id, document_name, section_id, page, excerpt, …}; those deleted since are missing. */
export async function labelsOf(traceId, signal) {
  const { items } = await call(`/v1/traces/${traceId}/chunks`, { signal });
  return new Map(items.map((item) => [item.chunk_id, { ...item, excerpt: cut(item.excerpt) }]));
}

export const placeLine = (label) =>
  [label.document_name, !label.is_current && "older", label.section_id, label.page && `p. ${label.page}`].filter(Boolean).join(" · ");

export const addressOf = (label) => `/documents/${label.document_id}?page=${label.page ?? 1}&chunk=${label.chunk_id}`;
