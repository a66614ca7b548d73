// The trace as a flow: query, indexes, fusion, what was dropped, hits; with the time of each step.

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
        words(index.plan),
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

function dropped(trace) {
  const reasons = new Map();
  for (const item of trace.dropped) reasons.set(item.reason, (reasons.get(item.reason) ?? 0) + 1);
  return [...reasons].map(([reason, number]) => h("span", { class: "tag" }, `${words(reason)} ${count(number)}`));
}

function timing(step, longest) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, words(step.name)),
    h("td", { class: "bar-cell" }, h("i", { class: "time-bar", vars: { share: step.ms / longest } })),
    h("td", { class: "number" }, milliseconds(step.ms)),
  );
}

function timings(trace) {
  const longest = Math.max(0.001, ...trace.steps.map((step) => step.ms));
  return h(
    "table",
    { class: "timings" },
    h("caption", {}, "Time per step"),
    h(
      "tbody",
      {},
      trace.steps.map((step) => timing(step, longest)),
    ),
  );
}

const note = ([name, value]) => [
  h("dt", {}, words(name)),
  h("dd", {}, typeof value === "object" ? JSON.stringify(value) : String(value)),
];

export function traceView(trace) {
  const hits = new Set(trace.hits.map((hit) => hit.chunk_id));
  const boosts = trace.hits.filter((hit) => hit.boosts.length).length;
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
      node("Query", null, h("p", { class: "flow-query" }, trace.query)),
      node(
        plural(trace.indexes.length, "index", "indexes"),
        null,
        h(
          "ul",
          { class: "flow-indexes plain" },
          trace.indexes.map((index) => indexRow(index, hits, timeOf(trace, index.name))),
        ),
      ),
      trace.indexes.length > 1 && node("Fusion", timeOf(trace, "fuse"), h("small", {}, "by reciprocal rank, weighted")),
      boosts > 0 && node("Boosts", null, h("small", {}, `${plural(boosts, "hit")} moved`)),
      trace.dropped.length > 0 && node("Dropped", null, h("div", { class: "tags" }, dropped(trace))),
      node(plural(trace.hits.length, "hit"), null),
    ),
    trace.steps.length > 0 && timings(trace),
    Object.keys(trace.notes ?? {}).length > 0 &&
      h(
        "details",
        { class: "notes" },
        h("summary", {}, "Decisions"),
        h("dl", {}, Object.entries(trace.notes).map(note)),
      ),
    h("p", { class: "trace-id" }, h("a", { href: `/v1/traces/${trace.id}` }, "as JSON"), h("code", {}, trace.id)),
  );
}
