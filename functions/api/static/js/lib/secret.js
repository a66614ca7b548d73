// A secret that is shown this once, and the button that copies it.

import { h } from "./dom.js";

export function secretLine(secret) {
  const copied = h("span", { class: "muted", role: "status" });
  const shown = h("input", { type: "text", id: "secret", readonly: true, value: secret, "aria-label": "Secret", onfocus: () => shown.select() });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      copied.textContent = "Copied";
    } catch {
      shown.select();
      copied.textContent = "Press Ctrl+C to copy it";
    }
  };
  return [h("div", { class: "secret-line" }, shown, h("button", { type: "button", class: "button", onclick: copy }, "Copy")), copied];
}
