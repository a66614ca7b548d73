// A job of an archive as a row: what it is about, its state, what there is to say and to do.

import { h } from "../../lib/dom.js";

/** How far a job is that goes on, as it is said behind its state. */
export const progressOf = ({ progress }) => ` ${Math.floor((progress ?? 0) * 100)} %`;

/** `tone` is "flag" for what failed; `facts` are lines, `error` is said loudly in `said` where it is given. */
export function jobRow({ name, label, tone = "", facts, said, actions = [] }) {
  return h(
    "li",
    { class: "settings-row data-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, name, h("span", { class: `tag ${tone}`.trim() }, label)),
      facts.filter(Boolean).map((line) => h("span", { class: "sub" }, line)),
      said,
    ),
    h("span", { class: "row-actions" }, actions),
  );
}
