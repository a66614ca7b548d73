// What was decided: newest first, each to be taken back.

import { call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { emptiness } from "../lib/notice.js";

const SIGN = { accepted: "✓", corrected: "✎", rejected: "✗" };

const about = (item) =>
  [item.chunks && plural(item.chunks, "passage"), item.pages && plural(item.pages, "page")].filter(Boolean).join(", ");

function line(item, writable, takeBack) {
  const place = h("a", { href: `/documents/${item.document_id}?page=${item.page ?? 1}` }, item.document_name);
  const where = [item.documents > 1 && `and ${plural(item.documents - 1, "more document")}`, item.page && `p. ${item.page}`];
  const back = h("button", { type: "button", class: "button small", "aria-label": `Take back: ${item.verdict} ${about(item)}, ${item.excerpt.slice(0, 60)}`, onclick: () => takeBack(item) }, "Take back");
  return h(
    "li",
    { class: `decision ${item.verdict}${item.stale ? " stale" : ""}` },
    h("span", { class: "decision-verdict" }, h("b", { "aria-hidden": "true" }, SIGN[item.verdict]), " ", item.verdict),
    h(
      "div",
      {},
      h("p", { class: "decision-text" }, item.verdict === "rejected" ? h("s", {}, item.excerpt) : item.excerpt || about(item)),
      h("p", { class: "muted" }, place, " · ", [...where, about(item), `${item.author}, ${age(item.created_at)}`].filter(Boolean).join(" · ")),
      item.note && h("p", {}, `“${item.note}”`),
      item.stale > 0 && h("p", { class: "partial" }, item.chunks > 1 ? `Counts no more for ${plural(item.stale, "passage")}: ${item.reason}.` : `Counts no more: ${item.reason}.`),
    ),
    // What an edit decided is taken back with the edit.
    writable && item.verdict !== "corrected" ? back : item.verdict === "corrected" && h("span", { class: "muted" }, "undo the edit"),
  );
}

/** Draws a page of decisions into `place`, and a button for more. */
export async function showDecided(place, base, writable, takeBack) {
  const list = h("ul", { class: "decisions plain", "aria-label": "Decisions" });
  const more = h("button", { type: "button", class: "button" }, "Show more");
  let cursor = null;
  const read = async () => {
    const page = await call(`${base}/review/decisions?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    list.append(...page.items.map((item) => line(item, writable, takeBack)));
    cursor = page.next_cursor;
    more.hidden = !cursor;
    return page.items.length;
  };
  more.addEventListener("click", read);
  const found = await read();
  place.replaceChildren(...(found ? [list, more] : [emptiness("Nobody has decided anything yet", "What you accept or reject is listed here, and can be taken back.")]));
}
