// The middle: page image, overlay, zoom and turning pages.

import { byId, calm, h, settled } from "../lib/dom.js";
import { emptiness, failure } from "../lib/notice.js";
import { boxesOf } from "./boxes.js";
import { Part } from "./part.js";

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4];
const MARGIN = 24;
const BAR = 72;
const REST = 50; // milliseconds a pointer rests on a card before the page moves to its box

export class Stage {
  constructor(state) {
    this.state = state;
    this.scroller = byId("stage");
    this.sheet = byId("sheet");
    this.image = byId("page-image");
    this.overlay = byId("overlay");
    this.part = new Part(byId("part"));
    this.zoom = 1;
    // Whether the zoom is to follow the page's height.
    this.whole = false;
    this.follow = settled(() => this.reveal(state.active), REST);
    this.#listen();
  }

  #listen() {
    const { state, overlay } = this;
    state.on("turning", () => this.#turn());
    state.on("page", ({ again }) => this.#show(again));
    state.on("skipped", () => this.#draw());
    state.on("filter", () => this.#filter());
    state.on("active", (detail) => this.#activate(detail));
    overlay.addEventListener("box-hover", (event) => state.hover(event.detail, "page"));
    overlay.addEventListener("box-pick", (event) => this.#pick(event.detail));
    // Behind what chooses the chunk: the cell that is pointed at says more.
    overlay.addEventListener("click", (event) => this.part.bar?.chooseAt(event.clientX, event.clientY));
    this.image.addEventListener("load", () => this.#imageLoaded());
    this.image.addEventListener("error", () => this.#imageFailed());
    this.scroller.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    byId("page-previous").addEventListener("click", () => state.open(state.page - 1));
    byId("page-next").addEventListener("click", () => state.open(state.page + 1));
    byId("zoom-in").addEventListener("click", () => this.zoomBy(1));
    byId("zoom-out").addEventListener("click", () => this.zoomBy(-1));
    byId("zoom-fit").addEventListener("click", () => this.setZoom(1));
    byId("zoom-page").addEventListener("click", () => this.fitPage());
    byId("show-skipped").addEventListener("change", (event) => state.setSkipped(event.target.checked));
    state.on("skipped", () => {
      byId("show-skipped").checked = state.showSkipped;
    });
    const resized = () => {
      if (this.whole) this.fitPage();
      if (this.part.shown) this.#draw();
      this.#followActive();
    };
    const watch = new ResizeObserver(settled(resized, 120));
    watch.observe(this.scroller);
    watch.observe(this.part.root);
  }

  #pick(key) {
    if (key && !key.startsWith("skipped-")) this.state.pin(key, "page");
    else if (!key && this.state.pinned) this.state.release();
  }

  #turn() {
    const { state } = this;
    byId("page-number").textContent = state.page;
    byId("page-total").textContent = state.pages.length;
    byId("page-previous").disabled = state.page <= 1;
    byId("page-next").disabled = state.page >= state.pages.length;
    const row = state.pages[state.page - 1];
    if (row?.width_pt) this.sheet.style.setProperty("--ratio", `${row.width_pt} / ${row.height_pt}`);
    if (this.whole) this.fitPage();
    this.#ahead(row);
  }

  /** Asks for the picture before it is known what is read of the page. A document under way, or a page that failed, may
   * have none. */
  #ahead(row) {
    const { state } = this;
    if (!state.paged || state.running || !row || row.status === "failed" || state.view?.page === row.page) return;
    this.overlay.boxes = [];
    this.part.show(null);
    byId("stage-message").replaceChildren();
    this.sheet.hidden = this.image.hidden = false;
    this.scroller.scrollTop = 0;
    this.#picture(state.imageOf(row.page));
  }

  #picture(url) {
    const failed = this.image.complete && !this.image.naturalWidth;
    if (this.image.getAttribute("src") === url && !failed) return;
    this.sheet.classList.add("loading");
    this.image.src = url;
    if (this.image.complete && this.image.naturalWidth) this.#imageLoaded();
  }

  #show(again = false) {
    const { view } = this.state;
    const { row } = this.state;
    this.part.show(this.state.paged ? null : view, row, (to) => this.state.open(view.page, null, { row: to, push: true }));
    this.#message(view);
    this.sheet.hidden = !view.image_url && !this.part.shown;
    this.sheet.classList.toggle("text", this.part.shown);
    this.image.hidden = this.part.shown;
    if (view.image_url) this.#picture(view.image_url);
    else this.#imageLoaded();
    this.image.alt = `Page ${view.page}; its text is in the list of chunks.`;
    if (!this.state.pinned && !again) this.scroller.scrollTop = 0;
    if (!again) this.part.asked?.scrollIntoView({ block: "center" });
    this.#draw();
    // What comes next waits for what is asked for now.
    if (!this.sheet.classList.contains("loading")) this.#prefetch();
  }

  #message(view) {
    const place = byId("stage-message");
    if (view.status === "failed") {
      place.replaceChildren(
        failure(
          { title: `Page ${view.page} could not be read`, detail: view.error },
          { safe: "The other pages of this document are served.", compact: true },
        ),
      );
    } else if (!view.image_url && !this.part.shown) {
      place.replaceChildren(
        emptiness(
          "No picture of this page yet",
          this.state.running
            ? "The document is still being read; the page appears here as soon as it is rendered."
            : "Its text is in the list of chunks.",
        ),
      );
    } else place.replaceChildren();
  }

  /** What stands here while the document has no page at all. */
  wait() {
    this.sheet.hidden = true;
    const text = this.state.running
      ? "Its pages appear here one by one as they are read."
      : (this.state.document.error ?? "Nothing of it could be shown.");
    byId("stage-message").replaceChildren(emptiness("No pages yet", text));
    byId("cards").setAttribute("aria-busy", "false");
  }

  #imageLoaded() {
    this.sheet.classList.remove("loading");
    this.state.emit("pictured");
    if (this.state.view?.page === this.state.page) this.#prefetch();
  }

  #imageFailed() {
    this.#imageLoaded();
    // Asked for ahead, it may turn out that there is none.
    if (this.state.view?.page === this.state.page && !this.state.view.image_url) return;
    const retry = () => {
      const { src } = this.image;
      this.image.removeAttribute("src");
      this.image.src = src;
      byId("stage-message").replaceChildren();
    };
    byId("stage-message").replaceChildren(
      failure(
        { title: "The picture of this page did not load" },
        { safe: "Text and boxes are unaffected.", retry, compact: true },
      ),
    );
  }

  #draw() {
    if (!this.state.view) return;
    if (this.part.shown) this.part.measure(this.sheet, this.state.view, this.state.showSkipped);
    this.overlay.boxes = boxesOf(this.state.view, this.state.showSkipped);
    this.#filter();
    this.#mark();
  }

  #filter() {
    this.overlay.filter(new Set(this.state.shown.map((item) => item.id)));
  }

  #mark() {
    const { active, hovered, pinned } = this.state;
    this.overlay.highlight(active, pinned ? hovered : null, pinned !== null);
  }

  #activate({ origin, preview }) {
    this.#mark();
    if (!preview && this.part.bar) this.part.bar.show(this.state.chunk(this.state.pinned));
    if (origin === "again" || origin === "page" || (preview && this.state.pinned)) return;
    if (preview) this.follow();
    else this.reveal(this.state.active);
  }

  /** Scrolls so that the chunk's box is in view; does nothing where it already is. */
  reveal(key, behavior = "smooth") {
    const node = this.overlay.nodeOf(key);
    if (!node) return;
    const box = node.getBoundingClientRect();
    const port = this.scroller.getBoundingClientRect();
    const top = shift(box.top, box.bottom, port.top + MARGIN, port.bottom - BAR);
    const left = shift(box.left, box.right, port.left + MARGIN, port.right - MARGIN);
    if (top || left) this.scroller.scrollBy({ top, left, behavior: calm() ? "auto" : behavior });
  }

  #followActive() {
    if (this.state.pinned) this.reveal(this.state.pinned, "auto");
  }

  zoomBy(steps) {
    const at = ZOOMS.findIndex((value) => value >= this.zoom - 0.001);
    this.setZoom(ZOOMS[Math.min(Math.max(0, at + steps), ZOOMS.length - 1)]);
  }

  /** Zooms around the active box where it is in view, else around the middle (or the pointer). */
  setZoom(zoom, point = this.#focusPoint()) {
    const before = this.sheet.getBoundingClientRect();
    const fx = (point.x - before.left) / before.width;
    const fy = (point.y - before.top) / before.height;
    this.zoom = zoom;
    this.sheet.style.setProperty("--zoom", zoom);
    this.whole = false;
    this.#sayZoom();
    const after = this.sheet.getBoundingClientRect();
    this.scroller.scrollBy({
      left: after.left + fx * after.width - point.x,
      top: after.top + fy * after.height - point.y,
      behavior: "instant",
    });
  }

  /** So that the whole page is seen; pages of another shape, and another window, are fitted again. */
  fitPage() {
    const { height } = this.sheet.getBoundingClientRect();
    const room = this.scroller.clientHeight - MARGIN - BAR;
    if (height > 0 && room > 0) this.setZoom(Math.min(4, Math.max(0.1, (this.zoom * room) / height)));
    this.whole = true;
    this.#sayZoom();
    this.scroller.scrollTop = 0;
  }

  #sayZoom() {
    byId("zoom-fit").setAttribute("aria-pressed", String(!this.whole && this.zoom === 1));
    byId("zoom-page").setAttribute("aria-pressed", String(this.whole));
    byId("zoom-fit").textContent = this.whole || this.zoom === 1 ? "width" : `${Math.round(this.zoom * 100)} %`;
  }

  #focusPoint() {
    const port = this.scroller.getBoundingClientRect();
    const box = this.overlay.nodeOf(this.state.active)?.getBoundingClientRect();
    const inside = box && box.bottom > port.top && box.top < port.bottom;
    const target = inside ? box : port;
    return { x: target.left + target.width / 2, y: target.top + target.height / 2 };
  }

  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.setZoom(Math.min(4, Math.max(0.5, this.zoom * Math.exp(-event.deltaY / 300))), {
      x: event.clientX,
      y: event.clientY,
    });
  }

  /** What a reader turns to next. */
  #prefetch() {
    const { state } = this;
    for (const number of [state.page + 1, state.page - 1]) {
      const row = state.pages[number - 1];
      if (state.running || !row) continue;
      state.fetchPage(number).catch(() => {});
      if (state.paged && row.status !== "failed") h("img", { fetchpriority: "low" }).src = state.imageOf(number);
    }
  }
}

/** How far to scroll so that [from, to] lies inside [low, high]; the start wins where it is too long. */
function shift(from, to, low, high) {
  if (from >= low && to <= high) return 0;
  if (to - from > high - low) return from <= low && to >= high ? 0 : from - low;
  return (from + to) / 2 - (low + high) / 2;
}
