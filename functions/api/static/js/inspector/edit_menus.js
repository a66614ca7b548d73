// What the edit bar's buttons open: types, sections, reasons, and the lines of a chunk.

import { all, call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";

const TYPES = ["text", "list", "code", "formula", "caption", "footnote"];
const LEVELS = [1, 2, 3, 4];
const REASONS = ["header", "footer", "page_number", "watermark", "contents", "decoration"];
const SHOWN_SECTIONS = 200;

const item = (label, run, { note, current = false, disabled = false } = {}) =>
  h(
    "button",
    { type: "button", class: "menu-item", onclick: run, disabled, "aria-current": current ? "true" : null },
    h("span", {}, label),
    note && h("span", { class: "muted" }, note),
  );

/** Entries that say what the chunk is. */
export function typeItems(chunk, choose) {
  const whole = chunk.chunk_type === "table" || chunk.chunk_type === "figure";
  const types = TYPES.map((type) =>
    item(words(type), () => choose({ chunk_type: type }), { current: type === chunk.chunk_type }),
  );
  if (whole) return types;
  const levels = LEVELS.map((depth) =>
    item(`heading, level ${depth}`, () => choose({ chunk_type: "heading", depth }), {
      current: chunk.chunk_type === "heading" && chunk.section?.depth === depth,
    }),
  );
  return [...types, item("heading", () => choose({ chunk_type: "heading" }), { note: "level by its number" }), ...levels];
}

export const reasonItems = (choose) => REASONS.map((reason) => item(words(reason), () => choose(reason)));

/** The sections of the document, narrowed by what is typed. */
export async function sectionItems(state, chunk, choose) {
  const sections = await all(`/v1/documents/${state.id}/sections`);
  const list = h("div", { class: "edit-list" });
  const show = (wanted) => {
    const found = sections.filter((one) => name(one).toLowerCase().includes(wanted.toLowerCase()));
    list.replaceChildren(
      item("As reading order has it", () => choose(null)),
      ...found.slice(0, SHOWN_SECTIONS).map((one) => sectionItem(one, chunk, choose)),
      ...(found.length > SHOWN_SECTIONS ? [h("p", { class: "edit-more" }, "Type to see the rest.")] : []),
    );
  };
  show("");
  const search = h("input", {
    type: "search",
    class: "edit-search",
    placeholder: "Find a section",
    "aria-label": "Find a section",
    oninput: (event) => show(event.target.value.trim()),
  });
  return [search, list];
}

const name = (section) => [section.address, section.title].filter(Boolean).join(" ") || "untitled";

function sectionItem(section, chunk, choose) {
  const node = item(name(section), () => choose(section.id), { current: section.id === chunk.section?.id });
  node.style.setProperty("--depth", section.depth - 1);
  node.classList.add("edit-section");
  return node;
}

/** The chunk's lines on this page; a new chunk begins with the one that is chosen. */
export async function lineItems(state, chunk, overlay, choose) {
  const view = await call(`/v1/documents/${state.id}/pages/${state.page}?include=fragments`);
  const fragments = new Map((view.fragments ?? []).map((one) => [one.id, one]));
  const lines = chunk.boxes.filter((box) => box.page === state.page).flatMap((box) => box.fragment_ids);
  const begins = chunk.boxes[0]?.page === state.page;
  return lines.map((id, at) => {
    const first = at === 0 && begins;
    const node = item(textOf(id, fragments), () => choose(id), { disabled: first, note: first ? "begins here" : null });
    const box = fragments.get(id.replace(/\[.*$/, ""))?.box;
    node.classList.add("edit-line");
    for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => overlay.mark(box ? [box] : []));
    for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => overlay.mark([]));
    return node;
  });
}

function textOf(id, fragments) {
  const part = /\[(\d+):(\d+)\]$/.exec(id);
  const text = fragments.get(id.replace(/\[.*$/, ""))?.text ?? id;
  return part ? [...text].slice(Number(part[1]), Number(part[2])).join("") : text;
}
