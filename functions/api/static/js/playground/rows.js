// Rows of long tables that are no passages: a group of its own beside the hits, found by words and ranked by nothing.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { flagTag, marked } from "./hits.js";

const NAMED = 3; // documents

const rows = (count) => `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;

function named({ documents, document_count: count }) {
  const links = documents.slice(0, NAMED).flatMap(({ document: one }, at) => [at > 0 && ", ", h("a", { href: `/documents/${one.id}` }, h("bdi", {}, one.name))]);
  const others = count - Math.min(NAMED, documents.length);
  return [...links, others > 0 && ` and ${plural(others, "other document")}`];
}

function rowItem({ document: source, version, page, row, sheet, range, cells, flags }, query) {
  return h(
    "li",
    { class: "hit row-hit", data: { row } },
    h(
      "div",
      { class: "hit-body" },
      h(
        "div",
        { class: "hit-source" },
        h("bdi", { class: "hit-document" }, source.name),
        (version.label || !version.is_current) && h("span", { class: "tag" }, [version.label, !version.is_current && "older"].filter(Boolean).join(", ")),
        h("bdi", {}, `${sheet}, ${range}`),
        h("span", { class: "hit-type" }, `row ${row.toLocaleString("en")}`),
        flags.map(flagTag),
      ),
      h(
        "a",
        { class: "hit-text", href: `/documents/${source.id}?page=${page}&row=${row}`, "aria-label": `Row ${row} of ${source.name}: ${cells.map(({ label, value }) => (label ? `${label} ${value}` : value)).join(", ").slice(0, 200)}` },
        cells.flatMap(({ label, value }, at) => [
          at > 0 && h("span", { class: "row-gap" }, " · "),
          label && h("span", { class: "row-label" }, `${label} `),
          h("bdi", { dir: direction(value) }, marked(value, query)),
        ]),
      ),
    ),
  );
}

function said({ hits, sought, absent, more }) {
  if (!sought.length) return "They are found by their words alone, and have no part in what was asked: it has no words, a filter, or goes by meaning.";
  if (!hits.length) return "They are found by their words alone: no row has these.";
  const without = absent.length > 0 && `In none of them: ${absent.join(", ")}.`;
  return ["Found by their words alone, in the order of their sheets.", without, more && "More rows have them: look into the document, or give more words."].filter(Boolean).join(" ");
}

/** The group of `behind`, what a search says of such rows; null where there are none in scope. */
export function rowGroup(behind, query) {
  if (!behind) return null;
  const { hits, unread } = behind;
  return h(
    "section",
    { class: "rows-behind", "aria-labelledby": "rows-behind" },
    h(
      "div",
      { class: "hits-head" },
      h("h2", { id: "rows-behind" }, "Rows behind the passages"),
      h("span", { class: "muted" }, hits.length > 0 && `${plural(hits.length, "row")}, of `, `${rows(behind.rows)} of `, named(behind), " that are no passages"),
    ),
    h("p", { class: "muted" }, said(behind), unread > 0 && ` Of ${rows(unread)} nothing is known: reingest their document.`),
    hits.length > 0 && h("ol", { class: "hits plain" }, hits.map((one) => rowItem(one, query))),
  );
}
