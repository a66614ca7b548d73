// A stored trace as it was: its hits by what they are called now, under a line that says when and how it was asked.

import { h } from "../lib/dom.js";
import { age, milliseconds, plural } from "../lib/format.js";
import { addressOf, placeLine } from "./labels.js";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

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

export function replayHits(trace, labels) {
  const item = (hit, at) => {
    const label = labels.get(hit.chunk_id);
    return h(
      "li",
      { class: "compare-hit", data: { chunk: hit.chunk_id } },
      h("span", { class: "hit-rank" }, at + 1),
      h(
        "div",
        { class: "compare-body" },
        label ? h("a", { class: "compare-text", href: addressOf(label) }, label.excerpt) : h("code", {}, hit.chunk_id),
        h("small", { class: "muted" }, label ? placeLine(label) : "deleted since"),
      ),
    );
  };
  return h("ol", { class: "plain compare-list" }, trace.hits.map(item));
}
