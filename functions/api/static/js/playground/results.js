// The parts of the page that results are shown in: answer, hits, trace, candidates; and whether scores are seen.

import { announce, byId, calm } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { candidateTable } from "./candidates.js";
import { compareView } from "./compare.js";
import { corrected } from "./corrected.js";
import { facetPanel } from "./facets.js";
import { hitList } from "./hits.js";
import { rowGroup } from "./rows.js";
import { tableView } from "./table.js";
import { traceView } from "./trace.js";

export const places = Object.fromEntries(["answer", "facets", "hits", "trace", "candidates"].map((name) => [name, byId(name)]));

export function show(place, ...nodes) {
  places[place].replaceChildren(...nodes.filter(Boolean));
}

export const clear = (...names) => names.forEach((name) => show(name));

export const scored = () => document.body.classList.contains("show-scores");

/** How hits were found: rank and score per index, the trace, every candidate. Answers and passages come first. */
export function showScores(yes) {
  document.body.classList.toggle("show-scores", yes);
  byId("scores").setAttribute("aria-pressed", String(yes));
}

/** Brings the row of a hit into view: the whole way of that chunk through the indexes. */
function openWhy(id) {
  const row = byId(`why-${id}`);
  if (!row) return;
  showScores(true);
  for (const other of places.candidates.querySelectorAll(".here")) other.classList.remove("here");
  row.classList.add("here");
  row.scrollIntoView({ block: "center", behavior: calm() ? "instant" : "smooth" });
  row.focus({ preventScroll: true });
}

/** Rows that are no passages below the hits, or above them where they alone have what was asked for. */
function beside(hits, rows, query) {
  const group = rowGroup(rows, query);
  return rows?.before_hits ? [group, hits] : [hits, group];
}

/** What an answer was chosen from, and further rows that are no passages. */
export function showHits(query, result) {
  const read = new Set(result.hits.map(({ chunk }) => chunk.id));
  const left = result.rows_behind?.hits.filter(({ id }) => !read.has(id)) ?? [];
  const rows = left.length ? { ...result.rows_behind, hits: left } : null;
  const hits = result.hits.length > 0 && hitList({ ...result, rows_behind: rows }, query, { why: openWhy });
  show("hits", ...beside(hits, rows, query));
}

/** `changes` is told what is chosen in the facets and the table. */
export function showResult(mode, query, result, changes) {
  show("answer", corrected(result));
  show("facets", result.facets && facetPanel(result.facets, changes));
  document.body.classList.toggle("has-facets", Boolean(result.facets));
  document.body.classList.toggle("has-table", Boolean(result.table));
  const hits = result.table && result.hits.length ? tableView(result, changes) : hitList(result, query, { lookup: mode === "lookup", why: openWhy });
  show("hits", ...beside(hits, result.rows_behind, query));
  const behind = result.rows_behind?.hits.length;
  announce([plural(result.hits.length, "hit"), behind && plural(behind, "further row")].filter(Boolean).join(", "));
}

export function showTrace({ trace, labels }) {
  show("trace", traceView(trace));
  show("candidates", candidateTable(trace, labels));
}

/** Two runs ({title, trace, labels}) side by side, `names` in front of them. */
export function showBoth(one, other, names) {
  document.body.classList.add("comparing");
  clear("trace", "candidates");
  show("hits", compareView(one, other, names));
}
