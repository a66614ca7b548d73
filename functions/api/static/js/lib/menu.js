// Menus: a button with a panel below it, and a picker, whose panel is a list of things to tick.

import { h } from "./dom.js";

const SEARCH_FROM = 8;
const SHOWN_MAX = 200;
const EDGE = 12; // pixels
let made = 0;

/** Lets `button` open `panel`, both in `root`; returns the function that opens or closes it. It closes on Esc, on a click
 * elsewhere, and when the focus leaves it; `root` says so by `menuclosed`. */
export function wireMenu(root, button, panel) {
  const open = (yes) => {
    if (panel.hidden === !yes) return;
    if (!yes && panel.contains(document.activeElement)) button.focus();
    panel.hidden = !yes;
    button.setAttribute("aria-expanded", String(yes));
    // What would stand beyond the window's right edge is moved back into it.
    panel.style.translate = "";
    const beyond = panel.getBoundingClientRect().right - document.documentElement.clientWidth + EDGE;
    if (yes && beyond > 0) panel.style.translate = `${-beyond}px`;
    if (!yes) root.dispatchEvent(new CustomEvent("menuclosed", { bubbles: true }));
  };
  button.addEventListener("click", () => open(panel.hidden));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    open(false);
  });
  root.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) open(false);
  });
  document.addEventListener("pointerdown", (event) => {
    if (!root.contains(event.target)) open(false);
  });
  return open;
}

/** Fills `root` (class `menu`) with a button that opens `panel`; returns {button, close}. */
export function attachMenu(root, label, panel, className = "pill") {
  made += 1;
  panel.id = `menu-panel-${made}`;
  panel.hidden = true;
  panel.classList.add("menu-panel");
  const button = h(
    "button",
    { type: "button", class: `${className} menu-button`, "aria-expanded": "false", "aria-controls": panel.id },
    label,
  );
  const open = wireMenu(root, button, panel);
  root.replaceChildren(button, panel);
  return { button, close: () => open(false) };
}

/** A menu of checkboxes: searched by typing, walked with the arrow keys, each with a note beside its name. */
export class Picker {
  /** `label(items, chosen)` gives the nodes of the button; `least` ticks always stay; `changed` is told of each. */
  constructor(root, { legend, className = "pill", least = 0, label, changed = () => {} }) {
    Object.assign(this, { root, legend, className, least, label, changed });
    this.items = [];
    this.chosen = new Set();
    this.typed = "";
    root.addEventListener("keydown", (event) => this.#move(event));
  }

  /** `items` are {id, name, note}; `chosen` their ids. */
  fill(items, chosen) {
    this.items = items;
    this.chosen = new Set([...chosen].filter((id) => items.some((item) => item.id === id)));
    this.list = h("div", { class: "picker-list" });
    this.field =
      items.length >= SEARCH_FROM &&
      h("input", {
        type: "search",
        class: "picker-search",
        "aria-label": `${this.legend}: find`,
        placeholder: "Find",
        autocomplete: "off",
        oninput: (event) => {
          this.typed = event.target.value.trim().toLowerCase();
          this.#draw();
        },
      });
    this.head = h("div", { class: "picker-head" }, h("span", {}), this.#all());
    const panel = h("fieldset", { class: "scope-panel" }, h("legend", {}, this.legend), this.field, this.head, this.list);
    // What is typed here is no setting: only a tick is.
    panel.addEventListener("change", (event) => {
      if (event.target === this.field) event.stopPropagation();
    });
    this.menu = attachMenu(this.root, "", panel, this.className);
    this.#draw();
    this.say();
  }

  #all() {
    const set = (ids) => () => {
      for (const item of this.#found()) {
        if (ids) this.chosen.add(item.id);
        else if (this.chosen.size > this.least) this.chosen.delete(item.id);
      }
      this.#draw();
      this.#told();
      this.root.dispatchEvent(new Event("change", { bubbles: true }));
    };
    return h(
      "span",
      {},
      h("button", { type: "button", class: "link-button", onclick: set(true) }, "all"),
      this.least === 0 && h("button", { type: "button", class: "link-button", onclick: set(false) }, "none"),
    );
  }

  #found() {
    return this.items.filter((item) => `${item.name} ${item.note ?? ""}`.toLowerCase().includes(this.typed));
  }

  #draw() {
    const found = this.#found();
    this.list.replaceChildren(...found.slice(0, SHOWN_MAX).map((item) => this.#choice(item)));
    const hidden = found.length - SHOWN_MAX;
    this.head.firstChild.textContent =
      found.length === 0
        ? "Nothing has this name."
        : hidden > 0
          ? `${hidden} more: type to find them`
          : `${this.chosen.size} of ${this.items.length} chosen`;
  }

  #choice(item) {
    const box = h("input", { type: "checkbox", checked: this.chosen.has(item.id), onchange: () => this.#toggle(item, box) });
    return h("label", { class: "scope-item" }, box, h("span", {}, item.name), h("small", {}, item.note ?? ""));
  }

  #toggle(item, box) {
    if (box.checked) this.chosen.add(item.id);
    else if (this.chosen.size > this.least) this.chosen.delete(item.id);
    box.checked = this.chosen.has(item.id);
    this.head.firstChild.textContent = `${this.chosen.size} of ${this.items.length} chosen`;
    this.#told();
  }

  #told() {
    this.say();
    this.changed();
  }

  say() {
    this.menu.button.replaceChildren(...this.label(this.items, this.chosen));
  }

  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || this.menu?.button.getAttribute("aria-expanded") !== "true") return;
    event.preventDefault();
    const stops = [this.field, ...this.list.querySelectorAll("input")].filter(Boolean);
    const at = stops.indexOf(document.activeElement);
    stops[Math.min(Math.max(0, at + step), stops.length - 1)]?.focus();
  }
}
