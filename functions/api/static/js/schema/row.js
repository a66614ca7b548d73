// An attribute on the page: its name, type and unit as fields, where it was read, and what does not fit together.

import { h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { select } from "../lib/form.js";
import { plainName, TYPES } from "./draft.js";

const REFUSED = { type: "of another type", unit: "in no unit that fits", value: "not an allowed value" };
const hrefOf = (one) => `/documents/${one.document_id}?page=${one.page ?? 1}&chunk=${one.chunk_id}`;

/** Links to where values stand; their boxes are marked there. */
export function exampleLinks(examples) {
  const different = [...new Map(examples.map((one) => [one.raw.toLowerCase(), one])).values()];
  return different.slice(0, 4).map((one) => h("a", { class: "attr-example", href: hrefOf(one), title: `${one.document}, page ${one.page ?? 1}` }, one.raw.length > 40 ? `${one.raw.slice(0, 39)}…` : one.raw));
}

function coverage({ seen }) {
  const share = seen.coverage;
  return h(
    "div",
    { class: "attr-coverage" },
    share !== null && h("span", { class: "attr-bar", "aria-hidden": "true" }, h("i", { vars: { share: Math.min(1, share) } })),
    h("span", {}, share === null ? plural(seen.documents, "document") : `${Math.round(share * 100)} % of documents`),
    h("small", {}, plural(seen.count, "value")),
  );
}

function printedAs({ d, seen }) {
  const names = seen.names.map(({ name, units }) => (units?.length ? `${name} [${units.slice(0, 3).join(", ")}]` : name));
  const others = d.synonyms.filter((one) => !seen.names.some(({ name }) => name === one || name === plainName(one)));
  return h("div", { class: "attr-printed" }, h("span", { class: "visually-hidden" }, "Printed as "), [...names, ...others].join(", "));
}

function notes(row, acts, writable) {
  const { seen } = row;
  const refused = Object.entries(seen.refused ?? {}).map(([reason, number]) => h("li", { class: "attr-conflict" }, `${count(number)} ${REFUSED[reason] ?? reason}: left out`, ...exampleLinks(row.leftOut?.[reason] ?? [])));
  const maybe = seen.maybe.slice(0, 3).map((name) => writable && h("li", {}, h("button", { type: "button", class: "button small quiet", onclick: () => acts.mergeNamed(row, name) }, `Same as ${name}?`)));
  const all = [...seen.conflicts.map((text) => h("li", { class: "attr-conflict" }, `also ${text}`)), ...refused, ...maybe].filter(Boolean);
  return all.length ? h("ul", { class: "attr-notes plain" }, all) : null;
}

/** What is said in fields that are seldom needed. */
function details(row, acts, writable) {
  const { d } = row;
  const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
  const area = (label, value, hint, set) =>
    h("label", { class: "field" }, h("span", {}, label), h("textarea", { rows: 4, disabled: !writable, onchange: (event) => acts.edit(row, () => set(lines(event.target.value))) }, value), h("small", {}, hint));
  const valueLine = ({ value, synonyms }) => [value, ...(synonyms ?? [])].join(" | ");
  const toValue = (line) => {
    const [value, ...synonyms] = line.split("|").map((one) => one.trim()).filter(Boolean);
    return { value, synonyms };
  };
  return h(
    "div",
    { class: "attr-details", id: `${row.id}-details` },
    area("Also printed as", d.synonyms.join("\n"), "One a line; labels and headers that say this are read as it.", (found) => (d.synonyms = found)),
    d.type === "category" && area("Allowed values", d.values.map(valueLine).join("\n"), "One a line, with what else stands for it behind |. Empty: any.", (found) => (d.values = found.map(toValue).filter(({ value }) => value))),
    d.type === "number" && d.unit && h("label", { class: "check" }, h("input", { type: "checkbox", checked: d.bare, disabled: !writable, onchange: (event) => acts.edit(row, () => (d.bare = event.target.checked)) }), h("span", {}, `Numbers without a unit are in ${d.unit}`)),
    h("label", { class: "field" }, h("span", {}, "Description"), h("input", { type: "text", value: d.description, maxlength: 2000, disabled: !writable, onchange: (event) => acts.edit(row, () => (d.description = event.target.value.trim())) })),
  );
}

/** The row's node; `acts` are {edit, keep, rename, merge, mergeNamed, split, toggle}. */
export function rowView(row, acts, { writable, opened, open }) {
  const { d, id } = row;
  const mark = row.keep ? (row.was || open ? "" : "new") : row.was ? "taken out" : "";
  const button = (label, work, more = {}) => h("button", { type: "button", class: "button small quiet", "aria-label": `${label.replace("…", "")} ${d.name}`, onclick: work, ...more }, label);
  return h(
    "li",
    { class: `attr${row.keep ? " kept" : ""}`, id, data: { name: d.name } },
    h("label", { class: "attr-keep" }, h("input", { type: "checkbox", id: `${id}-keep`, checked: row.keep, disabled: !writable, "aria-label": `${d.name} counts`, onchange: (event) => acts.keep(row, event.target.checked) })),
    h(
      "div",
      { class: "attr-fields" },
      h("input", { type: "text", id: `${id}-name`, class: "attr-name", value: d.name, maxlength: 60, spellcheck: "false", autocomplete: "off", disabled: !writable, "aria-label": `Name of ${d.name}`, onchange: (event) => acts.rename(row, event.target.value) }),
      select({ id: `${id}-type`, disabled: !writable, "aria-label": `Type of ${d.name}`, onchange: (event) => acts.retype(row, event.target.value) }, TYPES.map((value) => ({ value, label: value })), d.type),
      d.type === "number"
        ? h("input", { type: "text", id: `${id}-unit`, class: "attr-unit", value: d.unit ?? "", placeholder: "no unit", spellcheck: "false", autocomplete: "off", disabled: !writable, "aria-label": `Unit of ${d.name}`, onchange: (event) => acts.edit(row, () => (d.unit = event.target.value.trim() || null)) })
        : h("span", { class: "attr-unit muted" }, d.type === "category" && d.values.length ? plural(d.values.length, "value") : ""),
      mark && h("span", { class: `tag attr-mark${row.was ? " flag" : ""}` }, mark),
    ),
    coverage(row),
    h("div", { class: "attr-read" }, printedAs(row), h("div", { class: "attr-examples" }, exampleLinks(row.seen.examples)), notes(row, acts, writable)),
    h(
      "div",
      { class: "attr-actions" },
      button("Details", () => acts.toggle(row), { id: `${id}-more`, "aria-expanded": String(opened), "aria-controls": `${id}-details` }),
      writable && button("Merge…", () => acts.merge(row), { id: `${id}-merge` }),
      writable && row.seen.names.length > 1 && button("Split…", () => acts.split(row), { id: `${id}-split` }),
    ),
    opened && details(row, acts, writable),
  );
}
