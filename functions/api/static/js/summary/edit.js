// Changes that a person makes: a statement of their own with its passage, in place of another or beside it.

import { call, post } from "../lib/api.js";
import { announce, h } from "../lib/dom.js";
import { field as labelled, openForm } from "../lib/form.js";
import { TITLES } from "./field.js";

const ID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** A dialog for a new statement of `one.field`, or for another in place of `one`. */
export async function openEdit(address, summary, one, show) {
  const text = h("textarea", { name: "text", rows: 5, required: true, maxlength: 1000, "data-wrong": "Write the statement." }, one.text ?? "");
  const chunk = h("input", { name: "chunk", required: true, pattern: ID, value: one.chunk_ids?.[0] ?? "", autocomplete: "off", spellcheck: "false", "data-wrong": "Paste the id of the passage that says it." });
  let made = null;
  await openForm({
    title: one.id ? `Edit a statement of ${TITLES[one.field]}` : `Add to ${TITLES[one.field]}`,
    fields: [
      labelled("Statement", text, "In the document's words, or in yours: its passage has to bear it out."),
      labelled("Passage", chunk, "The id of the passage that it cites, as the inspector copies it."),
    ],
    done: "Save",
    save: async () => {
      made = await post(`${address}/edits`, { target: one.id ?? null, field: one.field, text: text.value.trim(), chunk_ids: [chunk.value.trim()] });
    },
  });
  if (!made) return;
  show(made);
  announce("Saved as a new version.");
}

/** Takes a statement out, or a person's own one back. */
export async function takeOut(address, one, show) {
  const made = one.edit_id ? await call(`${address}/edits/${one.edit_id}`, { method: "DELETE" }) : await post(`${address}/edits`, { target: one.id });
  show(made);
  announce(one.edit_id ? "Taken back." : "Taken out. Summarizing again leaves it out.");
}
