// The choice of knowledge bases that a key or an assistant sees.

import { h } from "./dom.js";

/** All that one sees, which grows, or those ticked. */
export function basesField(bases, owner = "its owner sees") {
  const all = h("input", { type: "radio", name: "seen", value: "all", checked: true });
  const some = h("input", { type: "radio", name: "seen", value: "some" });
  const boxes = bases.map((base) => h("input", { type: "checkbox", name: "base", value: base.id }));
  const list = h(
    "div",
    { class: "tick-list", hidden: true },
    boxes.map((box, i) => h("label", { class: "check" }, box, h("span", {}, bases[i].name))),
  );
  const node = h(
    "fieldset",
    { class: "choices", onchange: () => list.toggleAttribute("hidden", all.checked) },
    h("legend", {}, "It sees"),
    h("label", { class: "check" }, all, h("span", {}, `every knowledge base that ${owner}`)),
    h("label", { class: "check" }, some, h("span", {}, "only these")),
    list,
  );
  const chosen = () => {
    if (all.checked) return null;
    const ids = boxes.filter((box) => box.checked).map((box) => box.value);
    if (!ids.length) throw new Error("Tick a knowledge base, or let it see every one.");
    return ids;
  };
  return { node, chosen };
}
