// The steps of a dataset: what each does in words, and the forms that add one.

import { h, settled } from "../lib/dom.js";
import { field, openForm, select } from "../lib/form.js";
import { plural } from "../lib/format.js";
import { printedUnit, withUnit } from "../lib/units.js";

const NUMBERS = ["number", "integer", "quantity"];
const FUNCTIONS = ["mean", "sum", "count", "median", "min", "max", "stddev", "stderr", "q1", "q3", "distinct", "first"];
const options = (values) => values.map((value) => ({ value, label: value }));

const WORDS = {
  filter: (one) => `Keep rows where ${one.where}`,
  select: (one) => `Keep columns ${one.columns.join(", ")}`,
  rename: (one) => `Call ${one.column} ${one.name}`,
  derive: (one) => `${one.name} = ${one.expression}${one.unit ? ` in ${printedUnit(one.unit)}` : ""}`,
  group: (one) => `${one.aggregates.map((a) => `${a.function}${a.column ? ` of ${a.column}` : ""}`).join(", ")}${one.by.length ? ` for each ${one.by.join(", ")}` : " of all rows"}`,
  join: (one, names) => `Join ${names.get(one.dataset_id) ?? "another dataset"} where ${one.on.map((key) => `${key.left} = ${key.right}`).join(" and ")}`,
  stack: (one, names) => `Rows of ${names.get(one.dataset_id) ?? "another dataset"} below`,
  distinct: (one) => `One row for each different ${one.columns.length ? one.columns.join(", ") : "row"}`,
  share: (one) => `${one.column} in percent of the total${one.by.length ? ` of each ${one.by.join(", ")}` : ""}`,
  spread: (one) => `What is printed behind ${one.column} as its spread`,
  pivot: (one) => `A column for each ${one.column}, with the ${one.function} of ${one.value} for each ${one.index.join(", ")}`,
  melt: (one) => `Columns ${one.columns.join(", ")} as rows`,
  log: (one) => `Logarithm of ${one.column}, base ${one.base}`,
  standardise: (one) => `Standardise ${one.column}`,
  convert: (one) => `${one.column} in ${printedUnit(one.unit)}`,
  sort: (one) => `Sort by ${one.column}${one.descending ? ", the largest first" : ""}`,
  limit: (one) => `The first ${one.rows} rows`,
  origin: (one) => `${one.document} and ${one.version} of each row`,
  labels: (one) => `${one.name}: the label over each group of rows${one.drop ? ", without the rows that are but labels" : ""}`,
  fill: (one) => `Empty cells of ${one.column} as above`,
};
const TITLES = {
  filter: "Filter rows",
  derive: "Compute a column",
  group: "Group and aggregate",
  select: "Select columns",
  rename: "Rename a column",
  sort: "Sort",
  limit: "First rows",
  convert: "Convert units",
  log: "Logarithm",
  standardise: "Standardise",
  pivot: "Pivot to columns",
  melt: "Melt to rows",
  stack: "Stack a dataset below",
  join: "Join a dataset",
  distinct: "Take equal rows once",
  share: "Share of the total",
  spread: "Spread behind numbers (±)",
  origin: "Say where rows come from",
  labels: "Label over each group",
  fill: "Fill empty cells from above",
};

export const inWords = (step, names) => WORDS[step.op](step, names);

const expression = (name, hint) => h("textarea", { name, rows: 2, required: true, maxlength: 2000, spellcheck: "false", placeholder: hint, "data-wrong": "Write an expression." });
const text = (name, more = {}) => h("input", { name, maxlength: 300, autocomplete: "off", ...more });
const named = (column) => ({ value: column.label, label: withUnit(column) });
const choice = (name, columns, more = {}) => select({ name, ...more }, columns.map(named));
const numbersFirst = (columns) => [...columns.filter((one) => NUMBERS.includes(one.type)), ...columns.filter((one) => !NUMBERS.includes(one.type))];
const several = (name, columns, required = true) => h("select", { name, multiple: true, required, size: Math.min(8, Math.max(2, columns.length)), "data-wrong": "Choose at least one column." }, columns.map((one) => h("option", { value: one.label }, one.label)));
const chosen = (form, name) => [...form.elements[name].selectedOptions].map((one) => one.value);
const EXPRESSIONS = "Columns as [Label], texts as \"base\", units as 1 kg; + - * / % ^, = != < >, and, or, not, in (…), between … and …";
const CALLS = ["if(condition, then, else)", "round(number, digits)", "abs()", "floor()", "ceil()", "sqrt()", "ln()", "log10()", "log2()", "exp()", "least(,)", "greatest(,)", "coalesce(,)", "is_missing()", "number(text)", "text()", "contains(text, part)", "starts_with(text, part)", "replace(text, part, by)", "substring(text, first, length)", "concat(,)", "lower()", "upper()", "trim()", "length()", "year(date)", "month(date)", "day(date)"];

/** An expression with what it may be made of, which is put in at the cursor. */
function written(name, hint, columns) {
  const box = expression(name, hint);
  const put = (words) => () => {
    box.setRangeText(words, box.selectionStart, box.selectionEnd, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
  };
  const part = (words, said = words) => h("button", { type: "button", class: "button small", onclick: put(words) }, said);
  const labels = columns.map((one) => part(`[${one.label.replaceAll("]", "]]")}]`, withUnit(one)));
  const calls = CALLS.map((one) => part(one.replace(/\(.*\)/, one.includes(",") ? "(, )" : "()"), one));
  return [field(name === "where" ? "Keep rows where" : "Is", box, EXPRESSIONS), h("details", { class: "expression-parts", open: columns.length <= 12 }, h("summary", {}, "Columns"), h("div", {}, labels)), h("details", { class: "expression-parts" }, h("summary", {}, "Functions"), h("div", {}, calls))];
}

/** For each kind: its fields over the columns that there are, and the step that a form says. */
const FORMS = {
  filter: { fields: (columns) => written("where", '[Year] >= 2020 and [Model] != "base"', columns), step: (f) => ({ where: f.where.value }) },
  derive: {
    fields: (columns) => [
      field("Name", text("name", { required: true, "data-wrong": "Give the column a name." })),
      ...written("expression", "[Output] / [Input] * 100", columns),
      field("Unit", text("unit", { maxlength: 60, placeholder: "as computed" }), "Where it is another one, or cannot be computed: kg, m/s, EUR …"),
    ],
    step: (f) => ({ name: f.name.value, expression: f.expression.value, ...(f.unit.value.trim() ? { unit: f.unit.value.trim() } : {}) }),
  },
  group: {
    fields: (columns) => [field("For each", several("by", columns, false), "None: one row for all."), field("Function", select({ name: "function" }, options(FUNCTIONS))), field("Of", choice("column", numbersFirst(columns)))],
    step: (f, form) => ({ by: chosen(form, "by"), aggregates: [{ function: f.function.value, column: f.column.value }] }),
  },
  select: { fields: (columns) => [field("Columns", several("columns", columns))], step: (_, form) => ({ columns: chosen(form, "columns") }) },
  rename: { fields: (columns) => [field("Column", choice("column", columns)), field("Is called", text("name", { required: true, "data-wrong": "Give it a name." }))], step: (f) => ({ column: f.column.value, name: f.name.value }) },
  sort: { fields: (columns) => [field("By", choice("column", columns)), field("Order", select({ name: "descending" }, [{ value: "", label: "smallest first" }, { value: "yes", label: "largest first" }]))], step: (f) => ({ column: f.column.value, descending: f.descending.value === "yes" }) },
  limit: { fields: () => [field("Rows", h("input", { name: "rows", type: "number", min: 1, max: 1000000, value: 100, required: true }))], step: (f) => ({ rows: Number(f.rows.value) }) },
  origin: {
    fields: () => [field("Documents in", text("document", { value: "Document", required: true })), field("Versions in", text("version", { value: "Version", required: true }), "Missing where a row is made of rows of several.")],
    step: (f) => ({ document: f.document.value, version: f.version.value }),
  },
  labels: {
    fields: () => [
      field("Labels in", text("name", { value: "Group", required: true }), "As Dev and Test, each alone in a row over those that belong to it."),
      field("Rows that are but labels", select({ name: "drop" }, [{ value: "yes", label: "go" }, { value: "", label: "stay" }])),
    ],
    step: (f) => ({ name: f.name.value, drop: f.drop.value === "yes" }),
  },
  fill: { fields: (columns) => [field("Column", choice("column", columns), "A label that is printed once for several rows stands in each of them.")], step: (f) => ({ column: f.column.value }) },
  convert: { fields: (columns) => [field("Column", choice("column", columns.filter((one) => one.type === "quantity"))), field("To", text("unit", { required: true, placeholder: "g, m/s, °C …", "data-wrong": "Say which unit." }))], step: (f) => ({ column: f.column.value, unit: f.unit.value }) },
  log: { fields: (columns) => [field("Column", choice("column", columns.filter((one) => NUMBERS.includes(one.type)))), field("Base", select({ name: "base" }, options(["10", "2", "e"])))], step: (f) => ({ column: f.column.value, base: f.base.value }) },
  standardise: { fields: (columns) => [field("Column", choice("column", columns.filter((one) => NUMBERS.includes(one.type))))], step: (f) => ({ column: f.column.value }) },
  pivot: {
    fields: (columns) => [field("Rows for each", several("index", columns)), field("A column for each", choice("column", columns)), field("With", choice("value", numbersFirst(columns))), field("Function", select({ name: "function" }, options(["first", ...FUNCTIONS.slice(0, -1)])))],
    step: (f, form) => ({ index: chosen(form, "index"), column: f.column.value, value: f.value.value, function: f.function.value }),
  },
  melt: { fields: (columns) => [field("Columns", several("columns", columns)), field("Their names in", text("name", { value: "variable", required: true })), field("Their values in", text("value", { value: "value", required: true }))], step: (f, form) => ({ columns: chosen(form, "columns"), name: f.name.value, value: f.value.value }) },
  stack: {
    fields: (_, others) => [field("Dataset", select({ name: "dataset_id" }, others.map(({ id, name }) => ({ value: id, label: name }))), "Its rows go below these, each column below that of the same name; numbers are converted to the unit here.")],
    step: (f) => ({ dataset_id: f.dataset_id.value }),
  },
  distinct: { fields: (columns) => [field("Columns", several("columns", columns, false), "These alone are left. None: all of them.")], step: (_, form) => ({ columns: chosen(form, "columns") }) },
  share: {
    fields: (columns) => [field("Of", choice("column", columns.filter((one) => NUMBERS.includes(one.type)))), field("In the total of each", several("by", columns, false), "None: of all rows.")],
    step: (f, form) => ({ column: f.column.value, by: chosen(form, "by") }),
  },
  spread: { fields: (columns) => [field("Column", choice("column", columns.filter((one) => NUMBERS.includes(one.type) && !one.formula)), "0.91 ± 0.02 and 0.91 (0.02) have 0.02 behind them.")], step: (f) => ({ column: f.column.value }) },
  join: {
    fields: (columns, others) => [field("Dataset", select({ name: "dataset_id" }, others.map(({ id, name }) => ({ value: id, label: name })))), field("Where", choice("left", columns)), field("equals its column", text("right", { required: true, "data-wrong": "Give the label of its column." })), field("Rows without a match", select({ name: "how" }, [{ value: "left", label: "stay" }, { value: "inner", label: "go" }]))],
    step: (f) => ({ dataset_id: f.dataset_id.value, on: [{ left: f.left.value, right: f.right.value }], how: f.how.value }),
  },
};

/** What the server says of a step, with the place in its expression that it means. */
function wrongly(error, box) {
  const said = (error.detail || error.title || error.message).replace(/^Step \d+ \(\w+\): /, "");
  const at = Number(/at character (\d+): /.exec(said)?.[1] ?? 0) - 1;
  if (!box || at < 0) return [said];
  const value = box.value;
  return [said.replace(/^.*?at character \d+: /s, ""), h("code", { class: "expression-place" }, value.slice(0, at), h("mark", {}, value.slice(at, at + 1) || " "), value.slice(at + 1))];
}

/** A form for a step of kind `op`; `add(step)` may throw what the form then says. `attempt(step)` resolves to the rows that an
 * expression would give, which are told while it is written. */
export function openStep(op, columns, others, add, attempt) {
  const { fields, step } = FORMS[op];
  const told = h("div", { class: "step-told", "aria-live": "polite" });
  const opened = openForm({ title: TITLES[op], fields: [fields(columns, others), told], done: "Add the step", save: (form) => add({ op, ...step(form.elements, form) }) });
  const form = told.closest("form");
  const box = form.elements.expression ?? form.elements.where;
  let turn = 0;
  const check = settled(async () => {
    const own = ++turn;
    if (box && !box.value.trim()) return told.replaceChildren();
    const wanted = { op, ...step(form.elements, form) };
    if (op === "derive" && !wanted.name) wanted.name = "…";
    try {
      const found = await attempt(wanted);
      if (own === turn && form.isConnected) told.replaceChildren(...inPreview(op, found));
    } catch (error) {
      if (own === turn && form.isConnected) told.replaceChildren(h("p", { class: "form-error" }, wrongly(error, box)));
    }
  }, 350);
  if (box || op === "stack" || op === "join" || op === "pivot") {
    form.addEventListener("input", check);
    if (!box) check();
  }
  return opened;
}

function inPreview(op, found) {
  const made = found.columns.at(-1);
  const first = found.rows.slice(0, 3).map((row) => row.at(-1) ?? "missing").map((one) => (typeof one === "number" ? Number(one.toPrecision(6)) : one)).join(", ");
  const words = op === "derive" ? `${withUnit(made)}: ${first}${found.rows.length < found.rows_in_all ? " …" : ""}` : plural(found.rows_in_all, "row");
  const step = Math.max(0, ...(found.notes ?? []).map((one) => one.step ?? 0));
  return [h("p", { class: "muted" }, words), ...noted((found.notes ?? []).filter((one) => one.step === step && step))];
}

/** What the rows do not show by themselves, each with its step. */
export const noted = (notes, steps = false) => notes.map((one) => h("p", { class: "step-note" }, steps && one.step ? `Step ${one.step}: ${one.said}` : one.said));

/** Which kinds of step there are for these columns and other datasets. */
export function kindsFor(columns, others) {
  const left = Object.keys(TITLES).filter((op) => {
    if (op === "join" || op === "stack") return others.length > 0;
    if (op === "convert") return columns.some((one) => one.type === "quantity");
    return !["log", "standardise", "share", "spread"].includes(op) || columns.some((one) => NUMBERS.includes(one.type));
  });
  return left.map((op) => ({ value: op, label: TITLES[op] }));
}
