// A list that keeps only the cards near the viewport in the DOM. Heights are estimated, then measured once.

import { calm, perFrame } from "../lib/dom.js";

export class VirtualList {
  /** `make(item, index, total)` builds a card; `kept()` gives the id that stays in the DOM wherever it is. */
  constructor(scroller, make, kept, { gap = 8, estimate = 124, margin = 260 } = {}) {
    Object.assign(this, { scroller, make, kept, gap, estimate, margin });
    this.items = [];
    this.index = new Map();
    this.heights = new Map();
    this.nodes = new Map();
    this.tops = [];
    this.runway = document.createElement("div");
    this.runway.className = "runway";
    scroller.replaceChildren(this.runway);
    scroller.addEventListener(
      "scroll",
      perFrame(() => this.draw()),
      { passive: true },
    );
    this.width = 0;
    this.pending = null;
    new ResizeObserver(perFrame(() => this.#resized())).observe(scroller);
    // A card grows after it was measured: its picture loads, a part of it unfolds.
    this.grown = new ResizeObserver(perFrame(() => this.#regrown()));
  }

  #regrown() {
    const changed = [...this.nodes].filter(([id, node]) => this.heights.has(id) && this.heights.get(id) !== node.offsetHeight);
    if (!changed.length) return;
    this.#measure(changed.map(([id]) => this.index.get(id)));
    this.draw();
  }

  #resized() {
    const changed = this.width !== this.scroller.clientWidth;
    this.width = this.scroller.clientWidth;
    if (changed) this.heights.clear();
    this.draw(changed);
    if (this.pending) this.reveal(this.pending);
  }

  /** Shows these items from the top on, or, where the list is the one before in a newer state, where it is. */
  set(items, again = false) {
    const top = again ? this.scroller.scrollTop : 0;
    // Items under new ids are taken to be as high as those that stood in their place.
    const known = again ? this.items.map((item) => this.heights.get(item.id)) : [];
    this.items = items;
    this.index = new Map(items.map((item, at) => [item.id, at]));
    const height = (item, at) => (again ? (this.heights.get(item.id) ?? known[at]) : undefined);
    this.heights = new Map(items.map((item, at) => [item.id, height(item, at)]).filter(([, value]) => value !== undefined));
    this.grown.disconnect();
    this.nodes.clear();
    this.runway.replaceChildren();
    if (again) this.#layout();
    this.scroller.scrollTop = top;
    this.draw();
  }

  #layout() {
    let top = 0;
    this.tops = this.items.map((item) => {
      const at = top;
      top += (this.heights.get(item.id) ?? this.estimate) + this.gap;
      return at;
    });
    this.runway.style.height = `${Math.max(0, top - this.gap)}px`;
  }

  #wanted() {
    const from = this.scroller.scrollTop - this.margin;
    const to = this.scroller.scrollTop + this.scroller.clientHeight + this.margin;
    const ids = [];
    for (let at = this.#firstBelow(from); at < this.items.length && this.tops[at] < to; at += 1) ids.push(at);
    const kept = this.index.get(this.kept());
    if (kept !== undefined && !ids.includes(kept)) ids.push(kept);
    return ids.sort((one, two) => one - two);
  }

  #firstBelow(y) {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle] + (this.heights.get(this.items[middle].id) ?? this.estimate) < y) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Brings the DOM in line with the scroll position. All writes come before all reads. */
  draw(measureAll = false) {
    if (this.scroller.clientHeight === 0) return;
    this.#layout();
    const wanted = this.#wanted();
    const keep = new Set(wanted.map((at) => this.items[at].id));
    for (const [id, node] of this.nodes)
      if (!keep.has(id)) {
        this.grown.unobserve(node);
        node.remove();
        this.nodes.delete(id);
      }
    const fresh = wanted.filter((at) => this.#ensure(at) || measureAll || !this.heights.has(this.items[at].id));
    if (fresh.length) this.#measure(fresh);
    for (const at of wanted) this.nodes.get(this.items[at].id).style.top = `${this.tops[at]}px`;
  }

  #ensure(at) {
    const item = this.items[at];
    if (this.nodes.has(item.id)) return false;
    const node = this.make(item, at, this.items.length);
    this.nodes.set(item.id, node);
    this.#insert(node, at);
    this.grown.observe(node);
    return true;
  }

  #insert(node, at) {
    node.dataset.at = at;
    const next = [...this.runway.children].find((other) => Number(other.dataset.at) > at);
    this.runway.insertBefore(node, next ?? null);
  }

  /** The card that stays where it is when others change their height: the first that is seen whole, and is read; else
   * the one that fills the view. */
  #anchor() {
    const { scrollTop, clientHeight } = this.scroller;
    const partly = this.#firstBelow(scrollTop);
    const whole = this.tops[partly] < scrollTop ? partly + 1 : partly;
    return this.tops[whole] < scrollTop + clientHeight ? whole : partly;
  }

  #measure(fresh) {
    const anchor = this.#anchor();
    const offset = (this.tops[anchor] ?? 0) - this.scroller.scrollTop;
    for (const at of fresh) this.heights.set(this.items[at].id, this.nodes.get(this.items[at].id).offsetHeight);
    this.#layout();
    const drift = (this.tops[anchor] ?? 0) - this.scroller.scrollTop - offset;
    if (anchor > 0 && Math.abs(drift) > 1) this.scroller.scrollTop += drift;
  }

  /** Builds the card of `id` anew, e.g. because it opened or closed. */
  refresh(id) {
    const node = this.nodes.get(id);
    if (node) this.grown.unobserve(node);
    node?.remove();
    this.nodes.delete(id);
    this.heights.delete(id);
    this.draw();
  }

  /** Scrolls so that the card is wholly in view where it fits. */
  reveal(id) {
    const at = this.index.get(id);
    this.pending = this.scroller.clientHeight === 0 ? id : null;
    if (at === undefined || this.pending) return;
    this.draw();
    const target = this.#target(at);
    if (target === null) return;
    const near = Math.abs(target - this.scroller.scrollTop) < this.scroller.clientHeight * 1.5;
    this.scroller.scrollTo({ top: target, behavior: near && !calm() ? "smooth" : "instant" });
    if (!near) {
      this.draw();
      const again = this.#target(at);
      if (again !== null) this.scroller.scrollTop = again;
    }
  }

  #target(at) {
    const top = this.tops[at] + this.runway.offsetTop;
    const height = this.heights.get(this.items[at].id) ?? this.estimate;
    const view = this.scroller.clientHeight;
    const start = this.scroller.scrollTop;
    if (top >= start && top + height <= start + view) return null;
    return height > view ? top : top + height / 2 - view / 2;
  }

  nodeOf(id) {
    return this.nodes.get(id) ?? null;
  }
}
