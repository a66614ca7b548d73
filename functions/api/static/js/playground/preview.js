// A place on its page, cropped around the box: shown while a citation or a hit is hovered or focused, and kept open by a
// click on a citation, where a further click leads to the inspector at that box.

import { h } from "../lib/dom.js";

const HEIGHT = 250;
const MARGIN = 8;
const SHOW_AFTER = 180;
const HIDE_AFTER = 220; // long enough to move the pointer from the citation to the crop
const NARROW = matchMedia("(max-width: 640px)");

function crop(box, source, alt, width) {
  const image = h("img", { alt });
  const zoom = Math.min(1.9, Math.max(1, 0.9 / Math.max(box.w, 0.01)));
  const wide = width * zoom;
  const mark = h("i", { class: "preview-box" });
  const sheet = h("div", { class: "preview-sheet" }, image, mark);
  Object.assign(mark.style, {
    left: `${box.x * 100}%`,
    top: `${box.y * 100}%`,
    width: `${box.w * 100}%`,
    height: `${box.h * 100}%`,
  });
  sheet.style.width = `${wide}px`;
  image.addEventListener("load", () => {
    const height = (wide * image.naturalHeight) / image.naturalWidth;
    const tall = box.h * height;
    const top = tall > HEIGHT - 40 ? box.y * height - 20 : (box.y + box.h / 2) * height - HEIGHT / 2;
    const left = (box.x + box.w / 2) * wide - width / 2;
    sheet.style.transform = `translate(${-Math.min(Math.max(0, left), wide - width)}px, ${-Math.min(Math.max(0, top), Math.max(0, height - HEIGHT))}px)`;
    sheet.classList.add("loaded");
  });
  image.src = source;
  return sheet;
}

class Preview {
  #timer = 0;
  #pinned = false;
  #anchor = null;

  constructor(place) {
    this.place = place;
  }

  /** Whether `anchor` has a place to show; it says where by its `data-preview`. */
  static read(anchor) {
    const { image, box, name } = JSON.parse(anchor.dataset.preview);
    return image ? { image, box, name } : null;
  }

  later(anchor) {
    if (this.#pinned) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // It may have been scrolled away or drawn anew since.
      if (anchor.matches(":hover, :focus-within")) this.#show(anchor);
    }, SHOW_AFTER);
  }

  #show(anchor) {
    const shown = Preview.read(anchor);
    if (!shown) return;
    const { image, box, name } = shown;
    this.#anchor = anchor;
    this.place.hidden = false;
    const sheet = crop(box, image, `Page ${box.page} of ${name}, with the cited place marked`, this.place.clientWidth);
    this.place.replaceChildren(
      h(
        "a",
        { class: "preview-link", href: anchor.href, tabindex: this.#pinned ? null : "-1" },
        h("span", { class: "preview-window" }, sheet),
        h("span", { class: "preview-foot" }, h("span", {}, h("bdi", {}, name), ` · p. ${box.page}`), h("b", {}, "Open in the inspector")),
      ),
      this.#pinned ? h("button", { type: "button", class: "preview-close", "aria-label": "Close", onclick: () => this.close() }, "×") : "",
    );
    this.put();
  }

  /** Opens the crop to stay, with the focus in it. */
  pin(anchor) {
    clearTimeout(this.#timer);
    this.#pinned = true;
    this.#show(anchor);
    this.place.setAttribute("role", "dialog");
    this.place.setAttribute("aria-label", anchor.getAttribute("aria-label"));
    anchor.setAttribute("aria-expanded", "true");
    this.place.querySelector("a").focus({ preventScroll: true });
  }

  pinnedTo(anchor) {
    return this.#pinned && this.#anchor === anchor;
  }

  get pinned() {
    return this.#pinned;
  }

  put() {
    if (this.place.hidden || !this.#anchor) return;
    const [rect] = this.#anchor.getClientRects();
    if (!rect || (!this.#pinned && (rect.bottom < 0 || rect.top > innerHeight))) return this.close();
    const { place } = this;
    if (NARROW.matches) {
      // At the bottom of the screen, where a thumb is.
      Object.assign(place.style, { left: "", top: "" });
      return undefined;
    }
    const left = Math.min(Math.max(MARGIN, rect.left), innerWidth - place.offsetWidth - MARGIN);
    const below = rect.bottom + MARGIN + place.offsetHeight < innerHeight;
    place.style.left = `${left}px`;
    place.style.top = `${below ? rect.bottom + MARGIN : Math.max(MARGIN, rect.top - place.offsetHeight - MARGIN)}px`;
    return undefined;
  }

  away() {
    if (this.#pinned) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), HIDE_AFTER);
  }

  stay() {
    clearTimeout(this.#timer);
  }

  close() {
    clearTimeout(this.#timer);
    const anchor = this.#anchor;
    const focused = this.place.contains(document.activeElement);
    this.place.hidden = true;
    this.place.removeAttribute("role");
    this.place.removeAttribute("aria-label");
    anchor?.removeAttribute("aria-expanded");
    this.#pinned = false;
    this.#anchor = null;
    if (focused) anchor?.focus({ preventScroll: true });
    clearTimeout(this.#timer);
  }
}

const anchorOf = (event) => event.target.closest?.("[data-preview]");

/** Previews in `place` for every element inside `root` that carries `data-preview`. */
export function attachPreview(place, root) {
  const preview = new Preview(place);
  const enter = (event) => {
    const anchor = anchorOf(event);
    if (anchor && event.pointerType !== "touch") preview.later(anchor);
    else if (place.contains(event.target)) preview.stay();
  };
  const leave = (event) => {
    if (anchorOf(event) || place.contains(event.target)) preview.away();
  };
  root.addEventListener("pointerover", enter);
  root.addEventListener("pointerout", leave);
  root.addEventListener("focusin", enter);
  root.addEventListener("focusout", leave);
  root.addEventListener("click", (event) => {
    const anchor = event.target.closest(".citation[data-preview]");
    // With a key it opens elsewhere, as every link does.
    if (!anchor || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !Preview.read(anchor)) return;
    event.preventDefault();
    if (preview.pinnedTo(anchor)) preview.close();
    else preview.pin(anchor);
  });
  document.addEventListener("pointerdown", (event) => {
    if (preview.pinned && !place.contains(event.target) && !anchorOf(event)) preview.close();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !place.hidden) preview.close();
  });
  // It follows its citation, which what comes above it may push down; a pointer that is left behind is told of.
  addEventListener("scroll", () => preview.put(), { passive: true, capture: true });
}
