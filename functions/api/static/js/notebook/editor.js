// A cell that is being written. What somebody else wrote meanwhile is shown beside it, and nothing is lost.

import { h } from "../lib/dom.js";
import { failure } from "../lib/notice.js";

/** `save(text, force)` throws what the server refuses; `close()` ends the editing. `theirs()` reads what there is now and
 * gives {text, node}, null where the cell is gone; `addAnew(text)` puts one's words into a further cell. */
export function cellEditor({ label, text, save, close, theirs, addAnew }) {
  const area = h("textarea", { class: "notebook-text", rows: Math.min(24, Math.max(5, text.split("\n").length + 2)), maxlength: 20000, "aria-label": label, spellcheck: "true" });
  area.value = text;
  const said = h("div", {});
  const yes = h("button", { type: "submit", class: "button primary small" }, "Save");
  const act = (work) => async () => {
    yes.disabled = true;
    try {
      await work();
    } catch (error) {
      if (error.status === 412 || error.status === 404) await conflict();
      else said.replaceChildren(failure(error, { compact: true, safe: "What you wrote stays here." }));
    } finally {
      yes.disabled = false;
    }
  };
  const button = (name, work) => h("button", { type: "button", class: "button small", onclick: act(work) }, name);
  const conflict = async () => {
    const other = await theirs();
    said.replaceChildren(
      h(
        "section",
        { class: "notebook-conflict", role: "alert" },
        h("h3", {}, other ? "Somebody else has changed this cell meanwhile" : "Somebody else has deleted this cell meanwhile"),
        h("p", {}, other ? "Nothing is lost: yours stands above, theirs below, and each version stays in the history." : "Nothing is lost: yours stands above."),
        other?.node,
        h(
          "div",
          { class: "notice-actions" },
          other && button("Save mine over theirs", () => save(area.value, true)),
          other && button("Keep theirs", close),
          button("Add mine as a further cell", () => addAnew(area.value)),
        ),
      ),
    );
  };
  const form = h(
    "form",
    { class: "notebook-editor", novalidate: true },
    area,
    h(
      "div",
      { class: "notebook-editor-foot" },
      h("small", { class: "muted" }, "Markdown. Ctrl Enter saves, Esc leaves it as it was."),
      h("button", { type: "button", class: "button small", onclick: () => close() }, "Cancel"),
      yes,
    ),
    said,
  );
  const submit = act(() => save(area.value, false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    if (event.key === "Escape" && area.value === text) close();
    event.stopPropagation();
  });
  return { node: form, focus: () => area.focus() };
}
