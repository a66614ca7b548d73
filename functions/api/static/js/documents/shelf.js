// The list of documents with what narrows and orders it, and what can be done with several at once.

import { call, post } from "../lib/api.js";
import { announce, h } from "../lib/dom.js";
import { FORMATS, exportChunks } from "../lib/export.js";
import { count, plural } from "../lib/format.js";
import { select } from "../lib/form.js";
import { attachMenu } from "../lib/menu.js";
import { confirmed } from "../lib/notice.js";
import { askHref } from "./row_menu.js";
import { RowList } from "./row_list.js";
import { problem } from "./rows.js";

const byText = (read) => (one, two) => read(one).localeCompare(read(two), undefined, { numeric: true });
const byNumber = (read) => (one, two) => read(one) - read(two);
const ORDERS = {
  newest: { label: "Newest first", compare: (one, two) => two.created_at.localeCompare(one.created_at) },
  name: { label: "Name", compare: byText((item) => item.name) },
  pages: { label: "Most pages", compare: byNumber((item) => -item.pages) },
  confidence: { label: "Least confidence", compare: byNumber((item) => item.confidence ?? -1) },
};
const KINDS = {
  all: { label: "Every document", keep: () => true },
  current: { label: "Current versions", keep: (item) => item.version.is_current },
  doubtful: { label: "Yellow or red", keep: (item) => item.tier === "yellow" || item.tier === "red" },
  unreviewed: { label: "Not approved yet", keep: (item) => item.review === "unreviewed" },
  busy: { label: "Not ready", keep: (item) => item.status !== "ready" },
};

export class Shelf {
  /** `reload`, `watch` and `writable` as in `row`. */
  constructor({ reload, watch, writable, approvedOnly = false }) {
    Object.assign(this, { reload, watch, writable, approvedOnly });
    this.typed = "";
    this.order = "newest";
    this.kind = "all";
    this.chosen = new Set();
    this.documents = [];
    this.rows = new RowList();
    this.nothing = h("p", { class: "muted nothing-shown" }, "No document passes the filter.");
    this.list = h("div", {}, this.rows.node, this.nothing);
    this.said = h("span", { class: "muted", role: "status" });
    this.bar = h("div", { class: "bulk-bar", role: "group", "aria-label": "Chosen documents", hidden: true });
    this.tools = this.#tools();
    this.node = h("div", { class: "shelf" }, this.tools, this.bar, this.list);
    this.list.addEventListener("change", (event) => this.#ticked(event.target));
  }

  show(documents) {
    this.documents = documents;
    this.chosen = new Set(documents.map((item) => item.id).filter((id) => this.chosen.has(id)));
    this.tools.hidden = documents.length < 2;
    this.#draw();
  }

  #tools() {
    const find = h("input", {
      type: "search",
      placeholder: "Filter by name",
      "aria-label": "Filter documents by name",
      autocomplete: "off",
      oninput: (event) => {
        this.typed = event.target.value.trim().toLowerCase();
        this.#draw();
      },
    });
    const choose = (label, key, table) => {
      const options = Object.entries(table).map(([value, one]) => ({ value, label: one.label }));
      const set = (event) => {
        this[key] = event.target.value;
        this.#draw();
      };
      return select({ "aria-label": label, onchange: set }, options, this[key]);
    };
    const everything = h("input", { type: "checkbox", "aria-label": "Choose all shown", onchange: (event) => this.#all(event.target.checked) });
    this.everything = everything;
    return h("div", { class: "shelf-tools" }, h("label", { class: "tick-all" }, everything, h("span", {}, "All")), find, choose("Which documents", "kind", KINDS), choose("Order", "order", ORDERS), this.said);
  }

  get shown() {
    return this.documents
      .filter((item) => item.name.toLowerCase().includes(this.typed) && KINDS[this.kind].keep(item))
      .sort(ORDERS[this.order].compare);
  }

  #draw() {
    const { shown } = this;
    const narrowed = shown.length < this.documents.length;
    this.said.textContent = narrowed ? `${count(shown.length)} of ${plural(this.documents.length, "document")}` : "";
    const options = { together: this.documents, reload: this.reload, watch: this.watch, writable: this.writable, chosen: this.chosen, approvedOnly: this.approvedOnly };
    this.rows.draw(shown, options);
    this.rows.node.hidden = shown.length === 0;
    this.nothing.hidden = shown.length > 0;
    this.#drawBar();
  }

  #ticked({ dataset, checked }) {
    if (!dataset.choose) return;
    if (checked) this.chosen.add(dataset.choose);
    else this.chosen.delete(dataset.choose);
    this.#drawBar();
  }

  #all(yes) {
    for (const box of this.list.querySelectorAll("[data-choose]")) {
      box.checked = yes;
      if (yes) this.chosen.add(box.dataset.choose);
      else this.chosen.delete(box.dataset.choose);
    }
    this.#drawBar();
  }

  #drawBar() {
    const picked = this.documents.filter((item) => this.chosen.has(item.id));
    const { shown } = this;
    const all = shown.length > 0 && shown.every((item) => this.chosen.has(item.id));
    this.everything.checked = all;
    this.everything.indeterminate = !all && picked.length > 0;
    this.bar.hidden = picked.length === 0;
    // What offers the same stays, with its menu open and the focus in it.
    const offered = JSON.stringify(picked);
    if (offered === this.offered) return;
    this.offered = offered;
    if (!picked.length) return;
    const save = h("span", { class: "menu" });
    const menu = attachMenu(
      save,
      "Save chunks",
      h("div", {}, Object.keys(FORMATS).map((format) => h("button", { type: "button", class: "menu-item", onclick: () => menu.close() ?? exportChunks(picked, format).catch(problem) }, format))),
      "button small",
    );
    const button = (text, work, extra = "") => h("button", { type: "button", class: `button small ${extra}`, onclick: () => work(picked).catch(problem) }, text);
    this.bar.replaceChildren(
      h("b", {}, `${count(picked.length)} chosen`),
      h("a", { class: "button small", href: askHref(picked) }, "Ask these"),
      save,
      ...(this.writable ? [button("Read again", (items) => this.#again(items)), button("Delete", (items) => this.#remove(items), "danger")] : []),
      h("button", { type: "button", class: "button small quiet", onclick: () => this.#all(false) ?? this.#clear() }, "Choose none"),
    );
  }

  #clear() {
    this.chosen.clear();
    this.#drawBar();
  }

  async #again(items) {
    const text = `${plural(items.length, "document")} are read anew from their stored files. They stay readable meanwhile.`;
    if (!(await confirmed("Read these again?", text, { yes: "Read again", no: "Leave them", danger: false }))) return;
    for (const { id } of items) this.watch((await post(`/v1/documents/${id}/reingest`, {})).id);
  }

  async #remove(items) {
    const chunks = items.reduce((sum, item) => sum + item.chunks, 0);
    const text = `Their ${count(chunks)} chunks, page images and vectors go with them. This cannot be undone.`;
    if (!(await confirmed(`Delete ${plural(items.length, "document")}?`, text))) return;
    try {
      for (const { id } of items) await call(`/v1/documents/${id}?keep_attachments=true`, { method: "DELETE" });
      announce(`${plural(items.length, "document")} deleted`);
    } finally {
      this.reload();
    }
  }
}
