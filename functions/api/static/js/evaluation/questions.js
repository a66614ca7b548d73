// The questions that a run did worst on: what was expected, what was found, and the way to try it again.

import { h } from "../lib/dom.js";
import { INDEXES, NAMES, ROUTES } from "./series.js";

const SHOWN = 3;

const best = ({ ranks }) => Math.min(...ranks.map((rank) => rank ?? Infinity));

/** Of gold of an attribute: at how many of its places the value was read. */
function readLine({ places, disagree }) {
  const right = places.filter((place) => place.some((value) => value.right)).length;
  return h(
    "p",
    { class: "ranks" },
    h("span", {}, `read at ${right} of ${places.length}`),
    disagree && h("span", { class: "tag flag" }, "⚑ routes disagree"),
  );
}

function readList({ places }) {
  const values = places.flat().slice(0, SHOWN);
  if (!values.length) return h("p", { class: "muted" }, "nothing");
  return h(
    "ul",
    {},
    values.map((value) => h("li", { class: value.right ? "right" : "" }, value.raw, h("small", {}, ` ${ROUTES[value.route] ?? value.route}`), value.right && " ✓ right")),
  );
}

function rankLine(result) {
  if (result.attribute) return readLine(result.attribute);
  const known = INDEXES.filter((index) => result.indexes[index]);
  if (result.kind === "negative") {
    const said = result.refused === null ? "not asked" : result.refused ? "refused, as it should be" : "answered, though nothing answers it";
    return h("p", { class: "ranks" }, said);
  }
  return h(
    "p",
    { class: "ranks" },
    known.map((index) => {
      const rank = best(result.indexes[index]);
      return h("span", {}, `${NAMES[index]} ${Number.isFinite(rank) ? `rank ${rank}` : "not found"}`);
    }),
    result.refused === true && h("span", {}, "answer refused"),
  );
}

function foundList(result) {
  if (result.attribute) return readList(result.attribute);
  const index = ["hybrid", ...INDEXES].find((name) => result.indexes[name]);
  const found = index ? result.indexes[index].found.slice(0, SHOWN) : [];
  if (!found.length) return h("p", { class: "muted" }, "nothing");
  return h(
    "ul",
    {},
    found.map((place) =>
      h(
        "li",
        { class: place.right ? "right" : "" },
        h(
          "a",
          { href: `/documents/${place.document_id}?page=${place.page ?? 1}&chunk=${place.chunk_id}` },
          `${place.document}${place.page ? `, page ${place.page}` : ""}`,
        ),
        place.right && " ✓ expected",
      ),
    ),
  );
}

function expectedList(result) {
  if (result.kind === "negative") return h("p", { class: "muted" }, "nothing: it cannot be answered");
  return h(
    "ul",
    {},
    result.expected.slice(0, SHOWN).map((text) => h("li", {}, text)),
    result.expected.length > SHOWN && h("li", { class: "muted" }, `and ${result.grades.length - SHOWN} more`),
    result.missing.length > 0 && h("li", { class: "muted" }, `not here: ${result.missing.slice(0, SHOWN).join(", ")}`),
  );
}

/** A row of the list; `slug` is the knowledge base that the question is tried in. */
export function questionRow(result, slug) {
  const mode = result.kind === "negative" ? "ask" : "search";
  const asked = result.attribute ? { where: result.question } : { q: result.question };
  const address = `/playground?${new URLSearchParams({ ...asked, mode, kb: slug })}`;
  return h(
    "li",
    {},
    h("div", {}, h("h3", {}, h("a", { href: address }, result.question)), rankLine(result)),
    h("div", {}, h("h4", {}, "Expected"), expectedList(result)),
    h("div", {}, h("h4", {}, "Found first"), foundList(result)),
  );
}
