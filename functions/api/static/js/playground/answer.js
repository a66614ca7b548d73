// An answer: sentences with numbered citation pills; or the plain statement that the evidence does not suffice.

import { h } from "../lib/dom.js";
import { confidence, words } from "../lib/format.js";
import { placeOf } from "./places.js";

function pill(hit, number) {
  const place = placeOf(hit);
  return h(
    "a",
    {
      class: "citation",
      href: place.href,
      data: { preview: place.preview },
      "aria-label": `Citation ${number}: ${place.name}, ${hit.chunk.section_id ?? words(hit.chunk.chunk_type)}, page ${place.page}`,
    },
    number,
  );
}

function sourceLine(hit, number) {
  const place = placeOf(hit);
  return h(
    "li",
    {},
    pill(hit, number),
    h(
      "span",
      {},
      place.name,
      hit.chunk.section_id && ` · ${hit.chunk.section_id}`,
      place.box && ` · p. ${place.page}`,
      place.version && ` · ${place.version}`,
    ),
  );
}

export function answerView(answer) {
  const numbers = new Map(answer.citations.map((hit, at) => [hit.chunk.id, { hit, number: at + 1 }]));
  const sentence = ({ text, citations }) =>
    h(
      "span",
      { class: "sentence" },
      text,
      " ",
      citations
        .map((id) => numbers.get(id))
        .filter(Boolean)
        .map(({ hit, number }) => pill(hit, number)),
      " ",
    );
  return h(
    "div",
    { class: "answer" },
    h(
      "div",
      { class: "answer-head" },
      h("h2", {}, "Answer"),
      h(
        "span",
        { class: "muted" },
        `from ${answer.citations.length} cited ${answer.citations.length === 1 ? "chunk" : "chunks"} · confidence ${confidence(answer.confidence)}`,
      ),
    ),
    h("p", { class: "answer-text" }, answer.sentences.map(sentence)),
    answer.contradictions.length > 0 &&
      h(
        "p",
        { class: "answer-warning" },
        `The evidence disagrees in ${answer.contradictions.length} ${answer.contradictions.length === 1 ? "place" : "places"}: compare the citations before relying on it.`,
      ),
    h(
      "ol",
      { class: "sources plain", "aria-label": "Citations" },
      answer.citations.map((hit, at) => sourceLine(hit, at + 1)),
    ),
  );
}

export function noEvidence(answer) {
  return h(
    "div",
    { class: "answer insufficient" },
    h(
      "div",
      { class: "answer-head" },
      h("h2", {}, "Insufficient evidence"),
      h("span", { class: "muted" }, `confidence ${confidence(answer.confidence)}`),
    ),
    h("p", {}, answer.answer),
    h(
      "p",
      { class: "muted" },
      "Nothing was made up in its place. What came nearest is below; another wording or a wider scope may find it.",
    ),
  );
}
