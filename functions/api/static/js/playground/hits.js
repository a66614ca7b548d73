// Hits: a stripe and a badge for every index that found them, with rank and score.

import { correctionQuote } from "../lib/correction.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { INDEX_LABEL, milliseconds, plural, score, sectionName, told, words } from "../lib/format.js";
import { emptiness } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { way } from "../lib/way.js";
import { elsewhere, placeOf, sectionsOf } from "./places.js";

function badge(index) {
  return h(
    "span",
    { class: "index-badge", data: { index: index.name } },
    h("b", {}, INDEX_LABEL[index.name]),
    ` #${index.rank}`,
    index.score !== null && h("span", { class: "index-score" }, score(index.score)),
  );
}

const boost = (item) =>
  h(
    "span",
    { class: "index-badge boost" },
    h("b", {}, words(item.name)),
    ` ×${item.factor.toFixed(2)}`,
    item.from_rank !== item.to_rank && ` #${item.from_rank} → #${item.to_rank}`,
  );

/** The text with the query's words marked; short words are left alone unless they hold a digit, as addresses do. */
export function marked(text, query) {
  const found = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.]*[\p{L}\p{N}]/gu) ?? [];
  const terms = [...new Set(found)]
    .filter((term) => term.length > 3 || /\d/.test(term))
    .map((term) => term.replaceAll(".", "\\."));
  if (!terms.length) return [text];
  return text
    .split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${terms.join("|")}))`, "giu"))
    .map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

export const flagTag = (flag) => h("span", { class: "tag flag" }, `⚑ ${words(flag)}`);

function source(hit, place) {
  return h(
    "div",
    { class: "hit-source" },
    h("bdi", { class: "hit-document" }, place.name),
    place.version && h("span", { class: "tag" }, place.older ? `${place.version}, older` : place.version),
    way(sectionsOf(hit.chunk), "hit-section"),
    place.spot && h("span", {}, place.spot),
    elsewhere(place),
    h("span", { class: "hit-type" }, words(hit.chunk.chunk_type)),
    hit.chunk.flags.map(flagTag),
  );
}

function hitItem(hit, at, query, why) {
  const place = placeOf(hit);
  const found = hit.indexes.map((index) => INDEX_LABEL[index.name]).join(", ");
  return h(
    "li",
    { class: "hit", data: { chunk: hit.chunk.id } },
    h(
      "span",
      { class: "stripes", "aria-hidden": "true" },
      hit.indexes.map((index) => h("i", { data: { index: index.name } })),
    ),
    h("span", { class: "hit-rank", "aria-hidden": "true" }, at + 1),
    h(
      "div",
      { class: "hit-body" },
      source(hit, place),
      h(
        "a",
        {
          class: "hit-text",
          dir: direction(told(hit.chunk)),
          href: place.href,
          data: { preview: place.preview },
          "aria-label": `Hit ${at + 1}, ${place.name}, ${hit.kept_row ? place.spot : `page ${place.page}, found by ${found}`}: ${told(hit.chunk).slice(0, 200)}`,
        },
        marked(told(hit.chunk), query),
      ),
      hit.corrected_by.map(correctionQuote),
      h(
        "div",
        { class: "badges" },
        hit.indexes.map(badge),
        hit.boosts.map(boost),
        h("span", { class: "hit-score", title: "Score" }, hit.score ? hit.score.toFixed(4) : ""),
        !hit.kept_row &&
          pinButton(
            () => ({ kind: "chunk", chunk_id: hit.chunk.id }),
            () => [hit.chunk.knowledge_base_id],
            { className: "why", label: `Pin hit ${at + 1} to a notebook` },
          ),
        why &&
          !hit.kept_row &&
          h("button", { type: "button", class: "why", "aria-label": `Why hit ${at + 1}?`, onclick: () => why(hit.chunk.id) }, "Why?"),
      ),
    ),
  );
}

function nothing(query, lookup) {
  if (!query) return emptiness("Nothing passes the filters", "A filter that matches nothing returns nothing. Take one of them away, or widen what is searched.");
  return lookup
    ? emptiness(
        `No section “${query}” here`,
        "Addresses are matched with or without spaces, “§” and capital letters. Try Search for words, or widen what is searched.",
      )
    : emptiness(
        "Nothing found",
        `No chunk in this scope matches “${query}”. Try other words, another index, or widen what is searched.`,
      );
}

/** The hits of `result` under a line that says how many, and how long it took. */
export function hitList(result, query, { lookup = false, why = null } = {}) {
  if (result.hits.length === 0) return nothing(query, lookup);
  const time = result.latency_ms === undefined ? "" : ` in ${milliseconds(result.latency_ms)}`;
  const sections = (result.sections ?? []).map(({ section, told_by: elsewhere }) =>
    h("bdi", { class: "pill" }, elsewhere ? `${sectionName(section)}: only named, its text is below` : sectionName(section)),
  );
  return h(
    "div",
    {},
    h(
      "div",
      { class: "hits-head" },
      h("h2", {}, lookup ? "Section" : "Hits"),
      h(
        "span",
        { class: "muted" },
        `${plural(result.hits.length, lookup ? "chunk" : "hit")}${time}${lookup ? ", document order" : ""}`,
      ),
      sections,
      result.rows_behind?.hits.length > 0 && !result.rows_behind.before_hits && h("a", { href: "#rows-behind" }, `${plural(result.rows_behind.hits.length, "further row")} below`),
    ),
    h(
      "ol",
      { class: "hits plain" },
      result.hits.map((hit, at) => hitItem(hit, at, [query, ...Object.values(result.corrections ?? {})].join(" "), why)),
    ),
  );
}
