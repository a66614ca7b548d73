// A document's chunks as a file: what the API lists, as JSON, as a table, or as text to read.

import { all } from "./api.js";
import { announce } from "./dom.js";
import { words } from "./format.js";

const COLUMNS = ["id", "document", "ordinal", "chunk_type", "section_id", "section", "page", "confidence", "flags", "content"];
const pageOf = (chunk) => chunk.boxes[0]?.page ?? null;
const sectionOf = (chunk) => chunk.section?.path?.map((step) => step.title ?? step.address).join(" › ") ?? "";

/** What a spreadsheet would take for a formula stays text. */
function csvCell(value) {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function toCsv(parts) {
  const line = (name, chunk) =>
    [chunk.id, name, chunk.ordinal, chunk.chunk_type, chunk.section_id, sectionOf(chunk), pageOf(chunk), chunk.confidence, chunk.flags.join(" "), chunk.content];
  const lines = parts.flatMap(({ name, chunks }) => chunks.map((chunk) => line(name, chunk)));
  return [COLUMNS, ...lines].map((cells) => cells.map(csvCell).join(",")).join("\r\n");
}

function toMarkdown(parts) {
  const block = (chunk) => {
    const place = [chunk.section_id, words(chunk.chunk_type), pageOf(chunk) && `p. ${pageOf(chunk)}`].filter(Boolean).join(", ");
    return chunk.chunk_type === "heading" ? `## ${chunk.content}` : `${chunk.content}\n\n<sub>${place}</sub>`;
  };
  return parts.map(({ name, chunks }) => [`# ${name}`, ...chunks.map(block)].join("\n\n")).join("\n\n");
}

const toJson = (parts) => JSON.stringify(parts.map(({ id, name, chunks }) => ({ document_id: id, name, chunks })), null, 2);

/** Of tables: the ending and what people call it. */
export const TABLE_FORMATS = { csv: "CSV", xlsx: "Excel (xlsx)", parquet: "Parquet" };
/** Of a dataset, which may have the printed cell behind each of its cells. */
export const DATASET_FORMATS = { ...TABLE_FORMATS, json: "JSON" };

/** Format → {extension, media type, how it is written}. */
export const FORMATS = {
  JSON: { extension: "json", type: "application/json", write: toJson },
  CSV: { extension: "csv", type: "text/csv", write: toCsv },
  Markdown: { extension: "md", type: "text/markdown", write: toMarkdown },
};

export const save = (name, type, text) => saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);

export function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Reads every chunk of `documents` and saves one file; throws ApiError. */
export async function exportChunks(documents, format) {
  const { extension, type, write } = FORMATS[format];
  const parts = [];
  for (const { id, name } of documents) parts.push({ id, name, chunks: await all(`/v1/documents/${id}/chunks?limit=200`) });
  const base = documents.length === 1 ? documents[0].name.replace(/\.[a-z0-9]{1,5}$/i, "") : `${documents.length} documents`;
  save(`${base} chunks.${extension}`, type, write(parts));
  announce(`Chunks saved as ${format}`);
}
