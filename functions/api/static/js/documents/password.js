// Asking for the password of a protected file; it travels once and is never kept in the page.

import { post } from "../lib/api.js";
import { h } from "../lib/dom.js";

// The list is drawn anew whenever something changes in it; what is being typed stays.
const forms = new Map();

/** A form that reads the refused document `id` again with a password; `watch(id)` follows the new run. */
export function passwordForm(id, name, watch) {
  if (!forms.has(id)) forms.set(id, makeForm(id, name, watch));
  return forms.get(id);
}

function makeForm(id, name, watch) {
  const field = h("input", {
    type: "password",
    name: "password",
    required: true,
    maxlength: 255,
    autocomplete: "off",
    placeholder: "Password",
    "aria-label": `Password of ${name}`,
  });
  const problem = h("span", { class: "trouble", role: "alert" });
  const open = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      const run = await post(`/v1/documents/${id}/reingest`, { password: field.value });
      field.value = "";
      watch(run.id);
    } catch (error) {
      problem.textContent = error.detail || error.message;
    }
  };
  return h(
    "form",
    { class: "password-form", onsubmit: open },
    field,
    h("button", { class: "button small" }, "Open it"),
    problem,
  );
}
