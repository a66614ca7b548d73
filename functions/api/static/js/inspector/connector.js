// The line between the active box and its card. Reads first, then writes, once per frame.

import { byId, perFrame } from "../lib/dom.js";

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Connector {
  constructor(state, stage, cards) {
    Object.assign(this, { state, stage, cards });
    this.root = byId("inspector");
    this.svg = byId("connector");
    this.path = byId("connector-path");
    this.dot = byId("connector-dot");
    const draw = perFrame(() => this.#draw());
    for (const name of ["active", "page", "filter", "skipped", "tab"]) state.on(name, draw);
    for (const scroller of [stage.scroller, cards.scroller])
      scroller.addEventListener("scroll", draw, { passive: true });
    const sizes = new ResizeObserver(draw);
    for (const node of [stage.scroller, stage.sheet, cards.scroller, cards.list.runway]) sizes.observe(node);
    addEventListener("resize", draw);
    this.redraw = draw;
  }

  #draw() {
    const id = this.state.active;
    const box = id && this.stage.overlay.nodeOf(id);
    const card = id && this.cards.list.nodeOf(id);
    const visible = box && card && card.offsetParent !== null && box.offsetParent !== null;
    if (!visible) {
      this.svg.classList.remove("on");
      return;
    }
    const ends = this.#ends(box.getBoundingClientRect(), card.getBoundingClientRect());
    this.#write(ends);
  }

  #ends(box, card) {
    const origin = this.root.getBoundingClientRect();
    const stage = this.stage.scroller.getBoundingClientRect();
    const list = this.cards.scroller.getBoundingClientRect();
    const from = {
      x: clamp(box.right + 2, stage.left, stage.right),
      y: clamp(box.top + box.height / 2, stage.top + 2, stage.bottom - 2),
    };
    const to = { x: card.left, y: clamp(card.top + Math.min(card.height / 2, 40), list.top + 2, list.bottom - 2) };
    const away = box.bottom < stage.top || box.top > stage.bottom || card.bottom < list.top || card.top > list.bottom;
    return {
      from: { x: from.x - origin.left, y: from.y - origin.top },
      to: { x: to.x - origin.left, y: to.y - origin.top },
      away,
    };
  }

  #write({ from, to, away }) {
    const bend = Math.max(24, (to.x - from.x) / 2);
    this.path.setAttribute(
      "d",
      `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`,
    );
    this.dot.setAttribute("cx", from.x);
    this.dot.setAttribute("cy", from.y);
    this.svg.classList.add("on");
    this.svg.classList.toggle("away", away);
  }
}
