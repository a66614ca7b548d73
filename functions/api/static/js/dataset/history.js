// The revisions of a dataset: what each changed, to be seen or taken back.

import { all } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { openForm } from "../lib/form.js";
import { printedUnit } from "../lib/units.js";

const CHANGES = {
  tables: () => "other tables",
  steps: () => "other steps",
  added: (one) => `${one.column} is new (${one.after})`,
  removed: (one) => `${one.column} is gone`,
  renamed: (one) => `${one.before} is called ${one.after}`,
  type: (one) => `${one.column} is ${one.after} instead of ${one.before}`,
  unit: (one) => `${one.column} in ${one.after ? printedUnit(one.after) : "no unit"} instead of ${one.before ? printedUnit(one.before) : "none"}`,
};

/** The revisions of `dataset`, the newest first: one can be seen (`see`), and those who may write get its steps back (`restore`). */
export async function openHistory(dataset, see, restore) {
  const revisions = await all(`/v1/datasets/${dataset.id}/revisions`);
  const item = (one) =>
    h(
      "li",
      {},
      h("div", {}, h("b", {}, `Revision ${one.revision}`), " ", h("span", { class: "muted" }, `${[one.author, age(one.created_at)].filter(Boolean).join(", ")}: ${plural(one.steps.length, "step")}`), one.changes.length > 0 && h("ul", { class: "revision-changes" }, one.changes.map((change) => h("li", {}, CHANGES[change.kind](change))))),
      one.revision !== dataset.revision &&
        h(
          "span",
          { class: "row-actions" },
          h("button", { type: "button", class: "button small", "aria-label": `See revision ${one.revision}`, onclick: ({ currentTarget }) => leave(currentTarget, () => see(one)) }, "See it"),
          dataset.may_write && h("button", { type: "button", class: "button small", "aria-label": `Preview the steps of revision ${one.revision}`, onclick: ({ currentTarget }) => leave(currentTarget, () => restore(one)) }, "Preview its steps"),
        ),
    );
  openForm({ title: "History", fields: [h("ul", { class: "plain revision-list" }, revisions.map(item))], done: "Close" });
}

function leave(button, act) {
  button.closest("dialog").close();
  return act();
}
