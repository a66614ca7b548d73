// A part of a source without pages, shown as text: its headings, paragraphs, tables and code by the operations, every
// fragment an element of its own. Where those stand is measured, so that boxes over text work as they do over a page.

import { decidedDirection, direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { fragmentId, fragmentsOf, textOf } from "./boxes.js";
import { FormulaBar, formulaInCell, uncalculatedNote } from "./formulas.js";
import { keptBar } from "./kept.js";

const DEEPEST = 6;
const UNREAD = {
  vector: "it is drawn by commands (EMF, WMF, SVG), which are not read. Save it as PNG in the document, or export that as PDF.",
  unknown: "it is of a kind that is not read.",
  too_large: "it has more pixels than are read. Save it smaller.",
  damaged: "it is damaged and cannot be shown.",
  unread: "It may hold text, which nobody has read: no engine for that is installed, or it found none.",
};
const LEFT_OUT = { small: "small", repeated: "shown before", beyond: "beyond the most that are shown", remote: "not in the file" };

export class Part {
  constructor(root) {
    this.root = root;
    this.shown = false;
    this.bar = null;
  }

  /** Draws the part of `view`; null shows none. Of rows that are no passages `row` is marked, and `turn` shows others. */
  show(view, row = null, turn = null) {
    this.shown = Boolean(view?.operations?.length);
    this.root.hidden = !this.shown;
    this.bar?.forget();
    this.bar = null;
    if (!this.shown) return this.root.replaceChildren();
    const fragments = fragmentsOf(view);
    const piece = (reference) => {
      const unseen = fragments.get(fragmentId(reference))?.hidden === true;
      const text = textOf(reference, fragments);
      const data = { piece: reference, ...markerOf(reference, fragments) };
      return h("span", { class: unseen ? "piece unseen" : "piece", title: unseen ? words("hidden") : null, dir: direction(text), data }, text);
    };
    const formulas = new Map((view.formulas ?? []).map((one) => [one.range, one]));
    const rangeOf = (cell) => cell.place?.range ?? fragments.get(fragmentId(cell.fragment_ids[0] ?? ""))?.place?.range;
    const cells = { place: (reference) => cellOf(reference, fragments), range: rangeOf, formula: (range) => formulas.get(range) };
    if (formulas.size) this.bar = new FormulaBar(this.root, view);
    this.root.replaceChildren(
      this.bar?.node ?? "",
      view.label && view.label !== String(view.page) ? h("p", { class: "part-label" }, view.label) : "",
      view.kept ? keptBar(view.kept, turn) : "",
      uncalculatedNote(view, new Set(view.operations.flatMap(({ rows = [] }) => rows.flat()).map(rangeOf))),
      ...view.operations
        .filter((operation) => !isRecognised(operation, fragments))
        .map((operation) => (operation.picture ? figure(operation, piece, view, fragments) : read(block(operation, piece, cells))))
        .filter(Boolean),
      leftOut(view.left_out) ?? "",
    );
    this.root.querySelector(".computed")?.setAttribute("tabindex", "0");
    this.asked = row === null ? null : this.root.querySelector(`tr[data-row="${row}"]`);
    this.asked?.classList.add("asked");
  }

  /** Gives the boxes of chunks and skipped text, and the fragments of `view`, the rects of their text, in fractions of
   *  `sheet`. */
  measure(sheet, view, skipped) {
    this.root.classList.toggle("with-skipped", skipped);
    const port = sheet.getBoundingClientRect();
    const rects = new Map();
    const pictures = new Map();
    const placed = ({ left, top, width, height }) => ({ x: (left - port.left) / port.width, y: (top - port.top) / port.height, w: width / port.width, h: height / port.height });
    for (const node of this.root.querySelectorAll("[data-picture]")) pictures.set(node.dataset.picture, placed(node.getBoundingClientRect()));
    for (const fragment of view.fragments) {
      const area = fragment.place?.picture;
      if (area && pictures.has(area.id)) rects.set(fragment.id, within(pictures.get(area.id), area));
    }
    for (const node of this.root.querySelectorAll("[data-piece]")) {
      const box = (node.closest("td, th") ?? node).getBoundingClientRect();
      if (!box.width) continue;
      rects.set(node.dataset.piece, placed(box));
    }
    const boxes = [...view.items.flatMap((chunk) => [...chunk.boxes, ...cellBoxes(chunk)]), ...view.skipped.map((item) => item.box)];
    for (const box of boxes) {
      if (box.page !== view.page) continue;
      for (const side of ["x", "y", "w", "h"]) delete box[side];
      const shown = box.picture && pictures.get(box.picture.id);
      Object.assign(box, shown ? within(shown, box.picture) : around((box.fragment_ids ?? []).map((id) => rects.get(id)).filter(Boolean)));
    }
    for (const fragment of view.fragments) fragment.box = rects.get(fragment.id);
  }
}

/** The number in front of what a reference begins with, which nobody typed: shown beside the text, and no part of it. */
function markerOf(reference, fragments) {
  const marker = /\[(?!0:)/.test(reference) ? "" : fragments.get(fragmentId(reference))?.marker;
  return marker ? { marker } : {};
}

/** A part of a picture, by the rect of the picture. */
const within = (rect, area) => ({ x: rect.x + area.x * rect.w, y: rect.y + area.y * rect.h, w: area.w * rect.w, h: area.h * rect.h });

const cellBoxes = (chunk) => (chunk.table?.rows ?? []).flat().flatMap((cell) => cell.boxes);

/** The smallest rect around some; nothing around none. */
function around(rects) {
  if (!rects.length) return {};
  const x = Math.min(...rects.map((rect) => rect.x));
  const y = Math.min(...rects.map((rect) => rect.y));
  const w = Math.max(...rects.map((rect) => rect.x + rect.w)) - x;
  return { x, y, w, h: Math.max(...rects.map((rect) => rect.y + rect.h)) - y };
}

/** The first cell of a reference's place in a sheet: its column's letters and its row; null in other sources. */
function cellOf(reference, fragments) {
  const place = fragments.get(fragmentId(reference))?.place;
  const found = place?.kind === "sheet" && /^([A-Z]+)([0-9]+)/.exec(place.range);
  return found ? { column: found[1], row: found[2] } : null;
}

/** A block that says which way it reads: one from the right stands on the right, a table's first column too. */
function read(drawn) {
  if (drawn) drawn.dir = decidedDirection(drawn.textContent);
  return drawn;
}

/** Whether all that an operation claims was recognised in pictures, where it is seen. */
function isRecognised(operation, fragments) {
  const ids = operation.fragment_ids ?? (operation.rows ?? []).flat().flatMap((cell) => cell.fragment_ids);
  return ids.length > 0 && ids.every((id) => fragments.get(fragmentId(id))?.place?.picture);
}

/** A picture at its place, or what is known of one that cannot be shown; its caption and the file's own description below. */
function figure(operation, piece, view, fragments) {
  const picture = view.pictures.find(({ id }) => id === operation.picture);
  const chunk = view.provisional ? null : view.items.find(({ chunk_type: type, boxes }) => type === "figure" && boxes.some((box) => box.picture?.id === operation.picture));
  const described = [...operation.label_fragment_ids, ...operation.caption_fragment_ids].map((id) => textOf(id, fragments)).join(" ");
  const why = picture && UNREAD[picture.unread ?? picture.reading?.outcome];
  const lines = [operation.caption_fragment_ids, operation.label_fragment_ids].filter((ids) => ids.length);
  return h(
    "figure",
    { class: "part-figure" },
    chunk && !picture?.unread && picture?.reading?.outcome !== "damaged"
      ? h("img", {
          src: `/v1/documents/${view.document_id}/figures/${chunk.id}/image`,
          alt: described || "Picture without a description",
          width: picture?.width || null,
          height: picture?.height || null,
          loading: "lazy",
          vars: { pixels: picture?.width || 600 },
          data: { picture: operation.picture },
        })
      : h("p", { class: "part-unseen", data: { picture: operation.picture } }, why ? `Picture: ${why}` : "A picture, which is shown once the document is read."),
    chunk && picture?.reading?.outcome === "unread" && h("p", { class: "part-note" }, why),
    lines.length > 0 && h("figcaption", {}, lines.map((ids) => h("p", { dir: decidedDirection(ids.map((id) => textOf(id, fragments)).join(" ")) }, ids.map(piece)))),
  );
}

/** How many pictures are no figures, and why. */
function leftOut(counts) {
  const told = Object.entries(counts ?? {}).map(([reason, count]) => `${count} ${LEFT_OUT[reason] ?? reason}`);
  return told.length ? h("p", { class: "part-note" }, `Pictures that are not shown here: ${told.join(", ")}.`) : null;
}

function block(operation, piece, cells) {
  const pieces = (ids, between) => piecesOf(ids, piece, between);
  switch (operation.op) {
    case "register_section":
      return h("p", { class: "part-heading", role: "heading", "aria-level": Math.min(operation.depth + 1, DEEPEST), data: { depth: operation.depth } }, pieces(operation.title_fragment_ids));
    case "register_chunk":
      if (operation.chunk_type === "code") return h("pre", { class: "part-code" }, pieces(operation.fragment_ids, "\n"));
      if (operation.chunk_type === "list") return h("div", { class: "part-list" }, operation.fragment_ids.map((id) => h("p", {}, piece(id))));
      return h("p", { class: `part-${operation.chunk_type}` }, pieces(operation.fragment_ids));
    case "register_table":
      return table(operation, piece, cells);
    case "skip":
      return h("p", { class: "part-skipped", title: `skipped: ${words(operation.reason)}` }, pieces(operation.fragment_ids));
    default:
      return null;
  }
}

/** Fragments one after the other, as what is written between two of them shows. */
function piecesOf(ids, piece, between = " ") {
  return ids.flatMap((id, at) => [at ? between : "", piece(id)]);
}

function table({ rows, header_rows: headers, caption_fragment_ids: caption }, piece, cells) {
  const names = namesOf(rows, cells.place);
  const tile = (name, cell) => {
    const range = cells.range(cell);
    const formula = range && cells.formula(range);
    return h(
      name,
      {
        colspan: cell.col_span > 1 ? cell.col_span : null,
        rowspan: cell.row_span > 1 ? cell.row_span : null,
        class: formula ? "computed" : null,
        tabindex: formula ? "-1" : null,
        data: range ? { range } : {},
      },
      piecesOf(cell.fragment_ids, piece),
      formula?.calculated === false && formulaInCell(formula),
    );
  };
  const line = (row, at) =>
    h(
      "tr",
      { data: names?.rows[at] ? { row: names.rows[at] } : {} },
      names && h(names.rows[at] ? "th" : "td", { class: "part-name", scope: names.rows[at] ? "row" : null }, names.rows[at]),
      row.map((cell) => tile(at < headers ? "th" : "td", cell)),
    );
  return h(
    "div",
    { class: "part-table", tabindex: "0", role: "group", "aria-label": "Table" },
    caption.length > 0 && h("p", { class: "part-caption" }, caption.map(piece)),
    h(
      "table",
      {},
      names && h("thead", {}, h("tr", {}, h("td", { class: "part-name" }), names.columns.map((name) => h(name ? "th" : "td", { class: "part-name", scope: name ? "col" : null }, name)))),
      h("tbody", {}, rows.map(line)),
    ),
  );
}

/** The names of a sheet's rows and columns as far as a table has cells in them; null where it is in no sheet. */
function namesOf(rows, cellOf) {
  const columns = [];
  const free = []; // by column, the first row that no cell above reaches into
  const numbers = rows.map((row, at) => {
    let column = 0;
    let number = "";
    for (const cell of row) {
      while ((free[column] ?? 0) > at) column += 1;
      const place = cell.fragment_ids.length ? cellOf(cell.fragment_ids[0]) : null;
      if (place && cell.row_span === 1) number ||= place.row;
      if (place) columns[column] ??= place.column;
      for (let over = 0; over < cell.col_span; over += 1) free[column + over] = at + cell.row_span;
      column += cell.col_span;
    }
    return number;
  });
  if (!columns.some(Boolean)) return null;
  return { columns: Array.from({ length: free.length }, (_, at) => columns[at] ?? ""), rows: numbers };
}
