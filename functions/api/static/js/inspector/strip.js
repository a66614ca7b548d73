// Page strip: thumbnails with their size reserved, number, confidence dot, flag. Images load when they come near, and not
// before the page itself has its picture.

import { byId, calm, h } from "../lib/dom.js";
import { confidence, tierOf, words } from "../lib/format.js";

// Nearer than what browsers hold to be lazy: thirty thumbnails would stand before the picture of the page turned to.
const NEAR = "240px";

/** What a part without a picture is called: a sheet, a message; its number is below it anyway. */
const partName = ({ page, label }) => label && label !== String(page) && h("span", { class: "thumb-name", "aria-hidden": "true" }, label);

export class Strip {
  constructor(state) {
    this.state = state;
    this.place = byId("strip");
    this.nodes = [];
    this.drawn = new Map();
    state.on("pages", () => this.#draw());
    state.on("turning", () => this.#mark());
    // Image → its address, until it comes near.
    this.waiting = new Map();
    this.near = null;
    state.on("pictured", () => this.#load());
  }

  #load() {
    if (this.near) return;
    const come = (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        this.near.unobserve(target);
        target.src = this.waiting.get(target);
        this.waiting.delete(target);
      }
    };
    this.near = new IntersectionObserver(come, { root: this.place, rootMargin: NEAR });
    for (const image of this.waiting.keys()) this.near.observe(image);
  }

  #thumb(row) {
    const ratio = row.width_pt ? `${row.width_pt} / ${row.height_pt}` : "17 / 22";
    const ready = row.status !== "queued";
    return h(
      "span",
      { class: `thumb${ready ? "" : " waiting-page"}`, vars: { ratio } },
      ready && (row.width_pt === null ? partName(row) : this.#image(row.page)),
    );
  }

  #image(page) {
    const src = this.state.imageOf(page, "&size=thumb");
    const image = h("img", { alt: "", decoding: "async", fetchpriority: "low" });
    this.waiting.set(image, src);
    this.near?.observe(image);
    return image;
  }

  #label(row) {
    const state =
      row.status === "failed"
        ? "failed"
        : row.confidence === null
          ? row.status
          : `confidence ${confidence(row.confidence)}`;
    const name = row.label && row.label !== String(row.page) ? [row.label] : [];
    return [`Page ${row.page}`, ...name, state, ...row.flags.map(words)].join(", ");
  }

  #item(row) {
    const tier = row.status === "failed" ? "red" : row.confidence === null ? null : tierOf(row.confidence);
    return h(
      "a",
      {
        href: `?page=${row.page}`,
        class: `strip-item${row.status === "failed" ? " failed" : ""}`,
        data: { page: row.page },
        "aria-label": this.#label(row),
        title: this.#label(row),
      },
      this.#thumb(row),
      tier && h("i", { class: `dot tier-${tier}` }),
      row.flags.length > 0 && h("i", { class: "strip-flag" }, "⚑"),
      h("span", { class: "strip-number" }, row.page),
    );
  }

  /** Rows that have not changed keep their element, so that a poll moves nothing. */
  #reuse(row) {
    const text = JSON.stringify(row);
    const old = this.drawn.get(row.page);
    if (old?.text === text) return old.node;
    const node = this.#item(row);
    this.drawn.set(row.page, { text, node });
    return node;
  }

  #draw() {
    this.nodes = this.state.pages.map((row) => this.#reuse(row));
    if (this.place.children.length !== this.nodes.length || this.nodes.some((node) => !node.isConnected))
      this.place.replaceChildren(...this.nodes);
    this.place.onclick = (event) => {
      const link = event.target.closest("a");
      if (!link || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      this.state.open(Number(link.dataset.page));
    };
    this.#mark();
  }

  #mark() {
    this.place.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const node = this.nodes[this.state.page - 1];
    if (!node) return;
    node.setAttribute("aria-current", "page");
    const vertical = this.place.scrollHeight > this.place.clientHeight + 4;
    const middle = vertical
      ? { top: node.offsetTop - this.place.clientHeight / 2 + node.offsetHeight / 2 }
      : { left: node.offsetLeft - this.place.clientWidth / 2 + node.offsetWidth / 2 };
    const far = Math.abs((middle.top ?? 0) - this.place.scrollTop) > 2500;
    this.place.scrollTo({ ...middle, behavior: calm() || far ? "auto" : "smooth" });
  }
}
