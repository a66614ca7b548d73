// The versions of a notebook: what was done, by whom, and the way back.

import { call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { openForm } from "../lib/form.js";
import { failure } from "../lib/notice.js";

const ACTS = {
  create: "began it", rename: "renamed it", add: "added a cell", edit: "changed a cell", move: "moved a cell",
  delete: "deleted a cell", restore: "restored a version",
};

/** `show(revision)` shows a version; `restore(revision)` makes it the latest; null where it may only be read. */
export async function openHistory(notebook, show, restore) {
  const list = h("ol", { class: "plain notebook-versions", "aria-label": "Versions" });
  const more = h("button", { type: "button", class: "button small", hidden: true }, "Older versions");
  const close = () => list.closest("dialog").close();
  const row = (one) => {
    const acts = one.revision !== notebook.latest && [
      h("button", { type: "button", class: "button small quiet", "aria-label": `Show version ${one.revision}`, onclick: () => close() ?? show(one.revision) }, "Show"),
      restore && h("button", { type: "button", class: "button small", "aria-label": `Restore version ${one.revision}`, onclick: () => close() ?? restore(one.revision) }, "Restore"),
    ];
    const what = one.restored ? `restored version ${one.restored}` : ACTS[one.act];
    return h(
      "li",
      {},
      h("b", { class: "number" }, one.revision),
      h("span", {}, `${one.author} ${what}, ${age(one.created_at)}`, h("small", { class: "muted" }, ` ${plural(one.cells, "cell")}`)),
      acts && h("span", { class: "notebook-version-acts" }, acts),
    );
  };
  let cursor = "";
  const read = async () => {
    try {
      const page = await call(`/v1/notebooks/${notebook.id}/versions?limit=30${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      list.append(...page.items.map(row));
      cursor = page.next_cursor ?? "";
      more.hidden = !cursor;
    } catch (error) {
      list.append(h("li", {}, failure(error, { compact: true })));
    }
  };
  more.addEventListener("click", read);
  read();
  await openForm({ title: "History", done: "Close", fields: [h("p", { class: "muted" }, "Restoring makes a further version: what came between stays here."), list, more] });
}
