// One summary of the documents that are ticked: each statement once, with every document that says it.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { confidence, plural } from "../lib/format.js";
import { TITLES } from "../summary/field.js";
import { placeOf } from "../summary/place.js";

// Shown at once for each document; the server has put first what is said by most, and then in turn what speaks most in each.
const EACH = 2;

function source({ document_id: id, document, statement }) {
  const page = statement.page ? `, p. ${statement.page}` : "";
  return h("a", { class: "pill", href: placeOf(id, statement) }, h("span", {}, h("bdi", {}, document), page, statement.stale && " ⚑"));
}

const statement = (one) =>
  h("li", { class: "summary-statement" }, h("p", { dir: direction(one.text) }, one.text), h("div", { class: "summary-foot" }, one.said_by.map(source)));

function field(one, documents) {
  const id = `group-${one.field}`;
  const stated = documents - one.missing_in.length;
  const first = one.statements.slice(0, EACH * documents);
  const more = one.statements.slice(first.length);
  return h(
    "section",
    { class: "summary-field", "aria-labelledby": id },
    h(
      "header",
      {},
      h("h3", { id }, TITLES[one.field]),
      h("span", { class: "muted" }, `stated by ${stated} of ${documents}${stated ? `, confidence ${confidence(one.confidence)}` : ""}`),
    ),
    first.length > 0 && h("ul", {}, first.map(statement)),
    more.length > 0 && h("details", { class: "summary-more" }, h("summary", {}, `${plural(more.length, "further statement")}`), h("ul", {}, more.map(statement))),
    one.missing_in.length > 0 && h("p", { class: "summary-missing" }, h("strong", {}, "Missing"), ` in ${one.missing_in.join(", ")}.`),
  );
}

const cited = (by, stale) => source({ document_id: by.document_id, document: by.document, statement: { page: by.page, chunk_id: by.chunk_id, stale } });

/** What a model wrote of the group: each sentence below its field, with the passages that bear it out. */
function writtenView(written) {
  const fields = Object.keys(TITLES).filter((name) => written.statements.some((one) => one.field === name));
  const sentence = (one) => h("li", { class: "summary-statement" }, h("p", { dir: direction(one.text) }, one.text), h("div", { class: "summary-foot" }, one.sources.map((by) => cited(by, one.stale))));
  return h(
    "section",
    { class: "summary-written", "aria-labelledby": "group-written" },
    h("h3", { id: "group-written" }, "Written by a model"),
    h("p", { class: "muted" }, `${written.engine.split(", ").pop()}, version ${written.version}, for ${written.author}. Each sentence was held against the passages below it.`),
    written.changed.length > 0 && h("p", { class: "summary-stale" }, h("strong", {}, "It may not hold any more: "), `changed since it was written: ${written.changed.join(", ")}. Write it again.`),
    !fields.length && h("p", { class: "muted" }, "Nothing that it wrote was borne out by the documents."),
    fields.map((name) => h("div", { class: "summary-field" }, h("h4", {}, TITLES[name]), h("ul", {}, written.statements.filter((one) => one.field === name).map(sentence)))),
  );
}

/** Of `said`, which the server put together; `pin` and `write` are buttons, or false. */
export function groupView(said, pin, write) {
  const old = said.documents.filter((one) => one.stale.length);
  return h(
    "div",
    { class: "summary-group" },
    h("header", { class: "summary-group-head" }, h("h2", {}, `Summary of ${plural(said.documents.length, "document")}`), write, pin),
    h("p", { class: "muted" }, "Put together from their summaries as they are now: what says the same stands once, with all who say it. To change a statement, change it in its document's summary. The address of this page keeps the group."),
    said.without_summary.length > 0 && h("p", { class: "summary-stale" }, `${plural(said.without_summary.length, "document")} without a summary: not in it.`),
    old.length > 0 && h("p", { class: "summary-stale" }, h("strong", {}, "It may not hold any more: "), old.map((one) => `${one.document} (${one.stale.join(", ")})`).join("; "), ". Summarize again."),
    said.written && writtenView(said.written),
    said.fields.map((one) => field(one, said.documents.length)),
  );
}
