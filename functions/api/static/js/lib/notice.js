// What a page says when it is empty, waits or has failed (what happened, what is safe, what to do next), and what it asks
// before something is deleted.

import { ApiError } from "./api.js";
import { announce, byId, h } from "./dom.js";

/** A button that copies `text` and says so; `label` is its name for those who do not see where it stands. */
export function copyButton(text, label) {
  const button = h("button", { type: "button", class: "button small", "aria-label": label }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      announce("Copied");
    } catch {
      button.textContent = "Select it and press Ctrl+C";
    }
  });
  return button;
}

function requestLine(requestId) {
  return h("p", { class: "request-id" }, "Request ", h("code", {}, requestId), copyButton(requestId));
}

/** A panel for `error`. `safe` says what is not affected; `retry` is called by the button, `next` is a further link. */
export function failure(error, { safe = "Your documents are not affected.", retry, next, compact = false } = {}) {
  if (error instanceof Error && !(error instanceof ApiError)) console.error(error);
  const title = error.title ?? "Something went wrong in this page";
  const detail = error.detail ?? error.message;
  return h(
    "section",
    { class: `notice-panel failed${compact ? " compact" : ""}`, role: "alert" },
    h("h2", {}, title),
    detail && detail !== title && h("p", {}, detail),
    h("p", { class: "muted" }, safe),
    h(
      "div",
      { class: "notice-actions" },
      retry && error.status !== 404 && h("button", { type: "button", class: "button", onclick: retry }, "Try again"),
      next && h("a", { class: "button quiet", href: next.href }, next.label),
    ),
    error.requestId && requestLine(error.requestId),
  );
}

/** A calm panel for a place where nothing is yet. */
export function emptiness(title, text, ...actions) {
  return h(
    "section",
    { class: "notice-panel" },
    h("h2", {}, title),
    h("p", { class: "muted" }, text),
    actions.length > 0 && h("div", { class: "notice-actions" }, ...actions),
  );
}

/** Shows `text` in `place` only when the wait exceeds 300 ms; returns the function that ends the wait. */
export function waiting(place, text) {
  const line = h("p", { class: "waiting", role: "status" }, text);
  const timer = setTimeout(() => place.prepend(line), 300);
  return () => {
    clearTimeout(timer);
    line.remove();
  };
}

/** Asks in the dialog of `confirm_dialog.html`; resolves to whether the person wants it. `yes` and `no` are the buttons' words;
 * what is lost for ever is `danger`. */
export function confirmed(title, text, { yes = "Delete", no = "Keep it", danger = true } = {}) {
  const dialog = byId("confirm-dialog");
  const button = byId("confirm-yes");
  button.textContent = yes;
  button.className = `button ${danger ? "danger" : "primary"}`;
  dialog.querySelector('[value="no"]').textContent = no;
  byId("confirm-title").textContent = title;
  byId("confirm-text").textContent = text;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }),
  );
}
