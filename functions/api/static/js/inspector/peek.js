// On a narrow screen the pinned chunk shows as one line under the page; tapping it opens its card.

import { byId, h } from "../lib/dom.js";
import { words } from "../lib/format.js";

export function peek(state) {
  const place = byId("peek");
  state.on("active", () => {
    const chunk = state.chunk(state.pinned);
    place.hidden = !chunk;
    if (chunk)
      place.replaceChildren(
        h("b", {}, words(chunk.chunk_type)),
        h("span", {}, chunk.content),
        h("span", { class: "visually-hidden" }, " Show its card"),
      );
  });
  place.addEventListener("click", () => document.dispatchEvent(new CustomEvent("show-side", { detail: "pane" })));
}
