// What was quoted, statement by statement with citation pills; or the plain statement that nothing answers.

import { correctionQuote } from "../lib/correction.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { confidence, words } from "../lib/format.js";
import { elsewhere, placeOf } from "./places.js";

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
      h("bdi", {}, place.name),
      hit.chunk.section_id && ` · ${hit.chunk.section_id}`,
      place.box && ` · p. ${place.page}`,
      place.version && ` · ${place.version}`,
      elsewhere(place).flatMap((link) => [" · ", link]),
    ),
  );
}

/** The text as it is shown: without what is `hidden`, and with what was asked for marked. */
function marked(text, marks, hidden) {
  // Places count characters, which may be two units of a string here.
  const characters = [...text];
  const left = new Set(characters.keys());
  for (const [start, end] of hidden) for (let at = start; at < end; at++) left.delete(at);
  const shown = (start, end) => characters.slice(start, end).filter((_, at) => left.has(start + at)).join("");
  const parts = [];
  let at = 0;
  for (const [start, end] of marks) {
    parts.push(shown(at, start), h("mark", {}, shown(start, end)));
    at = end;
  }
  return [...parts, shown(at)];
}

function cellView({ label, value, answers, hidden }) {
  const shown = marked(value, [], hidden);
  return h(
    "div",
    { class: answers ? "cell answers" : "cell" },
    h("dt", { dir: direction(label ?? "") }, label || "–"),
    h("dd", { dir: direction(value) }, answers ? h("mark", {}, shown) : shown),
  );
}

/** A statement as it was quoted; below it what was written since against it. */
function quotation({ text, marks, hidden, cells }, pills, corrections) {
  const quotes = corrections.map(correctionQuote);
  if (cells.length > 0)
    return h("li", { class: "quotation sentence row" }, h("dl", { class: "cells" }, cells.map(cellView)), h("span", {}, pills), quotes);
  return h("li", { class: "quotation sentence", dir: direction(text) }, h("q", {}, marked(text, marks, hidden)), " ", pills, quotes);
}

/** A model's sentence: text alone, whatever it holds, so that no link or image of it is ever live. */
const written = ({ text }, pills, corrections) =>
  h("li", { class: "sentence", dir: direction(text) }, h("span", {}, text), " ", pills, corrections.map(correctionQuote));

const WHY_NOT = {
  nothing_found: "No passage has the rarer words of the question, and none comes near its meaning.",
  model_declined: "The model read no answer in the passages that come nearest.",
  not_borne_out: "What the model wrote is not borne out by the passages that it cites, so nothing of it is shown.",
};

function headOf(answer) {
  if (answer.mode !== "answer") {
    return {
      title: answer.sentences.length === 1 ? "Passage" : "Passages",
      note: `quoted word for word · confidence ${confidence(answer.confidence)} that the documents answer this`,
    };
  }
  const sure = answer.unfinished ? "still writing…" : `confidence ${confidence(answer.confidence)} that the documents answer this`;
  return { title: "Answer", note: `written by ${answer.model}, each sentence checked against what it cites · ${sure}` };
}

export function answerView(answer) {
  const head = headOf(answer);
  const numbers = new Map(answer.citations.map((hit, at) => [hit.chunk.id, { hit, number: at + 1 }]));
  const pills = ({ citations }) =>
    citations
      .map((id) => numbers.get(id))
      .filter(Boolean)
      .map(({ hit, number }) => pill(hit, number));
  // A correction stands once, below the first statement that it speaks against.
  const said = new Set();
  const against = ({ citations }) => {
    const notes = citations.flatMap((id) => numbers.get(id)?.hit.corrected_by ?? []).filter(({ id }) => !said.has(id));
    notes.forEach(({ id }) => said.add(id));
    return [...new Map(notes.map((note) => [note.id, note])).values()];
  };
  const numbered = (at) => numbers.get(answer.sentences[at].citations[0])?.number;
  return h(
    "div",
    { class: "answer" },
    h(
      "div",
      { class: "answer-head" },
      h("h2", {}, head.title),
      h("span", { class: "muted" }, head.note),
    ),
    answer.contradictions.map(({ sentences: [one, other] }) =>
      h(
        "p",
        { class: "answer-warning" },
        `Passages ${numbered(one)} and ${numbered(other)} give different values: compare where they stand, and their versions, before you rely on either.`,
      ),
    ),
    h(
      "ol",
      { class: "answer-text plain" },
      answer.sentences.map((one) => (answer.mode === "answer" && !one.cells.length ? written : quotation)(one, pills(one), against(one))),
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
    h("div", { class: "answer-head" }, h("h2", {}, "Found nothing that answers")),
    h("p", {}, WHY_NOT[answer.insufficiency?.reason ?? "nothing_found"]),
    h("p", { class: "muted" }, "What came nearest is below; another wording or a wider scope may find it."),
  );
}
