// A button with a panel below it: closes on Esc, on a click elsewhere, and when the focus leaves.

import { h } from "./dom.js";

let made = 0;

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
  const open = (yes) => {
    panel.hidden = !yes;
    button.setAttribute("aria-expanded", String(yes));
  };
  button.addEventListener("click", () => open(panel.hidden));
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    open(false);
    button.focus();
  });
  root.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) open(false);
  });
  document.addEventListener("pointerdown", (event) => {
    if (!root.contains(event.target)) open(false);
  });
  root.replaceChildren(button, panel);
  return { button, close: () => open(false) };
}
