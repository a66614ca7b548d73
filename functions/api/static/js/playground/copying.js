// An answer with its citations as text to paste elsewhere: Markdown with footnotes, or plain.

import { words } from "../lib/format.js";
import { numberedCitations } from "./answer.js";
import { placeOf, sectionsOf } from "./places.js";

// What Markdown or HTML would make something else of: nothing of a document is live where it is pasted.
const MARKUP = /[\\`*_{}[\]<>()#!|~]/g;
const inMarkdown = (text) => text.replace(MARKUP, "\\$&").replaceAll("://", ":\u200b//").replace(/\bwww\./gi, "$&\u200b");

/** Where a citation stands, in words. */
function placeName(hit) {
  const place = placeOf(hit);
  return [place.name, place.version, sectionsOf(hit.chunk).join(" › "), place.spot].filter(Boolean).join(", ");
}

/** A sentence as people see it: a row by its cells, without what is written and not shown. */
function shownText({ text, hidden, cells }) {
  if (cells.length) return cells.map(({ label, value, hidden: cut }) => [label, without(value, cut)].filter(Boolean).join(": ")).join("; ");
  return without(text, hidden);
}

function without(text, hidden) {
  const gone = new Set(hidden.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at)));
  return [...text].filter((_, at) => !gone.has(at)).join("");
}

function lines(answer) {
  const cited = numberedCitations(answer);
  const numbers = new Map(cited.map(({ hit, number }) => [hit.chunk.id, number]));
  const quoted = answer.mode !== "answer";
  const sentences = answer.sentences.map((one) => ({
    text: shownText(one),
    quoted: quoted || one.cells.length > 0,
    numbers: one.citations.map((id) => numbers.get(id)).filter(Boolean),
  }));
  const sources = cited.map(({ hit, number }) => ({
    number,
    name: placeName(hit),
    address: new URL(placeOf(hit).href, location.origin).href,
    type: words(hit.chunk.chunk_type),
  }));
  return { sentences, sources };
}

/** Markdown: quotations as block quotes, a written answer as a paragraph, citations as footnotes with their links. */
export function toMarkdown(question, answer) {
  const { sentences, sources } = lines(answer);
  const said = sentences.map(({ text, quoted, numbers }) => {
    const marked = inMarkdown(text) + numbers.map((number) => `[^${number}]`).join("");
    return quoted ? `\n\n> ${marked.replaceAll("\n", "\n> ")}\n\n` : `${marked} `;
  });
  const body = sentences.length ? said.join("").replace(/\n{3,}/g, "\n\n").trim() : inMarkdown(answer.answer);
  const notes = sources.map(({ number, name, address }) => `[^${number}]: [${inMarkdown(name)}](${address})`);
  return [`**${inMarkdown(question)}**`, body, notes.join("\n")].filter(Boolean).join("\n\n") + "\n";
}

/** The same without any markup. */
export function toPlainText(question, answer) {
  const { sentences, sources } = lines(answer);
  const said = sentences.map(({ text, quoted, numbers }) => `${quoted ? `“${text}”` : text} ${numbers.map((number) => `[${number}]`).join("")}`.trim());
  const body = sentences.length ? said.join(answer.mode === "answer" ? " " : "\n") : answer.answer;
  const notes = sources.map(({ number, name, address }) => `[${number}] ${name}: ${address}`);
  return [question, body, notes.join("\n")].filter(Boolean).join("\n\n") + "\n";
}
