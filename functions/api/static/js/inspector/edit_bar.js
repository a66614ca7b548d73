// The bar over the chunks: what can be done with the pinned one, what its buttons open, and how the last edit went.

import { all, call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { sectionName, words } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";
import { fragmentId, fragmentsOf, markWhile, textOf } from "./boxes.js";
import { joins } from "./edit.js";

const TYPES = ["text", "list", "code", "formula", "caption", "footnote"];
const LEVELS = [1, 2, 3, 4];
const REASONS = ["header", "footer", "page_number", "watermark", "contents", "decoration", "boilerplate"];
const SHOWN_SECTIONS = 200;

export class EditBar {
  constructor(state, editor, overlay) {
    Object.assign(this, { state, editor, overlay, shown: null });
    this.place = byId("edit-bar");
    this.tools = h("div", { class: "edit-tools", role: "toolbar", "aria-label": "Edit the pinned chunk" });
    this.said = h("p", { class: "edit-said", role: "status" });
    this.place.replaceChildren(this.tools, this.said);
    this.tools.addEventListener("keydown", (event) => this.#rove(event));
    state.on("active", () => this.#follow());
    state.on("page", () => this.#follow());
    state.on("edit", (detail) => this.#say(detail));
  }

  /** Nobody but who may change the knowledge base sees the bar. `loaded` is the promise of the document. */
  async start(loaded) {
    const [bases] = await Promise.all([all("/v1/knowledge-bases"), loaded]);
    this.state.editable = Boolean(bases.find((kb) => kb.id === this.state.document.knowledge_base_id)?.may_write);
    this.#follow();
  }

  /** What a key does: presses the button of that name. */
  press(name) {
    const button = this.tools.querySelector(`[data-edit="${name}"]`);
    if (button && !button.disabled) button.click();
  }

  undo() {
    if (this.state.editable) this.editor.undoLast();
  }

  #follow() {
    const chunk = this.state.editable ? (this.state.chunk(this.state.pinned) ?? null) : null;
    if (chunk === this.shown) return;
    this.shown = chunk;
    const focused = this.tools.contains(document.activeElement) && document.activeElement.dataset.edit;
    const appears = Boolean(chunk) && !this.place.classList.contains("on");
    this.place.classList.toggle("on", Boolean(chunk));
    this.tools.replaceChildren(...(chunk ? this.#buttons(chunk) : []));
    const first = this.tools.querySelector("button");
    for (const button of this.tools.querySelectorAll("button:not(.menu-item)")) button.tabIndex = button === first ? 0 : -1;
    if (focused) (this.tools.querySelector(`[data-edit="${focused}"]:not(:disabled)`) ?? first)?.focus();
    if (appears) requestAnimationFrame(() => this.state.emit("active", { origin: "bar" }));
  }

  #buttons(chunk) {
    const row = chunk.chunk_type === "table_row";
    const own = { chunk_id: chunk.id };
    const make = (edit) => this.editor.make(edit);
    return [
      this.#button("before", "Merge ↑", "M", "Merge with the chunk before", () => this.#merge(chunk, -1), !joins(chunk)),
      this.#button("after", "Merge ↓", "m", "Merge with the chunk after", () => this.#merge(chunk, 1), !joins(chunk)),
      this.#menu("split", "Split", "x", !joins(chunk), () =>
        lineItems(this.state, chunk, this.overlay, (id) => make({ kind: "split", ...own, fragment_id: id })),
      ),
      this.#menu("type", "Type", "t", row, () =>
        typeItems(chunk, (change) => make({ kind: "retype", ...own, ...change })),
      ),
      this.#menu("section", "Section", "e", row, () =>
        sectionItems(this.state, chunk, (id) => make({ kind: "resection", chunk_ids: [chunk.id], section_id: id })),
      ),
      this.#menu("out", "Not content", "d", row, () =>
        reasonItems((reason) => make({ kind: "furniture", chunk_ids: [chunk.id], reason })),
      ),
      chunk.flags.length > 0 &&
        this.#button("flag", "Clear flag", "c", "A person has looked at it", () =>
          make({ kind: "unflag", chunk_ids: [chunk.id] }),
        ),
      row && h("p", { class: "edit-hint" }, "A row stays with its table: pin the table to change it whole."),
    ].filter(Boolean);
  }

  #button(name, label, key, title, run, disabled = false) {
    return h(
      "button",
      { type: "button", class: "button small", data: { edit: name }, title: `${title} (${key})`, onclick: run, disabled },
      label,
      h("kbd", { "aria-hidden": "true" }, key),
    );
  }

  /** A button that opens entries, which are made when it is opened. */
  #menu(name, label, key, disabled, entries) {
    const root = h("div", { class: "menu edit-menu" });
    const panel = h("div", { class: "edit-panel", role: "group", "aria-label": label });
    const { button, close } = attachMenu(root, label, panel, "button small");
    button.dataset.edit = name;
    button.disabled = disabled;
    button.title = `${label} (${key})`;
    button.append(h("kbd", { "aria-hidden": "true" }, key));
    button.addEventListener("click", async () => {
      if (panel.hidden) return;
      panel.replaceChildren(h("p", { class: "edit-more" }, "Loading…"));
      try {
        panel.replaceChildren(...(await entries()));
        (panel.querySelector('input, [aria-current="true"]') ?? panel.querySelector("button:not(:disabled)"))?.focus();
      } catch (error) {
        panel.replaceChildren(h("p", { class: "edit-more", role: "alert" }, error.detail || error.message));
      }
    });
    panel.addEventListener("keydown", (event) => walk(event, panel));
    panel.addEventListener("click", (event) => {
      if (!event.target.closest(".menu-item")) return;
      close();
      button.focus();
    });
    return root;
  }

  async #merge(chunk, by) {
    const other = await this.#neighbour(chunk, by);
    if (other) await this.editor.make({ kind: "merge", chunk_ids: by > 0 ? [chunk.id, other.id] : [other.id, chunk.id] });
    else this.#say({ error: { message: `There is no chunk ${by > 0 ? "after" : "before"} it to merge with.` } });
  }

  /** The next or previous chunk that has lines of its own, over to the neighbouring page. */
  async #neighbour(chunk, by) {
    const { state } = this;
    const here = state.chunks.filter(joins);
    const near = here[here.findIndex((one) => one.id === chunk.id) + by];
    if (near || !state.pages[state.page - 1 + by]) return near;
    const { items } = await state.fetchPage(state.page + by);
    const there = items.filter((one) => joins(one) && one.id !== chunk.id);
    return by > 0 ? there.at(0) : there.at(-1);
  }

  #say({ busy = false, text = "", error = null, saved = false, last = null }) {
    this.place.classList.toggle("busy", busy);
    this.place.classList.toggle("told", Boolean(text || error));
    this.said.className = `edit-said ${error ? "bad" : saved ? "ok" : ""}`;
    const undo = saved && last;
    const again = error?.status === 409;
    this.said.replaceChildren(
      h("span", {}, error ? `Not saved: ${error.detail || error.message}` : saved ? `✓ ${text}` : text),
      ...[
        undo && h("button", { type: "button", class: "button small", onclick: () => this.editor.undo(last) }, "Undo"),
        again && h("button", { type: "button", class: "button small", onclick: () => this.editor.reload() }, "Load again"),
        (saved || error) && h("button", { type: "button", class: "button small quiet", "aria-label": "Close this message", onclick: () => this.#say({}) }, "×"),
      ].filter(Boolean),
    );
  }

  /** One stop for Tab; arrows go from button to button. */
  #rove(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.target.closest(".menu-panel")) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.tools.querySelectorAll("[data-edit]:not(:disabled)")];
    const next = buttons[(buttons.indexOf(event.target.closest("[data-edit]")) + by + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }
}

function walk(event, panel) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const items = [...panel.querySelectorAll("input, .menu-item:not(:disabled)")];
  items[(items.indexOf(document.activeElement) + by + items.length) % items.length]?.focus();
}

const item = (label, run, { note, current = false, disabled = false } = {}) =>
  h(
    "button",
    { type: "button", class: "menu-item", onclick: run, disabled, "aria-current": current ? "true" : null },
    h("span", {}, label),
    note && h("span", { class: "muted" }, note),
  );

/** Entries that say what the chunk is. */
function typeItems(chunk, choose) {
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

const reasonItems = (choose) => REASONS.map((reason) => item(words(reason), () => choose(reason)));

/** The sections of the document, narrowed by what is typed. */
async function sectionItems(state, chunk, choose) {
  const sections = await all(`/v1/documents/${state.id}/sections`);
  const list = h("div", { class: "edit-list" });
  const show = (wanted) => {
    const found = sections.filter((one) => nameOf(one).toLowerCase().includes(wanted.toLowerCase()));
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

const nameOf = (section) => sectionName(section) || "untitled";

function sectionItem(section, chunk, choose) {
  const node = item(nameOf(section), () => choose(section.id), { current: section.id === chunk.section?.id });
  node.style.setProperty("--depth", section.depth - 1);
  node.classList.add("edit-section");
  return node;
}

/** The chunk's lines on this page; a new chunk begins with the one that is chosen. */
async function lineItems(state, chunk, overlay, choose) {
  const view = await call(`/v1/documents/${state.id}/pages/${state.page}?include=fragments`);
  const fragments = fragmentsOf(view);
  const lines = chunk.boxes.filter((box) => box.page === state.page).flatMap((box) => box.fragment_ids);
  const begins = chunk.boxes[0]?.page === state.page;
  return lines.map((id, at) => {
    const first = at === 0 && begins;
    const node = item(textOf(id, fragments), () => choose(id), { disabled: first, note: first ? "begins here" : null });
    const box = fragments.get(fragmentId(id))?.box;
    node.classList.add("edit-line");
    return markWhile(node, overlay, box ? [box] : []);
  });
}
