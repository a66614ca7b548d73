// One section of the comparison: what became of it, where it stands in either version, and its words.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { plural, sectionName } from "../lib/format.js";

const STATUS = {
  added: ["+", "added"],
  removed: ["−", "removed"],
  changed: ["~", "changed"],
  moved: ["→", "moved"],
  unchanged: ["=", "unchanged"],
};
const FLAGS = {
  numbers: "numbers",
  units: "units",
  limits: "limits",
  negation: "not, never",
  modality: "must, should, may",
};
const TAGS = { equal: "span", removed: "del", added: "ins" };
const SMALL = "small wording change";
const UNTITLED = "Before the first section";

const nameOf = (side) => sectionName(side) || UNTITLED;

function title(item) {
  const { a, b } = item;
  if (!a || !b) return nameOf(a ?? b);
  if (a.address !== b.address)
    return [h("span", { class: "was" }, nameOf(a)), h("span", { class: "arrow" }, " → "), nameOf(b)];
  return nameOf(b);
}

function above(item) {
  const side = item.b ?? item.a;
  return side.path.slice(0, -1).map(nameOf).join(" › ");
}

/** A link to where one side stands; null where it is not there. */
function placeOf(side, diff, which) {
  const { page, chunk_id: chunk } = side ?? {};
  if (page === null || page === undefined) return null;
  const { id } = diff[which];
  const query = chunk ? `?page=${page}&chunk=${chunk}` : `?page=${page}`;
  const text = `${diff.labels[id]}, page ${page}`;
  return h("a", { class: `place place-${which}`, href: `/documents/${id}${query}` }, text);
}

function words(part) {
  return part.words.map((run, n) => {
    const before = part.words[n - 1]?.text ?? "";
    return [/\w$/.test(before) && /^\w/.test(run.text) ? " " : "", h(TAGS[run.op], {}, run.text)];
  });
}

function passage(part, diff) {
  const note = part.status === "moved" ? "came from another section" : part.meaning === "same" ? SMALL : null;
  const text = part.words.length ? words(part) : "The same words.";
  return h(
    "div",
    { class: `passage ${part.status}` },
    h("p", { dir: direction(part.words.map((run) => run.text).join(" ")) }, text),
    h(
      "div",
      { class: "passage-foot" },
      note && h("span", { class: "tag" }, note),
      part.flags.map((flag) => h("span", { class: "tag flag" }, FLAGS[flag])),
      placeOf(part.a, diff, "a"),
      placeOf(part.b, diff, "b"),
    ),
  );
}

function foot(item, diff) {
  if (item.parts.length)
    return item.unchanged_parts > 0 && h("p", { class: "muted" }, `${plural(item.unchanged_parts, "passage")} unchanged`);
  return h("p", { class: "passage-foot" }, placeOf(item.a, diff, "a"), placeOf(item.b, diff, "b"));
}

export function article(item, diff) {
  const [sign, status] = STATUS[item.status];
  const context = above(item);
  return h(
    "article",
    { class: `diff-item ${item.status}`, tabindex: "-1" },
    h(
      "header",
      {},
      h("span", { class: `status ${item.status}` }, h("b", { "aria-hidden": "true" }, sign), status),
      h("h2", {}, h("bdi", {}, title(item))),
      item.moved && item.status !== "moved" && h("span", { class: "tag" }, "moved"),
      item.meaning === "same" && h("span", { class: "tag" }, SMALL),
    ),
    context && h("p", { class: "above" }, context),
    item.parts.map((part) => passage(part, diff)),
    foot(item, diff),
  );
}
