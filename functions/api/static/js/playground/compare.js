// Runs by their traces: a stored one as it was, and two of the same question side by side: what moved, what only one of
// them has, how long each took.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { INDEX_LABEL, age, milliseconds, plural } from "../lib/format.js";
import { addressOf, placeLine } from "./places.js";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

const chip = (trace, id) =>
  trace.indexes.map((index) => {
    const item = index.candidates.find((candidate) => candidate.chunk_id === id);
    return item && h("span", { class: "index-badge", data: { index: index.name } }, h("b", {}, INDEX_LABEL[index.name]), ` #${item.rank}`);
  });

/** How a hit stands to the other run; the sign carries it as well as the words. */
function movement(at, there) {
  if (there === undefined) return h("span", { class: "move only" }, "only here");
  const by = there - at;
  if (by === 0) return h("span", { class: "move same" }, "= same");
  return h("span", { class: `move ${by > 0 ? "up" : "down"}` }, `${by > 0 ? "▲" : "▼"} ${Math.abs(by)}`, h("small", {}, ` from ${there}`));
}

/** A hit of a run, `at` its rank; by what it is called now. */
function row(run, id, at, badges = null) {
  const label = run.labels.get(id);
  return h(
    "li",
    { class: "compare-hit", data: { chunk: id } },
    h("span", { class: "hit-rank" }, at),
    h(
      "div",
      { class: "compare-body" },
      label ? h("a", { class: "compare-text", href: addressOf(label), dir: direction(label.excerpt) }, label.excerpt) : h("code", {}, id),
      h("small", { class: "muted" }, label ? placeLine(label) : "deleted since"),
      badges && h("div", { class: "badges" }, badges),
    ),
  );
}

const list = (run, badges = () => null) =>
  h(
    "ol",
    { class: "plain compare-list" },
    run.trace.hits.map(({ chunk_id: id }, at) => row(run, id, at + 1, badges(id, at + 1))),
  );

function column(run, other, name) {
  const places = new Map(other.trace.hits.map((hit, at) => [hit.chunk_id, at + 1]));
  const only = run.trace.hits.filter((hit) => !places.has(hit.chunk_id)).length;
  return h(
    "section",
    { class: "compare-column", "aria-label": `${name}: ${run.title}` },
    h(
      "div",
      { class: "compare-head" },
      h("b", { class: "option-set", data: { set: name } }, name),
      h("h2", {}, run.title),
      h("span", { class: "muted" }, `${plural(run.trace.hits.length, "hit")} in ${milliseconds(run.trace.latency_ms)} · ${only} only here`),
      h("a", { href: `/playground?trace=${run.trace.id}` }, "trace"),
    ),
    run.trace.hits.length === 0
      ? h("p", { class: "muted" }, "Nothing found.")
      : list(run, (id, at) => [movement(at, places.get(id)), chip(run.trace, id)]),
  );
}

/** `one` and `two` are {title, trace, labels}. */
export function compareView(one, two, names = ["A", "B"]) {
  return h("div", { class: "compare" }, column(one, two, names[0]), column(two, one, names[1]));
}

/** The head of a stored trace: when and how it was asked; `again` and `compare` are called by its buttons. */
export function replayHead(trace, settings, { again, compare }) {
  return h(
    "div",
    { class: "replay-head" },
    h(
      "div",
      {},
      h("h2", {}, "A stored trace"),
      h(
        "p",
        { class: "muted" },
        h("time", { datetime: trace.created_at }, `${DATE.format(new Date(trace.created_at))}, ${age(trace.created_at)}`),
        ` · ${trace.operator} · ${settings} · ${plural(trace.hits.length, "hit")} in ${milliseconds(trace.latency_ms)}`,
      ),
    ),
    h(
      "div",
      { class: "notice-actions" },
      compare && h("button", { type: "button", class: "button small", onclick: compare }, "Compare with now"),
      h("button", { type: "button", class: "button small", onclick: again }, "Ask again"),
    ),
  );
}

/** The hits of a stored trace by what they are called now. */
export const replayHits = (trace, labels) => list({ trace, labels });
