// The way to a section, from the top.

import { h } from "./dom.js";

/** Names one after the other, each in its own direction. */
const apart = (names) => names.flatMap((name, at) => [at ? " › " : "", h("bdi", {}, name)]);

/** The names of the sections; where they are too long the middle gives way, as its ends say most. */
export function way(names, className) {
  return h(
    "span",
    { class: `way ${className}`, title: names.join(" › ") || null },
    names.length > 1 && h("span", { class: "way-start" }, apart(names.slice(0, -1))),
    names.length > 1 && h("span", {}, " › "),
    h("span", { class: "way-end" }, apart(names.slice(-1))),
  );
}
