// Tab lists with roving focus: the pane's tabs, and on a narrow screen the page and the pane as two tabs.

import { direction } from "../lib/direction.js";
import { byId, h } from "../lib/dom.js";
import { words } from "../lib/format.js";

/** `choose(tab)` is called with the tab element that was chosen. Returns select(tab). */
function tabList(root, choose) {
  const tabs = [...root.querySelectorAll('[role="tab"]')];
  const select = (tab) => {
    for (const other of tabs) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    choose(tab);
  };
  root.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  root.addEventListener("keydown", (event) => {
    const to = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!to) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(document.activeElement) + to + tabs.length) % tabs.length];
    select(next);
    next.focus();
  });
  return select;
}

/** The pane's tabs; `panels[name]` is called when its tab is shown. */
export function paneTabs(state, panels) {
  let current = "chunks";
  const show = (name) => {
    current = name;
    for (const panel of document.querySelectorAll(".panel")) panel.hidden = panel.id !== `panel-${name}`;
    panels[name]?.();
    state.emit("tab");
  };
  const select = tabList(byId("pane-tabs"), (tab) => show(tab.dataset.tab));
  state.on("page", () => panels[current]?.());
  return { show: (name) => select(byId(`tab-${name}`)) };
}

/** Page and details as two tabs below 820 px. */
export function sideTabs(state) {
  const root = byId("inspector");
  const select = tabList(root.querySelector(".side-tabs"), (tab) => {
    root.dataset.side = tab.id === "side-pane" ? "pane" : "page";
    state.emit("tab");
    if (state.active) state.emit("active", { origin: "side" });
  });
  document.addEventListener("show-side", (event) => select(byId(`side-${event.detail}`)));
}

/** On a narrow screen the pinned chunk shows as one line under the page; tapping it opens its card. */
export function peek(state) {
  const place = byId("peek");
  state.on("active", () => {
    const chunk = state.chunk(state.pinned);
    place.hidden = !chunk;
    if (chunk)
      place.replaceChildren(
        h("b", {}, words(chunk.chunk_type)),
        h("span", { dir: direction(chunk.content) }, chunk.content),
        h("span", { class: "visually-hidden" }, " Show its card"),
      );
  });
  place.addEventListener("click", () => document.dispatchEvent(new CustomEvent("show-side", { detail: "pane" })));
}
