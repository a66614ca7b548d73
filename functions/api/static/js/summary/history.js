// The versions of a summary: who made them and why, what changed, and the way back.

import { call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { openForm } from "../lib/form.js";
import { age, plural } from "../lib/format.js";
import { failure } from "../lib/notice.js";
import { TITLES } from "./field.js";

const REASONS = { made: "made it", rebuilt: "made it again", edited: "edited it", restored: "restored a version" };

function changesView({ changes, cells_added: added, cells_removed: removed }) {
  const line = (sign, word, one) => one && h("p", { class: `summary-line ${word}` }, h("span", { "aria-hidden": "true" }, `${sign} `), h("span", { class: "visually-hidden" }, `${word}: `), one.shown);
  const item = (one) => h("li", {}, h("b", {}, TITLES[one.field]), ` ${one.kind}`, line("−", "removed", one.before), line("+", "added", one.after));
  const cells = added + removed > 0 && h("p", { class: "muted" }, `${plural(added, "result")} added, ${removed} removed in tables.`);
  if (!changes.length && !cells) return h("p", { class: "muted" }, "It says the same; the document was read anew.");
  return h("div", { class: "summary-changes" }, h("ul", { class: "plain" }, changes.map(item)), cells);
}

/** `show(version)` shows one; `restore(version)` makes it the newest; null where it may only be read. */
export async function openHistory(address, summary, show, restore) {
  const versions = await call(`${address}/versions`);
  const list = h("ol", { class: "plain summary-versions", "aria-label": "Versions" });
  const close = () => list.closest("dialog").close();
  const row = (one) => {
    const place = h("div", {});
    const compare = async () => {
      try {
        place.replaceChildren(changesView(await call(`${address}/changes?later=${one.version}`)));
      } catch (error) {
        place.replaceChildren(failure(error, { compact: true }));
      }
    };
    const act = (text, work, link = " ") => h("button", { type: "button", class: "button small quiet", onclick: work }, text, h("span", { class: "visually-hidden" }, `${link}version ${one.version}`));
    const why = one.restored ? `restored version ${one.restored}` : REASONS[one.reason];
    return h(
      "li",
      {},
      h("div", { class: "summary-version" }, h("b", { class: "number" }, one.version), h("span", {}, h("bdi", {}, one.author), ` ${why}, ${age(one.created_at)}`, h("small", { class: "muted" }, ` ${plural(one.statements, "statement")}, ${plural(one.cells, "result")}`))),
      h(
        "div",
        { class: "summary-foot" },
        one.version > 1 && act("What changed", compare, " in "),
        one.version !== summary.version && act("Show", () => close() ?? show(one.version)),
        restore && one.version !== summary.newest && act("Restore", () => close() ?? restore(one.version)),
      ),
      place,
    );
  };
  list.append(...versions.reverse().map(row));
  await openForm({ title: "History", done: "Close", fields: [h("p", { class: "muted" }, "Restoring makes a further version: what came between stays here."), list] });
}
