// Changes that a person makes: a statement of their own with its passage, in place of another or beside it.

import { call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { field as labelled, openForm } from "../lib/form.js";
import { passageOf } from "../lib/passage.js";
import { TITLES } from "./field.js";

/** A dialog for a new statement of `one.field`, or for another in place of `one`. */
export async function openEdit(address, summary, one, show) {
  const text = h("textarea", { name: "text", rows: 5, required: true, maxlength: 1000, "data-wrong": "Write the statement." }, one.text ?? "");
  const chunk = h("input", { name: "chunk", required: true, value: one.chunk_ids?.[0] ?? "", autocomplete: "off", spellcheck: "false", "data-wrong": "Paste the link of the passage that says it." });
  let made = null;
  await openForm({
    title: one.id ? `Edit a statement of ${TITLES[one.field]}` : `Add to ${TITLES[one.field]}`,
    fields: [
      labelled("Statement", text, "In the document's words, or in yours: its passage has to bear it out."),
      labelled("Passage", chunk, "The link of the passage that says it: open it in the inspector and choose Copy link."),
    ],
    done: "Save",
    save: async () => {
      const cited = passageOf(chunk.value);
      if (!cited) throw new Error("This is no link of a passage: open it in the inspector and choose Copy link.");
      made = await post(`${address}/edits`, { target: one.id ?? null, field: one.field, text: text.value.trim(), chunk_ids: [cited] });
    },
  });
  if (!made) return;
  await show(made);
  byId(`field-${one.field}`)?.focus();
  announce("Saved as a new version.");
}

/** Takes a statement out, or a person's own one back. */
export async function takeOut(address, one, show) {
  if (one.edit_id) return takeBack(address, { ...one, id: one.edit_id }, show);
  await show(await post(`${address}/edits`, { target: one.id }));
  byId(`field-${one.field}`)?.focus();
  announce("Taken out. It can be put back at the end of the page.");
}

/** Takes an edit back: what stood there before stands there again. */
export async function takeBack(address, edit, show) {
  await show(await call(`${address}/edits/${edit.id}`, { method: "DELETE" }));
  byId(`field-${edit.field}`)?.focus();
  announce("Taken back.");
}
