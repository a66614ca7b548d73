// The indexes as they are drawn: a colour from the style sheet, a name, and a shape for those who do not see colours.

import { h, svg } from "../lib/dom.js";

export const INDEXES = ["fts", "vector", "hybrid", "lookup"];
export const NAMES = { fts: "full text", vector: "vector", hybrid: "hybrid", lookup: "look-up", ask: "answers" };
export const MEASURES = {
  "recall@1": "recall@1",
  "recall@5": "recall@5",
  "recall@10": "recall@10",
  "hit@5": "hit rate@5",
  mrr: "MRR",
  "ndcg@10": "nDCG@10",
  "document_recall@5": "documents in 5 hits",
};
/** By which route a value was read. */
export const ROUTES = { label: "behind labels", table: "in tables", text: "in sentences", model: "by the model" };
const SHAPES = {
  fts: "M-4.5 -4.5h9v9h-9z",
  vector: "M0 -6L6 0L0 6L-6 0z",
  hybrid: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
  lookup: "M0 -6L6 5H-6z",
};

export const shape = (index, attributes = {}) => svg("path", { d: SHAPES[index], ...attributes });

/** The name of an index with its shape before it. */
export const seriesName = (index) =>
  h(
    "span",
    { class: `series-name index-${index}` },
    svg("svg", { viewBox: "-6.5 -6.5 13 13", "aria-hidden": "true" }, shape(index)),
    NAMES[index],
  );

export const find = (scores, index, metric, level = null) =>
  scores.find((score) => score.index === index && score.metric === metric && score.level === level) ?? null;

export const figure = (value) => value.toFixed(3);
