// The hits as a table: chosen columns, sorted by any attribute, saved as CSV.

import { h } from "../lib/dom.js";
import { converted, figure, milliseconds, plural, words } from "../lib/format.js";
import { Picker } from "../lib/menu.js";
import { placeOf } from "./places.js";

const ATTRIBUTE = "attr:";
const KNOWN = ["document", "version", "date", "section", "place", "text"];
// Characters that stand on one line: a date, the number of a model.
const SHORT = 16;
const quoted = (name) => (["newest", "oldest"].includes(name) ? `"${name}"` : name);

/** The order that a click on the head of a column asks for: ascending, descending, none. */
function next(name, sort) {
  const own = quoted(name);
  return { [own]: `${own} desc`, [`${own} desc`]: "" }[sort] ?? own;
}

function head(column, changes) {
  const number = column.number ? "number" : "";
  if (!column.name.startsWith(ATTRIBUTE)) return h("th", { scope: "col", class: number }, words(column.label));
  const name = column.name.slice(ATTRIBUTE.length);
  const way = { [quoted(name)]: "ascending", [`${quoted(name)} desc`]: "descending" }[changes.sort];
  const sign = { ascending: "▲", descending: "▼" }[way] ?? "";
  return h(
    "th",
    { scope: "col", class: number, "aria-sort": way ?? "none" },
    h("button", { type: "button", class: "column-sort", onclick: () => changes.set({ sort: next(name, changes.sort) }) }, column.label, h("span", { "aria-hidden": "true" }, sign)),
  );
}

/** `said` is the attribute as it is stored of the hit: a number in another unit shows how it is printed. */
function cell(value, column, said) {
  if (value === null) return h("td", { class: column.number ? "number none" : "none" }, "–");
  const other = said && said.value !== value;
  if (typeof value === "number") return h("td", { class: "number", title: other ? `printed: ${said.raw}` : null }, figure(other ? converted(value) : value, column.unit));
  const width = column.name === "text" ? "long" : value.length <= SHORT ? "short" : "";
  return h("td", { class: width }, h("bdi", {}, value));
}

function row({ cells }, hit, columns) {
  const place = placeOf(hit);
  const open = h("a", { href: place.href, data: { preview: place.preview }, "aria-label": `Open ${place.name}, page ${place.page}` }, "Open");
  const said = ({ name }) => name.startsWith(ATTRIBUTE) && hit.chunk.attrs[name.slice(ATTRIBUTE.length)];
  return h("tr", {}, cells.map((value, at) => cell(value, columns[at], said(columns[at]))), h("td", {}, open));
}

/** Chooses columns; the names are read when it is opened first. */
function chooser(columns, changes) {
  const root = h("div", { class: "menu" });
  const chosen = columns.map(({ name }) => name);
  const picker = new Picker(root, {
    legend: "Columns",
    className: "button small",
    least: 1,
    label: () => "Columns",
    changed: () => changes.set({ columns: [...picker.chosen] }),
  });
  picker.fill([], chosen);
  const fill = async () => {
    const names = await changes.names();
    const items = [...names.map((name) => ({ id: `${ATTRIBUTE}${name}`, name: words(name) })), ...KNOWN.map((name) => ({ id: name, name, note: "of the hit" }))];
    const open = picker.menu.button.getAttribute("aria-expanded") === "true";
    picker.fill(items, chosen);
    if (open) picker.menu.button.click();
  };
  picker.menu.button.addEventListener("click", () => fill(), { once: true });
  return root;
}

export function tableView(result, changes) {
  const { columns, rows } = result.table;
  const hits = new Map(result.hits.map((hit) => [hit.chunk.id, hit]));
  const said = h("p", { class: "form-error", role: "alert" });
  const save = () => changes.save().catch((error) => said.replaceChildren(error.message));
  return h(
    "div",
    { class: "result-table" },
    h(
      "div",
      { class: "hits-head" },
      h("h2", {}, "Hits"),
      h("span", { class: "muted" }, `${plural(result.hits.length, "hit")} in ${milliseconds(result.latency_ms)}`),
      h("span", { class: "table-tools" }, chooser(columns, changes), h("button", { type: "button", class: "button small", onclick: save }, "Save as CSV")),
    ),
    said,
    h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Hits as a table" },
      h(
        "table",
        { class: "candidate-table" },
        h("thead", {}, h("tr", {}, columns.map((column) => head(column, changes)), h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Source")))),
        h("tbody", {}, rows.map((one) => row(one, hits.get(one.chunk_id), columns))),
      ),
    ),
  );
}
