// A cell as it is shown: its kind, what the server drew of it, with citations that lead to their places, and its buttons.

import { h } from "../lib/dom.js";
import { age } from "../lib/format.js";
import { nodesOf } from "../lib/markup.js";

export const KINDS = {
  markdown: "Text", note: "Note", chunk: "Passage", answer: "Answer", dataset: "Dataset", plot: "Plot", summary: "Summary", group: "Group summary",
};
const EDITED = new Set(["markdown", "chunk"]);

const isBox = (box) => box.kind === "page";

/** Where a source stands: the inspector's address, and what its preview needs. */
export function placeOf(source) {
  const box = source.boxes.find(isBox) ?? null;
  const page = box?.page ?? source.page ?? 1;
  const image = box && `/v1/documents/${source.document_id}/pages/${page}/image`;
  return {
    href: `/documents/${source.document_id}?page=${page}&${source.kept_row ? `row=${source.kept_row}` : `chunk=${source.chunk_id}`}`,
    preview: JSON.stringify({ image, box, name: source.document }),
  };
}

/** What the server drew, with its citations on their places. */
export function drawn(cell, sources) {
  const body = h("div", { class: "notebook-body" }, nodesOf(cell.html, 3));
  for (const link of body.querySelectorAll('a.citation[href^="#source-"]')) {
    const source = sources.find(({ number }) => number === Number(link.getAttribute("href").slice(8)));
    if (!source) continue;
    const { href, preview } = placeOf(source);
    Object.assign(link, { href });
    link.dataset.preview = preview;
  }
  return body;
}

/** Where what a cell shows is at home. */
function homeOf({ kind, body }) {
  if (kind === "dataset") return `/datasets/${body.dataset_id}`;
  if (kind === "plot") return `/plots/${body.plot_id}`;
  if (kind === "summary") return `/documents/${body.document_id}/summary`;
  if (kind === "group") return `summaries?${new URLSearchParams(body.document_ids.map((id) => ["document_id", id]))}`;
  return kind === "note" ? `/documents/${body.document_id}` : null;
}

const button = (label, text, act, more = {}) => h("button", { type: "button", class: "button small quiet", "aria-label": label, onclick: act, ...more }, text);

/** `acts`: {edit, move(step), remove}, or null where it may only be read; `at` counts from 0. */
export function cellView(cell, { at, total, sources, acts }) {
  const name = `Cell ${at + 1}, ${KINDS[cell.kind] ?? cell.kind}`;
  const home = !cell.gone && homeOf(cell);
  const tools = acts && [
    h("span", { class: "notebook-grip", draggable: "true", title: "Drag to move", "aria-hidden": "true" }, "⠿"),
    button(`Move up: ${name}`, "↑", () => acts.move(-1), { disabled: at === 0, data: { step: "-1" } }),
    button(`Move down: ${name}`, "↓", () => acts.move(1), { disabled: at === total - 1, data: { step: "1" } }),
    EDITED.has(cell.kind) && !cell.gone && button(`Edit: ${name}`, cell.kind === "chunk" ? "Remark" : "Edit", acts.edit, { data: { act: "edit" } }),
    button(`Delete: ${name}`, "Delete", acts.remove),
  ];
  return h(
    "article",
    { class: `notebook-cell ${cell.kind}`, id: `cell-${cell.id}`, tabindex: "-1", "aria-label": name, data: { cell: cell.id } },
    h(
      "header",
      { class: "notebook-cell-head" },
      h("h2", { class: "notebook-kind" }, KINDS[cell.kind] ?? cell.kind),
      home && h("a", { href: home }, "Open"),
      h("span", { class: "muted" }, `${cell.author}, ${age(cell.created_at)}`),
      tools && h("span", { class: "notebook-cell-tools" }, tools),
    ),
    drawn(cell, sources),
  );
}
