// What was quoted or written, statement by statement with citation pills; or the plain statement that nothing answers.

import { correctionQuote } from "../lib/correction.js";
import { direction } from "../lib/direction.js";
import { alter, h, keepChildren } from "../lib/dom.js";
import { confidence, words } from "../lib/format.js";
import { elsewhere, placeOf, sectionsOf } from "./places.js";

/** As many rows that meet what is asked are quoted. */
const ROWS_QUOTED = 10;
/** No column of quoted rows is wider, in characters, for the sake of the rows below. */
const CELL_WIDTH = 24;

function pill(hit, number) {
  const place = placeOf(hit);
  return h(
    "a",
    {
      class: "citation",
      href: place.href,
      data: { preview: place.preview },
      "aria-label": `Citation ${number}: ${place.name}, ${hit.chunk.section_id ?? words(hit.chunk.chunk_type)}, ${hit.kept_row ? place.spot : `page ${place.page}`}`,
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
      sectionsOf(hit.chunk).length > 0 && [" · ", h("bdi", {}, sectionsOf(hit.chunk).join(" › "))],
      place.spot && ` · ${place.spot}`,
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

function cellView({ label, value, answers, hidden }, width) {
  const shown = marked(value, [], hidden);
  return h(
    "div",
    { class: answers ? "cell answers" : "cell", vars: width ? { wide: `${width}ch` } : {} },
    h("dt", { dir: direction(label ?? "") }, label || "–"),
    h("dd", { dir: direction(value) }, answers ? h("mark", {}, shown) : shown),
  );
}

/** For each statement the widths of its cells, in characters, where the one before or behind is a row with the same headers: such rows stand below each other as in a table. */
function widthsOf(sentences) {
  const headers = sentences.map(({ cells }) => cells.length > 0 && JSON.stringify(cells.map(({ label }) => label)));
  const together = sentences.map((_, at) => headers[at] && (headers[at] === headers[at - 1] || headers[at] === headers[at + 1]));
  const widest = new Map();
  sentences.forEach(({ cells }, at) => {
    if (!together[at]) return;
    const own = cells.map(({ label, value }) => Math.min(Math.max(label.length, value.length), CELL_WIDTH));
    const known = widest.get(headers[at]) ?? own;
    widest.set(headers[at], own.map((width, column) => Math.max(width, known[column])));
  });
  return sentences.map((_, at) => (together[at] ? widest.get(headers[at]) : []));
}

/** How many rows are meant by the question, of which some are quoted. */
function counted({ rows, compared, said }) {
  const quoted = rows > ROWS_QUOTED ? `, ${ROWS_QUOTED} of them quoted` : "";
  return `${rows} of the ${compared} rows of the table (${said.join(" · ")})${quoted}:`;
}

/** A statement as it was quoted; below it what was written since against it. */
function quotation({ text, marks, hidden, cells, compared, meeting, listed }, pills, corrections, widths) {
  const quotes = corrections.map(correctionQuote);
  const over = compared && h("p", { class: "muted" }, `Compared over ${compared} rows of its table.`);
  if (cells.length > 0)
    return h(
      "li",
      { class: "quotation sentence row" },
      meeting && h("p", { class: "rows-meeting" }, counted(meeting)),
      h("dl", { class: "cells" }, cells.map((cell, at) => cellView(cell, widths[at]))),
      pills,
      over,
      quotes,
    );
  const kind = listed ? "quotation sentence listed" : "quotation sentence";
  return h("li", { class: kind, dir: direction(text) }, h("q", {}, marked(text, marks, hidden)), " ", pills, quotes);
}

/** A model's sentence: text alone, whatever it holds, so that no link or image of it is ever live. */
const written = ({ text }, pills, corrections) =>
  h("li", { class: "sentence", dir: direction(text) }, h("span", {}, text), " ", pills, corrections.map(correctionQuote));

const gone = () => h("li", { class: "sentence gone" }, "What was said here stands on something that is deleted or no longer visible.");

/** What an answer begins with that answers nothing; why stands behind it. */
const REFUSED = "Found nothing that answers";

/** Why nothing answers, as the answer says it. */
function whyNot({ answer }) {
  const why = answer.replace(`${REFUSED}: `, "");
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
}

function headOf({ mode, model, sentences, confidence: sure, unfinished }) {
  const certainty = unfinished ? "still at work…" : sure !== undefined && `confidence ${confidence(sure)} that the documents answer this`;
  const title = mode === "answer" ? "Answer" : sentences.length === 1 ? "Passage" : "Passages";
  const how = mode === "answer" ? `written by ${model}, each sentence checked against what it cites` : "quoted word for word";
  return { title, note: [how, certainty].filter(Boolean).join(" · ") };
}

/** Chunk id → its number: in the order in which the sentences cite them, so that no number changes while more come. */
export function numbersOf({ sentences, citations }) {
  const known = new Set(citations.map((hit) => hit.chunk.id));
  const cited = new Set(sentences.flatMap((one) => one.citations).filter((id) => known.has(id)));
  return new Map([...cited, ...known].filter((id, at, ids) => ids.indexOf(id) === at).map((id, at) => [id, at + 1]));
}

/** The hits that an answer cites, by their numbers. */
export function numberedCitations(answer) {
  const numbers = numbersOf(answer);
  const named = new Map(answer.citations.map((hit) => [hit.chunk.id, hit]));
  return [...numbers].map(([id, number]) => ({ hit: named.get(id), number }));
}

/** An answer that is drawn as often as more of it is known. What stands there already stays as it is, with what the
 * reader has selected in it. */
export class AnswerView {
  #drawn = [];
  #listed = new Map();

  /** `signs` make a citation's pill and its line among the sources, of a hit and its number. */
  constructor(signs = { pill, source: sourceLine }) {
    this.signs = signs;
    this.head = h("div", { class: "answer-head" });
    this.list = h("ol", { class: "answer-text plain" });
    this.sources = h("ol", { class: "sources plain", "aria-label": "Citations" });
    this.warnings = [];
    this.node = h("div", { class: "answer" }, this.head, this.list);
  }

  draw(answer) {
    const { title, note } = headOf(answer);
    alter(this.head, h("div", { class: "answer-head" }, h("h3", {}, title), h("span", { class: "muted" }, note)));
    const cited = numberedCitations(answer);
    const numbered = new Map(cited.map((one) => [one.hit.chunk.id, one]));
    this.#sentences(answer, numbered);
    this.warnings = answer.contradictions.map((pair) => contradiction(answer, pair, numbered));
    this.#sources(cited);
    keepChildren(this.node, [this.head, ...this.warnings, this.list, ...(cited.length ? [this.sources] : [])]);
    return this.node;
  }

  #sources(cited) {
    const key = ({ hit, number }) => `${hit.chunk.id} ${number}`;
    this.#listed = new Map(cited.map((one) => [key(one), this.#listed.get(key(one)) ?? this.signs.source(one.hit, one.number)]));
    keepChildren(this.sources, [...this.#listed.values()]);
  }

  #sentences(answer, numbered) {
    // A correction stands once, below the first statement that it speaks against.
    const said = new Set();
    const widths = widthsOf(answer.sentences);
    this.#drawn = answer.sentences.map((one, at) => {
      const cited = one.citations.map((id) => numbered.get(id)).filter(Boolean);
      const notes = new Map(cited.flatMap(({ hit }) => hit.corrected_by).map((note) => [note.id, note]));
      const against = [...notes.values()].filter(({ id }) => !said.has(id));
      against.forEach(({ id }) => said.add(id));
      const key = JSON.stringify([answer.mode, one, widths[at], cited.map(({ number }) => number), against.map(({ id }) => id)]);
      if (this.#drawn[at]?.key === key) return this.#drawn[at];
      // The table that a row is of may only be known at the end; the text of the row stays all the same.
      const pills = h("span", {}, cited.map(({ hit, number }) => this.signs.pill(hit, number)));
      const fresh = one.no_longer_visible ? gone() : (answer.mode === "answer" && !one.cells.length ? written : quotation)(one, pills, against, widths[at]);
      if (!this.#drawn[at]) return { key, node: fresh };
      alter(this.#drawn[at].node, fresh);
      return { key, node: this.#drawn[at].node };
    });
    keepChildren(this.list, this.#drawn.map(({ node }) => node));
  }
}

function contradiction({ sentences }, { sentences: pair }, numbered) {
  const [one, other] = pair.map((at) => numbered.get(sentences[at].citations[0])?.number);
  return h(
    "p",
    { class: "answer-warning" },
    `Passages ${one} and ${other} give different values: compare where they stand, and their versions, before you rely on either.`,
  );
}

/** A whole answer. */
export const answerView = (answer, signs) => new AnswerView(signs).draw(answer);

/** That nothing answers; `below`: what came nearest is shown below it. */
export function noEvidence(answer, below) {
  const otherwise =
    answer.insufficiency?.reason === "nothing_there"
      ? "Add documents, or wait until they are read; then ask again."
      : `${below ? "What came nearest is below; another" : "Another"} wording or a wider scope may find it.`;
  return h(
    "div",
    { class: "answer insufficient" },
    h("div", { class: "answer-head" }, h("h3", {}, REFUSED)),
    h("p", { dir: "auto" }, whyNot(answer)),
    h("p", { class: "muted" }, otherwise),
  );
}
