// The field that goes anywhere in this document: a page, a section by its address, or text.

import { call, post } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { byId, h, settled } from "../lib/dom.js";
import { words } from "../lib/format.js";

const WAIT = 140;

export class Jump {
  constructor(state) {
    this.state = state;
    this.input = byId("jump-input");
    this.list = byId("jump-list");
    this.places = [];
    this.at = 0;
    this.asked = 0;
    this.text = "";
    this.input.addEventListener(
      "input",
      settled(() => this.#suggest(), WAIT),
    );
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.#close(), 120));
    this.input.addEventListener("focus", () => {
      if (this.places.length) this.#draw();
    });
  }

  /** An example that exists: the deepest address among the document's first sections. */
  async suggestAddress() {
    const { items } = await call(`/v1/documents/${this.state.id}/sections?limit=60`).catch(() => ({ items: [] }));
    const depth = (text) => text.split(/[.\-–]/).length;
    const found = items.map((item) => item.address).filter((text) => text && text.length <= 12);
    const example = found.reduce((best, text) => (best && depth(best) >= depth(text) ? best : text), null);
    // A number alone would be a page, too.
    const named = /^\d+$/.test(example ?? "") ? `section ${example}` : example;
    if (named) this.input.placeholder = `Jump to ${named}, a page, or text`;
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  async #suggest() {
    const text = this.input.value.trim();
    if (text === this.text) return;
    this.asked += 1;
    const turn = this.asked;
    if (!text) {
      this.places = [];
      this.text = "";
      this.#close();
      return;
    }
    const found = await this.#find(text);
    if (turn !== this.asked) return;
    this.places = found;
    this.text = text;
    this.at = 0;
    this.#draw(text);
  }

  async #find(text) {
    const scope = {
      knowledge_base_ids: [this.state.document.knowledge_base_id],
      documents: [this.state.id],
      include_superseded: true,
    };
    const none = () => ({ hits: [] });
    const [looked, searched] = await Promise.all([
      /\d/.test(text) ? post("/v1/lookup", { address: text, recursive: false, ...scope }).catch(none) : none(),
      text.length > 1 ? post("/v1/search", { query: text, index: "hybrid", k: 8, ...scope }).catch(none) : none(),
    ]);
    return [
      ...this.#pages(text),
      ...unique([...looked.hits.slice(0, 4), ...searched.hits])
        .map(placeOf)
        .filter(Boolean),
    ].slice(0, 10);
  }

  #pages(text) {
    const number = Number(/^(?:p(?:age)?\.?\s*)?(\d+)$/i.exec(text)?.[1]);
    return number >= 1 && number <= this.state.pages.length
      ? [{ page: number, chunk: null, head: `Page ${number}`, text: "" }]
      : [];
  }

  #draw(text) {
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.list.replaceChildren(
      ...(this.places.length
        ? this.places.map((place, at) => this.#option(place, at))
        : [
            h(
              "div",
              { class: "jump-none", role: "option", "aria-disabled": "true", "aria-selected": "false" },
              `Nothing in this document for “${text}”`,
            ),
          ]),
    );
    this.#select(this.at);
  }

  #option(place, at) {
    return h(
      "div",
      {
        class: "jump-option",
        role: "option",
        id: `jump-${at}`,
        "aria-selected": "false",
        onpointerdown: (event) => {
          event.preventDefault();
          this.#go(at);
        },
      },
      h("b", {}, place.head),
      h("span", { dir: direction(place.text) }, place.text),
      h("small", {}, place.chunk ? `p. ${place.page}` : ""),
    );
  }

  #select(at) {
    this.at = at;
    for (const [index, node] of [...this.list.children].entries())
      node.setAttribute("aria-selected", String(index === at));
    if (this.places[at]) this.input.setAttribute("aria-activedescendant", `jump-${at}`);
    this.list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  async #key(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.#close();
      this.input.blur();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.places.length) {
      event.preventDefault();
      this.#select((this.at + step + this.places.length) % this.places.length);
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    await this.#settle(this.input.value.trim());
    this.#go(this.at);
  }

  /** Enter may come before the suggestions: a page number needs none, anything else is looked up now. */
  async #settle(text) {
    if (text === this.text) return;
    this.asked += 1;
    const pages = this.#pages(text);
    this.places = pages.length ? pages : await this.#find(text);
    this.text = text;
    this.at = 0;
    this.#draw(text);
  }

  #go(at) {
    const place = this.places[at];
    if (!place) return;
    this.#close();
    this.input.blur();
    this.state.open(place.page, place.chunk, { push: true });
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}

const unique = (hits) => [...new Map(hits.map((hit) => [hit.chunk.id, hit])).values()];

function placeOf({ chunk }) {
  const box = chunk.boxes[0];
  return box
    ? {
        page: box.page,
        chunk: chunk.id,
        head: chunk.section_id ?? words(chunk.chunk_type),
        text: chunk.content.slice(0, 160),
      }
    : null;
}
