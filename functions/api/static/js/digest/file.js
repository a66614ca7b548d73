// One file of a digest: its statements with pills that open their boxes; people change a statement where it stands.

import { post } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { age, count, words } from "../lib/format.js";
import { failure } from "../lib/notice.js";
import { passageOf } from "../lib/passage.js";
import { placeOf } from "../playground/places.js";
import { hrefOf, nameOf } from "./address.js";

const UNITS = { index: "lines", summary: "characters", description: "characters" };
const WHY_STALE = {
  superseded: "a newer version of its document is current",
  corrected: "a note corrects what it stands on",
  changed: "its passage says something else now",
  rejected: "what it stands on was rejected",
  deleted: "what it stands on was deleted",
};
const MAX = 600;

/** A pill: to the passage's box, or without a link where the source is none, or gone. */
function pill(source) {
  const { number, kind, standing } = source;
  const stale = standing === "current" ? "" : `, ${words(standing)}`;
  if (kind !== "chunk" || !source.chunk) return h("span", { class: `citation none${stale ? " stale" : ""}`, title: `${source.label || words(kind)}${stale}` }, number, h("span", { class: "visually-hidden" }, `: ${source.label || words(kind)}${stale}`));
  const at = placeOf({ chunk: source.chunk, document: source.document, version: source.version, other_places: [] });
  return h("a", { class: `citation${stale ? " stale" : ""}`, href: at.href, data: { preview: at.preview }, "aria-label": `Citation ${number}: ${at.name}, ${source.chunk.section_id ?? words(source.chunk.chunk_type)}, page ${at.page}${stale}` }, number);
}

const keyOf = ({ kind, source_id: id }) => `${kind} ${id}`;

function flagsOf(line) {
  const reasons = [...new Set(line.citations.filter((one) => one.standing !== "current").map((one) => WHY_STALE[one.standing]))];
  return [
    line.stale && h("span", { class: "digest-flag stale" }, `Stale: ${reasons.join("; ") || WHY_STALE.deleted}`),
    line.origin === "user" && h("span", { class: "digest-flag people" }, "Written by ", h("bdi", {}, line.author || "a person")),
    line.uncited && h("span", { class: "digest-flag uncited" }, "Without a source"),
  ].filter(Boolean);
}

function meter({ size, limit, tier }) {
  return h("span", { class: `digest-size${size > limit ? " over" : ""}` }, `${count(size)} of ${count(limit)} ${UNITS[tier]}`);
}

function head(file, view, { files }) {
  const other = files.find((one) => one.topic_id && one.topic_id === file.topic_id && one.id !== file.id);
  const tab = (path, label, current, how = "text") => h("a", { class: "digest-tab", href: hrefOf(path, how), "aria-current": current ? "true" : null }, label);
  const own = { summary: "Summary", description: "In full", index: "Index" }[file.tier];
  const twin = other && { summary: "Summary", description: "In full" }[other.tier];
  const tabs = [tab(file.path, own, view === "text"), other && tab(other.path, twin, false)];
  if (file.tier === "description") tabs.reverse();
  return h(
    "header",
    { class: "digest-head" },
    h("h2", { dir: direction(file.title) }, nameOf(file, files)),
    h("p", { class: "muted digest-facts" }, h("code", {}, file.path), h("span", {}, `version ${file.version}`), h("span", {}, `by ${file.changed_by === "user" ? "a person" : `the ${file.changed_by}`}, ${age(file.updated_at)}`), meter(file)),
    h("nav", { class: "digest-tabs", "aria-label": "Of this topic" }, tabs, tab(file.path, "History", view === "history", "history")),
  );
}

export const fileHead = head;

/** The form that changes a statement, or adds one behind it. */
function editor(base, file, line, { changed, close }) {
  const added = line === null;
  const text = h("textarea", { name: "text", rows: "3", maxlength: String(MAX), required: true, "aria-label": added ? "The new statement" : "The statement" });
  text.value = line?.text ?? "";
  const source = h("input", { type: "text", name: "source", autocomplete: "off", placeholder: "Link of a passage from the inspector" });
  const kept = line?.citations.filter((one) => one.standing === "current") ?? [];
  const uncited = h("input", { type: "checkbox", name: "uncited", checked: !added && !kept.length });
  const said = h("p", { class: "form-error", role: "alert" });
  const save = async (body) => {
    said.textContent = "";
    try {
      await post(`${base}/digest/files/${file.id}/edits`, { ...body, if_number: file.number });
      await changed();
    } catch (error) {
      said.textContent = error.detail || error.title || error.message;
    }
  };
  const submit = (event) => {
    event.preventDefault();
    if (!text.value.trim()) return void (said.textContent = "Say something, or take the statement out.");
    const found = passageOf(source.value);
    if (source.value.trim() && !found) return void (said.textContent = "This is no link of a passage: open it in the inspector and copy its address.");
    const cited = uncited.checked ? [] : [...kept.map(({ kind, source_id: id }) => ({ kind, id })), ...(found ? [{ kind: "chunk", id: found }] : [])];
    if (!cited.length && !uncited.checked) return void (said.textContent = "Cite a passage, or say that it has no source here.");
    return save({ ...(added ? {} : { statement_id: line.statement_id }), text: text.value.trim(), citations: cited.length ? cited : null, uncited: !cited.length });
  };
  return h(
    "form",
    { class: "digest-form", onsubmit: submit },
    text,
    h("label", { class: "field" }, h("span", {}, kept.length ? "A further source" : "Its source"), source),
    h("label", { class: "digest-check" }, uncited, " It has no source here"),
    said,
    h(
      "div",
      { class: "digest-acts" },
      h("button", { type: "submit", class: "button primary small" }, added ? "Add it" : "Save"),
      h("button", { type: "button", class: "button small", onclick: close }, "Cancel"),
      !added && h("button", { type: "button", class: "button danger small", onclick: () => save({ statement_id: line.statement_id, remove: true }) }, "Take it out"),
    ),
  );
}

function statement(base, file, line, named, context) {
  const shown = line.shown || "What stood here was deleted with its source.";
  const pills = line.citations.map((one) => named.get(keyOf(one))).filter(Boolean).map(pill);
  const item = h("li", { class: `digest-line${line.stale ? " stale" : ""}` });
  const plain = () => {
    const edit = context.mayWrite && line.text && h("button", { type: "button", class: "button small quiet digest-edit", onclick: open, "aria-label": `Change: ${line.text.slice(0, 60)}` }, "Change");
    item.replaceChildren(h("p", { dir: direction(shown), class: line.text ? null : "gone" }, shown, " ", h("span", { class: "digest-pills" }, pills)), h("div", { class: "digest-flags" }, flagsOf(line)), ...(edit ? [edit] : []));
  };
  const close = () => {
    plain();
    item.querySelector("button")?.focus();
  };
  const open = () => {
    item.replaceChildren(editor(base, file, line, { changed: context.changed, close }));
    item.querySelector("textarea").focus();
  };
  plain();
  return item;
}

function entry(line, files) {
  const [topic, description, location] = line.text.split(" | ");
  const known = files.find((file) => file.path === location);
  return h("li", { class: "digest-entry" }, known ? h("a", { href: hrefOf(location) }, h("bdi", {}, nameOf(known, files))) : h("bdi", {}, topic), h("span", { class: "muted", dir: direction(description ?? "") }, description ?? ""));
}

/** Lines in groups: headings, and the lists below them. */
function body(base, file, named, context) {
  const parts = [];
  let list = null;
  for (const line of file.lines) {
    if (line.kind === "title") continue;
    if (line.kind === "heading") {
      parts.push(h("h3", { dir: direction(line.shown) }, line.shown || "–"));
      list = null;
      continue;
    }
    if (!list) parts.push((list = h("ul", { class: "plain digest-lines" })));
    list.append(line.kind === "entry" ? entry(line, context.files) : statement(base, file, line, named, context));
  }
  return parts;
}

function adding(base, file, context) {
  if (!context.mayWrite || file.tier === "index") return null;
  const place = h("div", { class: "digest-add" });
  const plain = () => place.replaceChildren(h("button", { type: "button", class: "button small", onclick: open }, "Add a statement"));
  const open = () => {
    place.replaceChildren(editor(base, file, null, { changed: context.changed, close: plain }));
    place.querySelector("textarea").focus();
  };
  plain();
  return place;
}

function tableOf({ rows, header_rows: headers, row_count: count_, caption }) {
  const [head, body] = [rows.slice(0, headers), rows.slice(headers)];
  const line = (tag) => (cells) => h("tr", {}, cells.map((cell) => h(tag, tag === "th" ? { scope: "col", dir: direction(cell) } : { dir: direction(cell) }, cell)));
  return h(
    "div",
    { class: "digest-table", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, head.length > 0 && h("thead", {}, head.map(line("th"))), h("tbody", {}, body.map(line("td")))),
    count_ > rows.length && h("p", { class: "muted" }, `The first ${count(rows.length)} of ${count(count_)} rows.`),
  );
}

/** A cited figure or table with its caption, which leads to its place. */
function asset(one) {
  const at = placeOf({ ...one, other_places: [] });
  const page = one.page ? `, page ${one.page}` : "";
  const shown = one.kind === "figure" ? h("img", { src: `/v1/documents/${one.document.id}/figures/${one.chunk.id}/image`, alt: one.caption, loading: "lazy" }) : tableOf(one);
  return h("figure", { class: `digest-asset ${one.kind}` }, shown, h("figcaption", {}, h("a", { href: at.href, dir: direction(one.caption) }, one.caption), h("span", { class: "muted" }, h("bdi", {}, one.document.name), page)));
}

function assetsOf(assets) {
  return assets.length > 0 && h("section", { class: "digest-assets", "aria-label": "Figures and tables" }, h("h3", {}, "Figures and tables"), assets.map(asset));
}

export function fileView(base, file, { items: sources, assets }, context) {
  const named = new Map(sources.map((one) => [keyOf(one), one]));
  try {
    return h("article", { class: "digest-file" }, head(file, "text", context), body(base, file, named, context), adding(base, file, context), assetsOf(assets));
  } catch (error) {
    return failure(error);
  }
}
