// Hovering or focusing a citation or a hit shows its place on the page, cropped around the box.

import { h } from "../lib/dom.js";

const WIDTH = 440;
const HEIGHT = 250;
const DELAY = 180;

function crop(box) {
  const image = h("img", { alt: "" });
  const zoom = Math.min(1.9, Math.max(1, 0.9 / Math.max(box.w, 0.01)));
  const width = WIDTH * zoom;
  const mark = h("i", { class: "preview-box" });
  const sheet = h("div", { class: "preview-sheet" }, image, mark);
  Object.assign(mark.style, {
    left: `${box.x * 100}%`,
    top: `${box.y * 100}%`,
    width: `${box.w * 100}%`,
    height: `${box.h * 100}%`,
  });
  sheet.style.width = `${width}px`;
  image.addEventListener("load", () => {
    const height = (width * image.naturalHeight) / image.naturalWidth;
    const tall = box.h * height;
    const top = tall > HEIGHT - 40 ? box.y * height - 20 : (box.y + box.h / 2) * height - HEIGHT / 2;
    const left = (box.x + box.w / 2) * width - WIDTH / 2;
    sheet.style.transform = `translate(${-Math.min(Math.max(0, left), width - WIDTH)}px, ${-Math.min(Math.max(0, top), Math.max(0, height - HEIGHT))}px)`;
    sheet.classList.add("loaded");
  });
  return { sheet, image };
}

/** Previews in `place` for every element inside `root` that carries `data-preview`. */
export function attachPreview(place, root) {
  let timer = 0;
  const hide = () => {
    clearTimeout(timer);
    place.hidden = true;
  };
  const show = (anchor) => {
    const { image, box, name } = JSON.parse(anchor.dataset.preview);
    // It may have been scrolled away or drawn anew since.
    if (!image || !anchor.matches(":hover, :focus-within")) return;
    const made = crop(box);
    made.image.src = image;
    place.replaceChildren(h("div", { class: "preview-window" }, made.sheet), h("p", {}, `${name} · p. ${box.page}`));
    place.hidden = false;
    put(place, anchor.getClientRects()[0]);
  };
  const enter = (event) => {
    const anchor = event.target.closest?.("[data-preview]");
    if (!anchor || event.pointerType === "touch") return;
    clearTimeout(timer);
    timer = setTimeout(() => show(anchor), DELAY);
  };
  const leave = (event) => {
    if (event.target.closest?.("[data-preview]")) hide();
  };
  root.addEventListener("pointerover", enter);
  root.addEventListener("pointerout", leave);
  root.addEventListener("focusin", enter);
  root.addEventListener("focusout", leave);
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  // What is still to come is shown all the same: focusing a citation that is out of view scrolls to it.
  addEventListener("scroll", () => (place.hidden = true), { passive: true, capture: true });
}

function put(place, rect) {
  const left = Math.min(Math.max(8, rect.left), innerWidth - place.offsetWidth - 8);
  const below = rect.bottom + 8 + place.offsetHeight < innerHeight;
  place.style.left = `${left}px`;
  place.style.top = `${below ? rect.bottom + 8 : Math.max(8, rect.top - place.offsetHeight - 8)}px`;
}
