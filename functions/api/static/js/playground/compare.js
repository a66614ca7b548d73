// Two runs of the same question side by side: what moved, what only one of them has, how long each took.

import { h } from "../lib/dom.js";
import { INDEX_LABEL, milliseconds, plural } from "../lib/format.js";
import { addressOf, placeLine } from "./labels.js";

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

function row(run, id, at, there) {
  const label = run.labels.get(id);
  return h(
    "li",
    { class: "compare-hit", data: { chunk: id } },
    h("span", { class: "hit-rank" }, at),
    h(
      "div",
      { class: "compare-body" },
      label ? h("a", { class: "compare-text", href: addressOf(label) }, label.excerpt) : h("code", {}, id),
      h("small", { class: "muted" }, label ? placeLine(label) : "deleted since"),
      h("div", { class: "badges" }, movement(at, there), chip(run.trace, id)),
    ),
  );
}

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
      : h("ol", { class: "plain compare-list" }, run.trace.hits.map((hit, at) => row(run, hit.chunk_id, at + 1, places.get(hit.chunk_id)))),
  );
}

/** `one` and `two` are {title, trace, labels}. */
export function compareView(one, two, names = ["A", "B"]) {
  return h("div", { class: "compare" }, column(one, two, names[0]), column(two, one, names[1]));
}
