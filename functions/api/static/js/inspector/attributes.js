// The typed values of a chunk: as printed, as normalised, and where on the page each one stands.

import { call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { fragmentId, fragmentsOf, rectOf } from "./boxes.js";

const LIMITS = { "<": "below ", "<=": "at most ", ">": "above ", ">=": "at least ", "~": "about " };
const ROUTES = {
  label: "read behind its label",
  table: "read in a table",
  text: "read in a sentence",
  model: "named by the model",
};

/** `{name, raw, value, unit, …}` for every value that a chunk states itself, in the order in which they stand there; those
 * of its head are shown with the head. */
export function valuesOf(chunk) {
  const values = Object.entries(chunk.attrs).flatMap(([name, { also = [], ...first }]) =>
    [first, ...also].filter(({ head }) => !head).map((value) => ({ name, ...value })),
  );
  const order = chunk.boxes.flatMap((box) => box.fragment_ids ?? []);
  const place = ({ fragment_ids: [id = ""] = [] }) => order.indexOf(fragmentId(id));
  return values.sort((one, two) => place(one) - place(two));
}

function number(value) {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 6 }).format(value);
}

/** `10 [HP] = 7,457 W`; the printed unit alone where it is the canonical one. */
function normalised({ value, upper, tolerance, comparator, unit, canonical }) {
  if (typeof value !== "number") return String(value);
  const range = [number(value), upper !== undefined && `to ${number(upper)}`, tolerance !== undefined && `± ${number(tolerance)}`];
  const printed = [`${LIMITS[comparator] ?? ""}${range.filter(Boolean).join(" ")}`, unit].filter(Boolean).join(" ");
  return canonical ? `${printed} = ${number(canonical.value)} ${canonical.unit}` : printed;
}

const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** `power = 15 [HP]`: the value as gold and filters have it; what is a range or a bound stays as printed, to be edited. */
function claimOf({ name, raw, value, unit, upper, comparator }) {
  if (typeof value === "number" && upper === undefined && !comparator) return `${name} = ${[value, unit].filter(Boolean).join(" ")}`;
  return `${name} = ${typeof value === "string" ? quoted(value) : typeof value === "boolean" ? value : raw}`;
}

function judge(chunk, value) {
  const detail = { chunk, claim: claimOf(value) };
  return h(
    "button",
    {
      type: "button",
      class: "attr-gold",
      "aria-label": `Keep ${words(value.name)} as gold`,
      title: "Say what is right here; evaluation checks that it is read",
      onclick: () => document.dispatchEvent(new CustomEvent("gold-attribute", { detail })),
    },
    "gold",
  );
}

function row(value, chunk) {
  return h(
    "tr",
    { class: "attr-row", tabindex: "0", data: { fragments: (value.fragment_ids ?? []).join(" ") }, title: ROUTES[value.route] },
    h("th", { scope: "row" }, words(value.name), value.qualifier && h("small", {}, ` ${value.qualifier}`)),
    h("td", {}, value.raw),
    h("td", { class: "attr-value" }, normalised(value)),
    chunk && h("td", {}, judge(chunk, value)),
  );
}

/** The values as a table, each with what makes gold of it where one may; null for a chunk without any. */
export function attributeTable(chunk, editable) {
  const values = valuesOf(chunk);
  if (!values.length) return null;
  const head = ["Attribute", "As printed", "Value"].map((text) => h("th", { scope: "col" }, text));
  if (editable) head.push(h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Gold")));
  return h(
    "table",
    { class: "attrs" },
    h("caption", { class: "visually-hidden" }, "Typed values of this chunk"),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, values.map((value) => row(value, editable ? chunk : null))),
  );
}

/** Marks on the page what a value was read from while it is pointed at or focused. */
export class AttributeLink {
  constructor(state, overlay) {
    this.state = state;
    this.overlay = overlay;
    this.pages = new Map();
    this.at = null;
    const list = byId("cards");
    for (const name of ["pointerover", "focusin"])
      list.addEventListener(name, (event) => this.#mark(event.target.closest?.(".attr-row") ?? null));
    for (const name of ["pointerleave", "focusout"]) list.addEventListener(name, () => this.#mark(null));
    state.on("page", () => this.pages.clear());
  }

  async #mark(node) {
    if (node === this.at) return;
    this.at = node;
    if (!node) return this.overlay.mark([]);
    const fragments = await this.#fragments();
    if (this.at === node)
      this.overlay.mark(node.dataset.fragments.split(" ").map((reference) => rectOf(reference, fragments)).filter(Boolean));
  }

  #fragments() {
    const { id, page } = this.state;
    if (!this.pages.has(page)) {
      const asked = call(`/v1/documents/${id}/pages/${page}?include=fragments`);
      this.pages.set(page, asked.then(fragmentsOf));
      asked.catch(() => this.pages.delete(page));
    }
    return this.pages.get(page);
  }
}
