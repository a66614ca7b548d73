// Forms in dialogs that are made when they are needed. What the server refuses is said in the form, whose fields stay.

import { h } from "./dom.js";

let made = 0;

/** Opens a dialog. `save(form)` may be asynchronous; the dialog closes when it has ended, and stays where it throws.
 * Resolves to whether it was saved. Without `save` there is nothing but `done`, which closes it. */
export function openForm({ title, fields = [], done, cancel = "Cancel", danger = false, save }) {
  made += 1;
  const name = `form-${made}`;
  const said = h("p", { class: "form-error", role: "alert" });
  const yes = h("button", { type: "submit", class: `button ${danger ? "danger" : "primary"}` }, done);
  const no = save && h("button", { type: "button", class: "button", onclick: () => dialog.close() }, cancel);
  const form = h(
    "form",
    { novalidate: true },
    h("h2", { id: name }, title),
    fields,
    said,
    h("div", { class: "dialog-actions" }, no, yes),
  );
  const dialog = h("dialog", { class: "dialog form-dialog", "aria-labelledby": name }, form);
  let saved = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!isFilled(form, said)) return;
    yes.disabled = true;
    try {
      await save?.(form);
      saved = true;
      dialog.close();
    } catch (error) {
      said.textContent = error.detail || error.title || error.message;
    } finally {
      yes.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(saved);
    });
  });
}

/** Whether every field has what it needs; the first that has not says it. */
function isFilled(form, said) {
  const wrong = [...form.elements].find((field) => field.willValidate && !field.validity.valid);
  said.textContent = wrong ? wrong.dataset.wrong || wrong.validationMessage : "";
  wrong?.focus();
  return !wrong;
}

/** A label over its control, with a hint below it. */
export function field(label, control, hint) {
  if (hint) {
    made += 1;
    control.setAttribute("aria-describedby", `hint-${made}`);
  }
  return h("label", { class: "field" }, h("span", {}, label), control, hint && h("small", { id: `hint-${made}` }, hint));
}

/** A select with `options` as {value, label}; the one with `chosen` is chosen. */
export function select(attributes, options, chosen) {
  return h(
    "select",
    attributes,
    options.map(({ value, label }) => h("option", { value, selected: value === chosen }, label)),
  );
}
