// Keyboard: one table that both acts and fills the help.

import { byId, h } from "../lib/dom.js";

const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select";

/** `table` rows are {keys, shown, does, run}; a row that shows nothing is left out of the help. */
export function keyboard(table) {
  const byKey = new Map(table.flatMap((row) => row.keys.map((key) => [key, row.run])));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(`${TYPING}, dialog, [role=tablist], .menu-panel`) || document.querySelector("dialog[open]"))
      return;
    const run = byKey.get(event.key);
    if (!run) return;
    event.preventDefault();
    run();
  });
  byId("help-keys").replaceChildren(
    h(
      "dl",
      { class: "keys" },
      table
        .filter((row) => row.shown.length)
        .map((row) =>
          h(
            "div",
            {},
            h(
              "dt",
              {},
              row.shown.map((key) => [h("kbd", {}, key), " "]),
            ),
            h("dd", {}, row.does),
          ),
        ),
    ),
  );
}
