// One field for everything that can be opened: knowledge bases and documents by name, sections by address, chunks by word
// and meaning. A dialog, walked with the arrow keys.

import { placeOf, titleOf } from "../playground/places.js";
import { all, post } from "./api.js";
import { h, settled } from "./dom.js";
import { plural, told, versionName, words } from "./format.js";

const WAIT = 160;
const NAMED = 5;
const FOUND = 8;

let finder = null;

export function openFinder() {
  finder ??= new Finder();
  finder.open();
}

const holds = (name, text) => text.toLowerCase().split(/\s+/).every((word) => name.toLowerCase().includes(word));

class Finder {
  constructor() {
    this.input = h("input", {
      type: "search",
      id: "finder-input",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": "finder-list",
      "aria-autocomplete": "list",
      "aria-label": "Search documents, sections and text",
      placeholder: "Search documents, sections and text",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.list = h("div", { id: "finder-list", role: "listbox", "aria-label": "Found" });
    this.said = h("p", { class: "finder-said", role: "status" });
    this.dialog = h(
      "dialog",
      { id: "finder", class: "dialog finder", "aria-label": "Search everything" },
      this.input,
      this.list,
      this.said,
      h("p", { class: "finder-keys", "aria-hidden": "true" }, h("kbd", {}, "↑"), " ", h("kbd", {}, "↓"), " choose · ", h("kbd", {}, "Enter"), " open · ", h("kbd", {}, "Esc"), " close"),
    );
    document.body.append(this.dialog);
    this.turn = null;
    this.options = [];
    this.at = 0;
    const find = settled(() => this.#find(), WAIT);
    this.input.addEventListener("input", () => {
      this.list.setAttribute("aria-busy", "true");
      find();
    });
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("click", (event) => {
      const node = event.target.closest("[role=option]");
      if (node) this.#go(Number(node.dataset.at), event);
    });
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  open() {
    if (this.dialog.open) return;
    // What exists may have changed since the last time.
    this.names = Promise.all([all("/v1/knowledge-bases"), all("/v1/documents?limit=200")]);
    this.names.catch(() => {});
    this.dialog.showModal();
    this.input.select();
    this.#find();
  }

  async #find() {
    const text = this.input.value.trim();
    this.turn?.abort();
    this.turn = new AbortController();
    const { signal } = this.turn;
    try {
      const [bases, documents] = await this.names;
      if (signal.aborted) return;
      // Several knowledge bases may hold the same file: the name says which one this is.
      this.shelfOf = new Map(bases.length > 1 ? bases.map((kb) => [kb.id, kb.name]) : []);
      const named = this.#named(bases, documents, text);
      this.#draw(named, text, text.length > 1);
      if (text.length < 2) return;
      const found = await this.#search(text, signal);
      if (!signal.aborted) this.#draw([...named, ...found], text, false);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.list.setAttribute("aria-busy", "false");
      this.said.textContent = error.detail || error.message;
    }
  }

  #named(bases, documents, text) {
    const where = (item) => [this.shelfOf.get(item.knowledge_base_id), versionName(item, "version ")].filter(Boolean).join(" · ");
    const shelves = bases.filter((kb) => holds(kb.name, text)).slice(0, NAMED);
    const files = documents.filter((item) => item.status !== "refused" && holds(`${item.name} ${item.version.label ?? ""}`, text)).slice(0, NAMED);
    return [
      { name: "Knowledge bases", items: shelves.map((kb) => ({ href: `/kb/${encodeURIComponent(kb.slug)}`, head: kb.name, note: plural(kb.documents, "document") })) },
      { name: "Documents", items: files.map((item) => ({ href: `/documents/${item.id}`, head: item.name, note: where(item) })) },
    ];
  }

  async #search(text, signal) {
    const none = (error) => {
      if (error.name === "AbortError") throw error;
      return { hits: [] };
    };
    const [looked, searched] = await Promise.all([
      /\d/.test(text) ? post("/v1/lookup", { address: text }, signal).catch(none) : { hits: [] },
      post("/v1/search", { query: text, k: FOUND }, signal).catch(none),
    ]);
    const sections = [...new Map(looked.hits.map((hit) => [`${hit.document.id} ${hit.chunk.section_id}`, hit]).reverse()).values()].reverse();
    const item = (hit, head) => {
      const { href, name, spot } = placeOf(hit);
      const note = [[name, spot].filter(Boolean).join(", "), this.shelfOf.get(hit.chunk.knowledge_base_id)].filter(Boolean).join(" · ");
      return { href, head, text: told(hit.chunk).slice(0, 160), note };
    };
    const sectionHead = ({ chunk }) => [chunk.section_id, titleOf(chunk)].filter(Boolean).join(" ");
    return [
      { name: "Sections", items: sections.slice(0, NAMED).map((hit) => item(hit, sectionHead(hit))) },
      { name: "Text", items: searched.hits.map((hit) => item(hit, hit.chunk.section_id ?? titleOf(hit.chunk) ?? words(hit.chunk.chunk_type))) },
      { name: "Answers", items: [{ href: `/playground?mode=ask&q=${encodeURIComponent(text)}`, head: "Ask", text, note: "all knowledge bases" }] },
    ];
  }

  #draw(groups, text, more) {
    const filled = groups.filter((group) => group.items.length);
    this.options = filled.flatMap((group) => group.items);
    let at = -1;
    const option = ({ href, head, text: excerpt, note }) => {
      at += 1;
      return h(
        "a",
        { class: "finder-option", role: "option", id: `finder-${at}`, href, tabindex: "-1", data: { at }, "aria-selected": "false" },
        h("b", {}, head),
        h("span", {}, excerpt ?? ""),
        h("small", {}, note),
      );
    };
    this.list.replaceChildren(
      ...filled.map((group, index) =>
        h("div", { role: "group", "aria-labelledby": `finder-group-${index}` }, h("span", { class: "finder-group", id: `finder-group-${index}`, role: "presentation" }, group.name), group.items.map(option)),
      ),
    );
    this.list.setAttribute("aria-busy", String(more || text !== this.input.value.trim()));
    this.list.hidden = this.options.length === 0;
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    this.said.textContent = more ? "Searching the text…" : this.options.length ? plural(this.options.length, "place") : `Nothing found for “${text}”`;
    this.#select(0);
  }

  #select(at) {
    this.at = at;
    for (const node of this.list.querySelectorAll("[role=option]")) node.setAttribute("aria-selected", String(Number(node.dataset.at) === at));
    if (this.options[at]) this.input.setAttribute("aria-activedescendant", `finder-${at}`);
    else this.input.removeAttribute("aria-activedescendant");
    this.list.querySelector(`#finder-${at}`)?.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.options.length) {
      event.preventDefault();
      this.#select((this.at + step + this.options.length) % this.options.length);
    }
    // Chromium would empty the field first.
    if (event.key === "Escape") {
      event.preventDefault();
      this.dialog.close();
    }
    if (event.key === "Enter") this.#go(this.at, event);
  }

  #go(at, event) {
    const option = this.options[at];
    if (!option || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    this.dialog.close();
    location.assign(option.href);
  }
}
