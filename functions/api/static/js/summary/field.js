// One field of a summary: its statements with their values, and the place of each on its page.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { confidence, plural } from "../lib/format.js";
import { printedUnit } from "../lib/units.js";
import { crop, pageLink } from "./place.js";

export const TITLES = {
  objective: "Objective",
  setup: "Setup",
  dataset: "Dataset",
  metrics: "Metrics",
  results: "Results",
  stats: "Statistics",
  limits: "Limits",
  confounds: "Confounds",
};
const KINDS = {
  p_value: "p value",
  confidence_interval: "confidence interval",
  deviation: "deviation",
  sample_size: "sample size",
  effect_size: "effect size",
  agreement: "agreement",
};

/** The text as it is shown, with its values marked; one that a joined word changes is not found in it, and not marked. */
function marked(one) {
  const joined = one.shown !== one.text;
  const parts = [];
  let at = 0;
  for (const value of one.values) {
    const start = joined ? one.shown.indexOf(value.raw, at) : value.start;
    if (start < 0) continue;
    const end = start + value.raw.length;
    parts.push(one.shown.slice(at, start), h("mark", { class: "summary-value", title: said(value) }, one.shown.slice(start, end)));
    at = end;
  }
  return [...parts, one.shown.slice(at)];
}

function said({ kind, quantity }) {
  const unit = quantity.unit ? ` ${printedUnit(quantity.unit)}` : "";
  const name = KINDS[kind] ? `${KINDS[kind]}: ` : "";
  return `${name}${quantity.number}${quantity.upper === null ? "" : ` to ${quantity.upper}`}${unit}`;
}

const ORIGINS = { written: "written by a model", person: "by a person" };

function statement(summary, one, change) {
  const picture = h("div", { class: "summary-crop", hidden: true });
  const pill = h(
    "button",
    { type: "button", class: "pill", "aria-expanded": "false", "aria-label": `Show where it stands${one.page ? `: page ${one.page}` : ""}` },
    one.page ? `p. ${one.page}` : "source",
  );
  pill.addEventListener("click", () => {
    picture.hidden = !picture.hidden;
    pill.setAttribute("aria-expanded", String(!picture.hidden));
    if (!picture.childNodes.length) picture.append(crop(summary.document_id, one), pageLink(summary.document_id, one));
  });
  const origin = one.origin === "person" ? `by ${one.author}` : ORIGINS[one.origin];
  return h(
    "li",
    { class: "summary-statement", data: { origin: one.origin } },
    h("p", { dir: direction(one.text) }, marked(one)),
    h(
      "div",
      { class: "summary-foot" },
      pill,
      one.section && h("span", { class: "muted" }, one.section),
      origin && h("span", { class: "tag" }, origin),
      one.stale && h("span", { class: "tag flag" }, "⚑ its passage has changed"),
      one.tests.map((name) => h("span", { class: "tag" }, name)),
      change && h("button", { type: "button", class: "button small quiet", onclick: () => change.replace(one), "aria-label": `Edit: ${one.shown.slice(0, 60)}` }, "Edit"),
      change && h("button", { type: "button", class: "button small quiet", onclick: () => change.remove(one), "aria-label": `${one.edit_id ? "Take back" : "Take out"}: ${one.shown.slice(0, 60)}` }, one.edit_id ? "Take back" : "Take out"),
    ),
    picture,
  );
}

function missing(field) {
  const { sections, sentences } = field.searched;
  const where = sections.length ? ` Sections that name it: ${sections.join(", ")}.` : " No section names it.";
  return h("p", { class: "summary-missing" }, h("strong", {}, "Missing."), ` ${plural(sentences, "sentence")} and captions were read.${where}`);
}

/** The field as a section. `change` has what an editor may do; null for who reads. */
export function fieldView(summary, field, change) {
  const id = `field-${field.field}`;
  const sure = field.confidence;
  return h(
    "section",
    { class: "summary-field", "aria-labelledby": id },
    h(
      "header",
      {},
      h("h2", { id, tabindex: "-1" }, TITLES[field.field]),
      sure && h("span", { class: "muted", title: `coverage ${confidence(sure.coverage)} × consistency ${confidence(sure.consistency)} × citations ${confidence(sure.density)}` }, `confidence ${confidence(sure.value)}`),
      change && h("button", { type: "button", class: "button small quiet", onclick: () => change.add(field.field), "aria-label": `Add to ${TITLES[field.field]}` }, "Add"),
    ),
    field.state === "missing" ? missing(field) : h("ul", {}, field.statements.map((one) => statement(summary, one, change))),
  );
}
