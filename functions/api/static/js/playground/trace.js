// The trace as a flow: query, selection, indexes, fusion, boosts, what was dropped, hits; with the time of each step.

import { h } from "../lib/dom.js";
import { INDEX_LABEL, count, milliseconds, plural, words } from "../lib/format.js";

const TICKS = 60;

function node(title, time, ...children) {
  return h(
    "li",
    { class: "flow-node" },
    h(
      "div",
      { class: "flow-head" },
      h("b", {}, title),
      time !== null && h("span", { class: "flow-time" }, milliseconds(time)),
    ),
    children,
  );
}

const timeOf = (trace, name) => trace.steps.find((step) => step.name === name)?.ms ?? null;

const valueText = (value) =>
  typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Counts and bounds behind a plan, folded away. */
function figures(part) {
  const entries = Object.entries(part.figures ?? {});
  return (
    entries.length > 0 &&
    h(
      "details",
      { class: "figures" },
      h("summary", {}, "figures"),
      h(
        "dl",
        {},
        entries.map(([name, value]) => [h("dt", {}, words(name)), h("dd", {}, valueText(value))]),
      ),
    )
  );
}

/** One tick per candidate in rank order; those that became hits are tall. */
function ladder(index, hits) {
  return h(
    "div",
    { class: "ladder", "aria-hidden": "true" },
    index.candidates.slice(0, TICKS).map((item) => h("i", { class: hits.has(item.chunk_id) ? "kept" : "" })),
  );
}

function indexRow(index, hits, time) {
  const kept = index.candidates.filter((item) => hits.has(item.chunk_id)).length;
  return h(
    "li",
    { class: "flow-index", data: { index: index.name } },
    h(
      "div",
      { class: "flow-head" },
      h("b", {}, INDEX_LABEL[index.name]),
      time !== null && h("span", { class: "flow-time" }, milliseconds(time)),
    ),
    ladder(index, hits),
    h(
      "small",
      {},
      [
        `${count(index.candidates.length)} found`,
        `${count(kept)} among the hits`,
        index.weight !== null && `weight ${index.weight.toFixed(2)}`,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
    h("small", { class: "plan" }, words(index.plan), !index.exact && h("span", { class: "tag" }, "approximate")),
    figures(index),
  );
}

function dropped(trace) {
  const reasons = new Map();
  for (const item of trace.dropped) reasons.set(item.reason, (reasons.get(item.reason) ?? 0) + 1);
  return [...reasons].map(([reason, number]) => h("span", { class: "tag" }, `${words(reason)} ${count(number)}`));
}

/** All steps one after the other on one line, to scale; the part that the database took is full. */
function timeline(trace) {
  const whole = Math.max(trace.latency_ms, 0.001, trace.steps.reduce((sum, step) => sum + step.ms, 0));
  return h(
    "div",
    { class: "timeline", "aria-hidden": "true" },
    trace.steps.map((step) =>
      h(
        "i",
        { vars: { share: step.ms / whole }, title: `${words(step.name)} ${milliseconds(step.ms)}` },
        h("i", { vars: { share: Math.min(1, (step.database_ms ?? 0) / Math.max(step.ms, 0.001)) } }),
      ),
    ),
  );
}

function timing(step, longest) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, words(step.name)),
    h("td", { class: "bar-cell" }, h("i", { class: "time-bar", vars: { share: step.ms / longest } })),
    h("td", { class: "number" }, milliseconds(step.ms)),
    h("td", { class: "number" }, step.database_ms ? milliseconds(step.database_ms) : "–"),
  );
}

function timings(trace) {
  const longest = Math.max(0.001, ...trace.steps.map((step) => step.ms));
  return [
    timeline(trace),
    h(
      "table",
      { class: "timings" },
      h("caption", {}, "Time per step, and how much of it the database took"),
      h(
        "thead",
        {},
        h("tr", {}, ["step", "", "all", "database"].map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {})))),
      ),
      h(
        "tbody",
        {},
        trace.steps.map((step) => timing(step, longest)),
      ),
    ),
  ];
}

/** The first hit without any of the query's words that stands above one with all of them, and what put it there. */
function wordless(trace) {
  const words = Object.values(trace.notes?.words ?? {}).filter((word) => word.chunks > 0);
  const having = trace.hits.map((_, at) => words.filter((word) => word.hits.includes(at + 1)).length);
  const none = having.indexOf(0);
  const all = words.length > 0 && none >= 0 ? having.indexOf(words.length, none + 1) : -1;
  if (all < 0) return false;
  const id = trace.hits[none].chunk_id;
  const ranks = trace.indexes.flatMap((index) =>
    index.candidates.filter((item) => item.chunk_id === id).map((item) => `${INDEX_LABEL[index.name]} #${item.rank}`),
  );
  return h(
    "small",
    { class: "wordless" },
    `Hit ${none + 1} has none of the query’s words and stands above hit ${all + 1}, which has all of them: ${ranks.join(", ")}.`,
  );
}

const note = ([name, value]) => [h("dt", {}, words(name)), h("dd", {}, valueText(value))];

function boosts(trace) {
  const moved = trace.ranking.flatMap((item) => item.boosts).filter((boost) => boost.from_rank !== boost.to_rank);
  const all = trace.ranking.filter((item) => item.boosts.length).length;
  return (
    all > 0 &&
    node(
      "Boosts",
      timeOf(trace, "recency"),
      h("small", {}, `${[...new Set(trace.ranking.flatMap((item) => item.boosts.map((b) => words(b.name))))].join(", ")}: ${plural(moved.length, "candidate")} of ${count(all)} changed rank`),
    )
  );
}

export function traceView(trace) {
  const hits = new Set(trace.hits.map((hit) => hit.chunk_id));
  return h(
    "div",
    { class: "trace-body" },
    h(
      "div",
      { class: "trace-head" },
      h("h2", {}, "Trace"),
      h("span", { class: "muted" }, milliseconds(trace.latency_ms)),
    ),
    h(
      "ol",
      { class: "flow plain" },
      node("Query", timeOf(trace, "embed_query"), h("p", { class: "flow-query" }, trace.query || "none: what passes the filters")),
      trace.selection && node("Selection", timeOf(trace, "select"), h("small", { class: "plan" }, words(trace.selection.plan)), figures(trace.selection)),
      node(
        plural(trace.indexes.length, "index", "indexes"),
        null,
        h(
          "ul",
          { class: "flow-indexes plain" },
          trace.indexes.map((index) => indexRow(index, hits, timeOf(trace, index.name))),
        ),
      ),
      trace.indexes.length > 1 && node("Fusion", timeOf(trace, "fuse"), h("small", {}, "scores as shares of the best, weighted")),
      boosts(trace),
      trace.dropped.length > 0 && node("Dropped", timeOf(trace, "consolidate"), h("div", { class: "tags" }, dropped(trace))),
      node(plural(trace.hits.length, "hit"), null, wordless(trace)),
    ),
    trace.steps.length > 0 && timings(trace),
    Object.keys(trace.notes ?? {}).length > 0 &&
      h(
        "details",
        { class: "notes" },
        h("summary", {}, "Decisions"),
        h("dl", {}, Object.entries(trace.notes).map(note)),
      ),
    trace.embedder_version && h("p", { class: "trace-id" }, "embedded by ", h("code", {}, trace.embedder_version)),
    h(
      "p",
      { class: "trace-id" },
      h("a", { href: `/playground?trace=${trace.id}` }, "link to it"),
      h("a", { href: `/v1/traces/${trace.id}` }, "as JSON"),
      h("code", {}, trace.id),
    ),
  );
}
