// Versions of the schema: who made which, when and why, and what it changed.

import { call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { failure } from "../lib/notice.js";

const PAGE = 20;
const KINDS = { added: "added", removed: "taken out", changed: "changed", renamed: "renamed" };

/** A line per attribute that a diff names. */
export function changeList(changes) {
  const line = (one) => h("li", { class: `change ${one.kind}` }, h("span", { class: "tag" }, KINDS[one.kind]), " ", h("b", {}, one.name), one.was ? ` was ${one.was}` : "", one.fields.length ? h("small", {}, ` ${one.fields.join(", ")}`) : "");
  return changes.length ? h("ul", { class: "changes plain" }, changes.map(line)) : h("p", { class: "muted" }, "Nothing is other than before.");
}

/** Shows the newest versions, and older ones when they are asked for; `bringBack` takes a version's attributes. What
 * somebody opened stays open, and as many stay listed as were. */
export async function showHistory(path, present, bringBack) {
  const listed = byId("history").querySelectorAll(".version-line").length;
  const found = await further(path, null);
  while (found.more && found.items.length < listed) {
    const older = await further(path, found.more);
    found.items.push(...older.items);
    found.more = older.more;
  }
  const opened = new Set([...byId("history").querySelectorAll("details[open]")].map(({ id }) => id));
  if (!found.items.length) {
    byId("history").replaceChildren();
    return;
  }
  const entry = (one) => {
    const id = `changes-of-${one.version}`;
    const place = h("div", {});
    const open = async (event) => {
      if (!event.target.open || place.childElementCount) return;
      try {
        const diff = await call(`${path}/diff?before=${one.version - 1}&after=${one.version}`);
        place.replaceChildren(changeList(diff.changes));
      } catch (error) {
        place.replaceChildren(failure(error, { compact: true }));
      }
    };
    return h(
      "li",
      {},
      h("div", { class: "version-line" }, h("b", {}, `Version ${one.version}`), h("span", {}, plural(one.attributes.length, "attribute")), h("span", { class: "muted", title: one.created_at }, `${one.author}, ${age(one.created_at)}`), bringBack && one.version !== present && h("button", { type: "button", class: "button small quiet", onclick: () => bringBack(one) }, "Bring back", h("span", { class: "visually-hidden" }, ` version ${one.version}`))),
      one.why && h("p", {}, one.why),
      h("details", { id, ontoggle: open, open: opened.has(id) }, h("summary", {}, "What changed", h("span", { class: "visually-hidden" }, ` in version ${one.version}`)), place),
    );
  };
  const list = h("ol", { class: "plain" }, found.items.map(entry));
  byId("history").replaceChildren(h("section", { class: "attr-history", "aria-labelledby": "history-title" }, h("h2", { id: "history-title" }, "History"), list, olderButton(path, found.more, list, entry)));
}

async function further(path, cursor) {
  const { items, next_cursor: more } = await call(`${path}/versions?${new URLSearchParams({ limit: PAGE, ...(cursor && { cursor }) })}`);
  return { items, more };
}

/** Nothing where there are no older versions. */
function olderButton(path, cursor, list, entry) {
  if (!cursor) return null;
  const place = h("div", { class: "history-more" });
  const show = async () => {
    button.disabled = true;
    try {
      const { items, more } = await further(path, cursor);
      const entries = items.map(entry);
      list.append(...entries);
      const next = olderButton(path, more, list, entry);
      place.replaceWith(...(next ? [next] : []));
      announce(`${plural(items.length, "older version")} shown`);
      entries[0]?.querySelector("summary").focus();
    } catch (error) {
      place.replaceChildren(failure(error, { retry: () => place.replaceChildren(button) ?? show(), compact: true }));
    }
  };
  const button = h("button", { type: "button", class: "button small", onclick: show }, "Older versions");
  place.append(button);
  return place;
}
