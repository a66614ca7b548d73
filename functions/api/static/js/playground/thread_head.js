// Above a conversation: its title, and what can be done with it as a whole.

import { byId, h } from "../lib/dom.js";
import { shareThread } from "./sharing.js";
import { actionMenu } from "./turn.js";

export class ThreadHead {
  constructor(threads) {
    this.threads = threads;
    this.place = byId("thread-head");
  }

  hide() {
    this.place.hidden = true;
  }

  /** `first` is its first question, which names it until somebody does. */
  show(thread, first) {
    this.place.hidden = false;
    this.place.replaceChildren(
      h("p", { class: "thread-name", dir: "auto" }, thread.title === first ? "" : thread.title),
      h("button", { type: "button", class: "button small", onclick: () => shareThread(thread) }, "Share…"),
      actionMenu("More", [
        { text: "Rename…", act: () => this.threads.rename(thread) },
        { text: "Save as Markdown", act: () => this.threads.export(thread, "markdown") },
        { text: "Save as JSON", act: () => this.threads.export(thread, "json") },
        { text: "Delete…", act: () => this.threads.remove(thread) },
      ]),
      h("a", { class: "button small thread-new", href: "/playground" }, "New"),
    );
  }
}
