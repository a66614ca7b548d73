// Every candidate of a call in one table: its rank in each index, after fusion and boosts, and what became of it.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { INDEX_LABEL, count, score, words } from "../lib/format.js";
import { addressOf, placeLine } from "./places.js";

const SHOWN = 25;
const REASONS = {
  below_k: "not among the first k",
  beyond_pool: "ranked too low to be read",
  below_score: "below the score asked for",
  near_duplicate: "says the same as",
  table_of_row: "its row stands for it",
  heading_of_passage: "its passage stands for it",
};

/** One row per candidate, hits first in their order, then by rank; those that were cut before ranking come last. */
function rowsOf(trace) {
  const ranks = trace.indexes.map((index) => new Map(index.candidates.map((item) => [item.chunk_id, item])));
  const ranking = new Map(trace.ranking.map((item) => [item.chunk_id, item]));
  const dropped = new Map(trace.dropped.map((item) => [item.chunk_id, item]));
  const hits = new Map(trace.hits.map((item, at) => [item.chunk_id, { ...item, at: at + 1 }]));
  const ids = new Set([...hits.keys(), ...ranking.keys(), ...ranks.flatMap((index) => [...index.keys()])]);
  return [...ids].map((id) => ({
    id,
    found: ranks.map((index) => index.get(id) ?? null),
    ranked: ranking.get(id) ?? null,
    dropped: dropped.get(id) ?? null,
    hit: hits.get(id) ?? null,
    boosts: ranking.get(id)?.boosts ?? hits.get(id)?.boosts ?? [],
  }));
}

function foundCell(item, index) {
  if (!item) return h("td", { class: "number none" }, "–");
  return h(
    "td",
    { class: "number", data: { index: index.name } },
    h("b", {}, `#${item.rank}`),
    item.score !== null && h("small", {}, score(item.score)),
  );
}

function boostCell(boosts) {
  return h(
    "td",
    {},
    boosts.map((boost) =>
      h(
        "span",
        { class: "moved" },
        `${words(boost.name)} ×${boost.factor.toFixed(2)} `,
        boost.from_rank === boost.to_rank ? "stays" : `#${boost.from_rank} → #${boost.to_rank}`,
      ),
    ),
  );
}

function outcome(row, numbers) {
  if (row.hit) return h("td", { class: "outcome kept" }, `hit ${row.hit.at}`);
  if (!row.dropped) return h("td", { class: "outcome" }, "found");
  const kept = numbers.get(row.dropped.kept);
  return h("td", { class: "outcome" }, REASONS[row.dropped.reason] ?? words(row.dropped.reason), kept && ` (hit ${kept})`);
}

function nameCell(id, label) {
  if (!label) return h("td", { class: "candidate-name muted" }, h("code", {}, id));
  return h(
    "td",
    { class: "candidate-name" },
    h("a", { href: addressOf(label), dir: direction(label.excerpt) }, label.excerpt || words(label.chunk_type)),
    h("small", {}, placeLine(label)),
  );
}

function tableRow(row, trace, labels, numbers) {
  return h(
    "tr",
    { id: `why-${row.id}`, class: row.hit ? "kept" : "", tabindex: "-1", data: { chunk: row.id } },
    h("td", { class: "number" }, row.ranked ? row.ranked.rank : "–"),
    nameCell(row.id, labels.get(row.id)),
    row.found.map((item, at) => foundCell(item, trace.indexes[at])),
    h("td", { class: "number" }, row.ranked ? row.ranked.score.toFixed(4) : "–"),
    trace.ranking.some((item) => item.boosts.length) && boostCell(row.boosts),
    outcome(row, numbers),
  );
}

function head(trace) {
  const column = (text, number = false) => h("th", { scope: "col", class: number ? "number" : "" }, text);
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      column("Rank", true),
      column("Candidate"),
      trace.indexes.map((index) => h("th", { scope: "col", class: "number", data: { index: index.name } }, INDEX_LABEL[index.name])),
      column(trace.indexes.length > 1 ? "Fused" : "Score", true),
      trace.ranking.some((item) => item.boosts.length) && column("Boosts"),
      column("What became of it"),
    ),
  );
}

export function candidateTable(trace, labels) {
  const rows = rowsOf(trace);
  if (rows.length === 0) return null;
  const numbers = new Map(trace.hits.map((hit, at) => [hit.chunk_id, at + 1]));
  const body = h("tbody", {});
  const draw = (from, to) => body.append(...rows.slice(from, to).map((row) => tableRow(row, trace, labels, numbers)));
  draw(0, SHOWN);
  const more =
    rows.length > SHOWN &&
    h(
      "button",
      {
        type: "button",
        class: "button small",
        onclick: () => {
          draw(SHOWN);
          more.remove();
        },
      },
      `Show ${count(rows.length - SHOWN)} more`,
    );
  return h(
    "div",
    { class: "candidates" },
    h(
      "div",
      { class: "candidates-head" },
      h("h2", {}, "Candidates"),
      h("span", { class: "muted" }, `${count(rows.length)} found, ${count(trace.hits.length)} became hits`),
    ),
    h(
      "div",
      { class: "table-scroll", role: "region", tabindex: "0", "aria-label": "Table of candidates" },
      h("table", { class: "candidate-table" }, head(trace), body),
    ),
    more,
  );
}
