// What to call the chunks that a trace names: it holds ids alone.

import { call } from "../lib/api.js";

const EXCERPT = 160; // characters that the server sends at most

const cut = (text) => (text.length < EXCERPT ? text : `${text.slice(0, text.lastIndexOf(" ") + 1 || EXCERPT)}…`);

/** Chunk id → {document_id, document_name, section_id, page, excerpt, …}; those deleted since are missing. */
export async function labelsOf(traceId, signal) {
  const { items } = await call(`/v1/traces/${traceId}/chunks`, { signal });
  return new Map(items.map((item) => [item.chunk_id, { ...item, excerpt: cut(item.excerpt) }]));
}

export const placeLine = (label) =>
  [label.document_name, !label.is_current && "older", label.section_id, label.page && `p. ${label.page}`].filter(Boolean).join(" · ");

export const addressOf = (label) => `/documents/${label.document_id}?page=${label.page ?? 1}&chunk=${label.chunk_id}`;
