// The Edits tab: what was left out of this page and can come back, its flags, and everybody's edits with their undoing.

import { call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { age, plural, words } from "../lib/format.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { KINDS } from "./edit.js";
import { staleReviews } from "./reviews.js";

const PAGE = 50;

function piece({ chunk_type: type, text, section, flags }) {
  const facts = [words(type), section, ...(flags ?? []).map((flag) => `⚑ ${words(flag)}`)].filter(Boolean).join(" · ");
  return h("div", { class: "edit-piece" }, h("small", {}, facts), h("p", {}, text || "no text"));
}

const side = (label, pieces) =>
  h("div", { class: "edit-side" }, h("h3", {}, label), pieces.length ? pieces.map(piece) : h("p", { class: "muted" }, "nothing"));

function entry(edit, editor, state) {
  const standing = edit.undone_at
    ? `undone by ${edit.undone_by}, ${age(edit.undone_at)}`
    : edit.stale
      ? `does not apply: ${edit.stale}`
      : null;
  const counts = !edit.undone_at;
  return h(
    "li",
    { class: `edit-entry${edit.undone_at ? " undone" : ""}${edit.stale ? " stale" : ""}` },
    h(
      "header",
      {},
      h("h2", {}, KINDS[edit.kind]),
      h("button", { type: "button", class: "button small quiet", onclick: () => state.open(edit.page, null, { push: true }) }, `page ${edit.page}`),
      h("span", { class: "muted" }, h("time", { datetime: edit.created_at, title: edit.created_at }, age(edit.created_at)), ` · ${edit.author}`),
      counts && state.editable && h("button", { type: "button", class: "button small", onclick: () => editor.undo(edit) }, "Undo"),
    ),
    standing && h("p", { class: "edit-standing" }, standing),
    h("details", {}, h("summary", {}, "Before and after"), h("div", { class: "edit-sides" }, side("Before", edit.before), side("After", edit.after))),
  );
}

function leftOut(item, editor, state) {
  const restore = () =>
    editor.make({ kind: "restore", page: state.page, fragment_ids: [...item.box.fragment_ids], chunk_type: "text" });
  const fixed = item.reason === "repeated_table_header";
  return h(
    "li",
    { class: "edit-out" },
    h("span", { class: "tag" }, words(item.reason)),
    h("span", { class: "edit-out-text" }, item.text),
    !fixed && state.editable && h("button", { type: "button", class: "button small", onclick: restore }, "Bring back"),
  );
}

function ofPage(editor, state) {
  const { skipped, flags } = state.view;
  return [
    flags.length > 0 &&
      h(
        "p",
        { class: "edit-flags" },
        flags.map((flag) => h("span", { class: "tag flag" }, `⚑ ${words(flag)}`)),
        state.editable &&
          h("button", { type: "button", class: "button small", onclick: () => editor.make({ kind: "unflag", page: state.page }) }, "Clear the page's flags"),
      ),
    skipped.length > 0 &&
      h(
        "details",
        // Filled again while it is open, it stays so.
        { class: "edit-outs", open: state.outsOpen, ontoggle: (event) => (state.outsOpen = event.target.open) },
        h("summary", {}, `${plural(skipped.length, "piece")} left out of this page`),
        h("ul", { class: "plain" }, skipped.map((item) => leftOut(item, editor, state))),
      ),
  ].filter(Boolean);
}

/** Fills the tab when it is shown, when the page turns and after each edit. */
export function editLog(state, editor, reviews) {
  const place = byId("panel-edits");
  const address = `/v1/documents/${state.id}/edits?limit=${PAGE}`;
  const more = (list, cursor) => {
    const button = h("button", { type: "button", class: "button" }, "Older edits");
    button.addEventListener("click", async () => {
      const older = await call(`${address}&cursor=${encodeURIComponent(cursor)}`);
      list.append(...older.items.map((edit) => entry(edit, editor, state)));
      button.replaceWith(...(older.next_cursor ? [more(list, older.next_cursor)] : []));
    });
    return button;
  };
  const show = async () => {
    const done = waiting(place, "Reading the edits…");
    try {
      const { items, next_cursor: cursor } = await call(address);
      const list = h("ol", { class: "edit-entries plain" }, items.map((edit) => entry(edit, editor, state)));
      place.replaceChildren(
        ...(state.view ? ofPage(editor, state) : []),
        items.length ? list : emptiness("No edits yet", "Pin a chunk and use the bar above the chunks: merge, split, change its type or section, leave it out."),
        ...(cursor ? [more(list, cursor)] : []),
        ...[staleReviews(reviews)].filter(Boolean),
      );
    } catch (error) {
      place.replaceChildren(failure(error, { retry: show, compact: true }));
    } finally {
      done();
    }
  };
  // Reviews are read again after each edit, and say so.
  state.on("reviewed", () => {
    if (!place.hidden) show();
  });
  return show;
}
