// The conversations that are kept: found by their words, opened, renamed, exported, deleted.

import { call, readText } from "../lib/api.js";
import { announce, byId, h, settled } from "../lib/dom.js";
import { save } from "../lib/export.js";
import { focusAgain, focusedName } from "../lib/focus.js";
import { field, openForm } from "../lib/form.js";
import { age, plural } from "../lib/format.js";
import { confirmed, failure } from "../lib/notice.js";
import { actionMenu } from "./turn.js";

const WAIT = 250;
const WIDE = matchMedia("(min-width: 1100px)");
export const threadAddress = (id) => `/playground?thread=${id}`;

async function renameThread(thread) {
  const title = h("input", { type: "text", name: "title", required: true, maxlength: "200", autocomplete: "off" });
  title.value = thread.title;
  const saved = await openForm({
    title: "Rename the conversation",
    fields: [field("Title", title)],
    done: "Rename",
    save: async () => Object.assign(thread, await call(`/v1/threads/${thread.id}`, { method: "PATCH", body: { title: title.value.trim() } })),
  });
  return saved;
}

async function deleteThread(thread) {
  const sure = await confirmed(
    `Delete “${thread.title}”?`,
    "Its questions and answers, its links and what was said of its answers are gone for good. Documents stay as they are.",
  );
  if (sure) await call(`/v1/threads/${thread.id}`, { method: "DELETE" });
  return sure;
}

/** Beside the conversation where there is room, else in a drawer that a button opens. */
export class ThreadList {
  /** `left()` is called when the conversation that is open has been deleted, `renamed(thread)` when it has a new title. */
  constructor({ left, renamed }) {
    Object.assign(this, { left, renamed, current: null, items: [], cursor: null });
    this.aside = byId("threads");
    this.drawer = byId("threads-drawer");
    this.said = h("div", { role: "status", class: "muted threads-said" });
    this.list = h("ul", { class: "plain thread-list", "aria-label": "Conversations" });
    this.more = h("button", { type: "button", class: "button small quiet", hidden: true, onclick: () => this.#read(this.cursor) }, "Show more");
    this.field = h("input", {
      type: "search",
      placeholder: "Find a conversation",
      "aria-label": "Find a conversation",
      autocomplete: "off",
      oninput: settled(() => this.load(), WAIT),
    });
    this.body = h(
      "div",
      { class: "threads-body" },
      h("div", { class: "threads-head" }, h("h2", {}, "Conversations"), h("a", { class: "button small", href: "/playground" }, "New")),
      this.field,
      this.said,
      this.list,
      this.more,
    );
    const close = h("button", { type: "button", class: "icon-button drawer-close", "aria-label": "Close", onclick: () => this.drawer.close() }, "×");
    this.drawer.append(close);
    this.drawer.addEventListener("click", (event) => {
      if (event.target === this.drawer) this.drawer.close();
    });
    byId("threads-open").addEventListener("click", () => this.drawer.showModal());
    WIDE.addEventListener("change", () => this.#place());
    this.#place();
  }

  #place() {
    if (WIDE.matches) {
      this.drawer.close();
      this.aside.append(this.body);
    } else this.drawer.append(this.body);
  }

  load() {
    return this.#read(null);
  }

  async #read(cursor) {
    const words = this.field.value.trim();
    const query = new URLSearchParams({ limit: "30", ...(words && { words }), ...(cursor && { cursor }) });
    try {
      const { items, next_cursor: next } = await call(`/v1/threads?${query}`);
      // An answer that came late is of other words than those that stand there now.
      if (words !== this.field.value.trim()) return;
      // One whose first question never came is none.
      const asked = items.filter(({ questions, title }) => questions || title);
      this.items = cursor ? [...this.items, ...asked] : asked;
      this.cursor = next;
      this.draw();
      this.said.textContent = this.items.length ? "" : words ? "No conversation has these words." : "What you ask is kept here, for you alone.";
    } catch (error) {
      this.said.replaceChildren(failure(error, { compact: true, retry: () => this.load() }));
    }
  }

  /** The conversation `id` is open. */
  mark(id) {
    this.current = id;
    this.draw();
  }

  draw() {
    const focused = focusedName(this.list);
    this.list.replaceChildren(...this.items.map((item) => this.#row(item)));
    this.more.hidden = !this.cursor;
    focusAgain(this.list.parentElement, focused);
  }

  #row(thread) {
    const open = thread.id === this.current;
    const menu = actionMenu(h("span", { class: "visually-hidden" }, `More for ${thread.title}`), [
      { text: "Rename…", act: () => this.rename(thread) },
      { text: "Save as Markdown", act: () => this.export(thread, "markdown") },
      { text: "Save as JSON", act: () => this.export(thread, "json") },
      { text: "Delete…", act: () => this.remove(thread) },
    ], "thread-more");
    return h(
      "li",
      { class: "thread-row" },
      h(
        "a",
        { href: threadAddress(thread.id), "aria-current": open ? "page" : null },
        h("span", { class: "thread-title", dir: "auto" }, thread.title),
        h("small", {}, `${plural(thread.questions, "question")} · ${age(thread.updated_at)}`),
      ),
      menu,
    );
  }

  async rename(thread) {
    if (!(await renameThread(thread))) return;
    const listed = this.items.find(({ id }) => id === thread.id);
    if (listed) listed.title = thread.title;
    this.draw();
    if (thread.id === this.current) this.renamed(thread);
  }

  /** Saves it as `form`, markdown or json. */
  async export(thread, form) {
    try {
      await exportThread(thread, form);
    } catch (error) {
      this.#failed(error, "Nothing was saved.");
    }
  }

  /** Said in a dialog: the list may be out of sight. */
  #failed(error, safe) {
    return openForm({ title: "That did not work", done: "Close", fields: [failure(error, { safe, compact: true })] });
  }

  async remove(thread) {
    try {
      if (!(await deleteThread(thread))) return;
    } catch (error) {
      this.#failed(error, "Nothing was deleted.");
      return;
    }
    this.items = this.items.filter(({ id }) => id !== thread.id);
    this.draw();
    if (thread.id === this.current) this.left();
    else this.field.focus();
  }
}

const safeName = (title) => title.replace(/[^\p{L}\p{N} ._-]+/gu, " ").slice(0, 80).replace(/^[ .]+|[ .]+$/g, "") || "conversation";

async function exportThread(thread, form) {
  const text = await readText(`/v1/threads/${thread.id}/export?form=${form}`);
  const [ending, type] = form === "json" ? ["json", "application/json"] : ["md", "text/markdown"];
  save(`${safeName(thread.title)}.${ending}`, type, text);
  announce("Saved");
}
