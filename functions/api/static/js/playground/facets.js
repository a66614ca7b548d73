// What a result holds by the values of its attributes. Choosing one sets the filter, which stays to be edited.

import { h } from "../lib/dom.js";
import { converted, count, figure, plural, words } from "../lib/format.js";

const WIDE = matchMedia("(min-width: 900px)");
const end = (value, unit) => (typeof value === "number" ? figure(value, unit) : value);

/** A tick for one value; its bar is its share of the most frequent one. */
function valueItem(facet, item, most, choose) {
  return h(
    "label",
    { class: "facet-choice", vars: { share: item.count / most } },
    h("input", { type: "checkbox", checked: item.chosen, onchange: () => choose(item.where) }),
    h("bdi", { class: "facet-name" }, facet.kind === "boolean" ? { true: "yes", false: "no" }[item.value] : item.value),
    h("span", { class: "facet-count" }, count(item.count)),
  );
}

function rangeItem({ unit }, item, most, choose) {
  return h(
    "button",
    {
      type: "button",
      class: "facet-choice range",
      vars: { share: item.count / most },
      "aria-pressed": String(item.chosen),
      disabled: item.count === 0 && !item.chosen,
      onclick: () => choose(item.where),
    },
    h("span", { class: "facet-name" }, `${end(item.low, unit)} to ${end(item.high, unit)}`),
    h("span", { class: "facet-count" }, count(item.count)),
  );
}

/** The filter with the bounds of both fields, in place of what it says of the attribute. */
function bounded(facet, low, high) {
  const unit = facet.unit ? ` ${facet.unit}` : "";
  const value = (text) => (facet.kind === "date" ? `"${text}"` : `${text}${unit}`);
  const bounds = [low && `${facet.written} >= ${value(low)}`, high && `${facet.written} <= ${value(high)}`].filter(Boolean);
  return [facet.rest && `(${facet.rest})`, ...bounds].filter(Boolean).join(" and ");
}

function bounds(facet, choose) {
  // A rest that only JSON can say cannot be put before a written bound.
  if (facet.rest.startsWith("{")) return null;
  const field = (label, bound) =>
    h("input", {
      type: facet.kind === "date" ? "date" : "number",
      step: facet.kind === "date" ? null : "any",
      "aria-label": `${words(facet.name)} ${label}`,
      placeholder: facet.kind === "date" ? null : end(typeof bound === "number" ? converted(bound) : bound, facet.unit),
    });
  const low = field("from", facet.low);
  const high = field("to", facet.high);
  const apply = (event) => {
    event.stopPropagation();
    if (low.validity.valid && high.validity.valid && (low.value || high.value)) choose(bounded(facet, low.value, high.value));
  };
  return h("div", { class: "facet-bounds", onchange: apply }, low, h("span", {}, "to"), high);
}

function facetView(facet, choose) {
  const items = [...facet.values, ...facet.ranges];
  const most = Math.max(1, ...items.map((item) => item.count));
  return h(
    "fieldset",
    { class: "facet", data: { facet: facet.name } },
    h(
      "legend",
      {},
      h("bdi", {}, words(facet.name)),
      facet.unit && h("small", {}, facet.unit),
      facet.narrowed && h("button", { type: "button", class: "link-button", onclick: () => choose(facet.rest) }, "any"),
    ),
    facet.values.map((item) => valueItem(facet, item, most, choose)),
    facet.ranges.map((item) => rangeItem(facet, item, most, choose)),
    facet.ranges.length > 0 && bounds(facet, choose),
    facet.further > 0 && h("small", { class: "muted" }, `and ${plural(facet.further, "more value")}`),
  );
}

/** The facets under a line that says of what; on a narrow page they are folded. */
export function facetPanel(facets, changes) {
  const choose = (where) => changes.set({ where });
  const of = facets.counted === "matches" ? plural(facets.chunks, "match", "matches") : `the best ${plural(facets.chunks, "match", "matches")}`;
  const names = facets.attributes.flatMap(({ name }) => [name, `${name} desc`]);
  return h(
    "details",
    { class: "facets", open: WIDE.matches },
    h("summary", {}, h("h2", {}, "Narrow down"), h("span", { class: "muted" }, of)),
    facets.attributes.map((facet) => facetView(facet, choose)),
    facets.attributes.length === 0 && h("p", { class: "muted" }, "Nothing here has attributes."),
    h("datalist", { id: "sort-names" }, ["newest", "oldest", ...names].map((name) => h("option", { value: name }))),
  );
}
