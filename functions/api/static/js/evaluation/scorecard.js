// The scorecard of one run: a row per index, each measure with its interval and the difference to the baseline.

import { h } from "../lib/dom.js";
import { age, duration, plural, words } from "../lib/format.js";
import { figure, find, INDEXES, MEASURES, ROUTES, seriesName } from "./series.js";

const LEVELS = { chunk: "by chunk", page: "by page", document: "by document" };

function difference(delta) {
  if (!delta) return null;
  const sure = delta.low > 0 || delta.high < 0;
  const sign = delta.value > 0 ? "▲" : delta.value < 0 ? "▼" : "=";
  const kind = sure ? (delta.value > 0 ? "better" : "worse") : "";
  const limits = `${figure(delta.low)} to ${figure(delta.high)}`;
  return h(
    "span",
    { class: `delta ${kind}`, title: `Against the baseline, 95 %: ${limits}, ${plural(delta.n, "question")}` },
    `${sign} ${figure(Math.abs(delta.value))}`,
    sure || delta.value === 0 ? "" : " within noise",
  );
}

function cell(run, index, metric, level) {
  const score = find(run.scores, index, metric, level);
  if (!score) return h("td", {}, "–");
  const { value, low, high } = score;
  return h(
    "td",
    { class: "score" },
    h("b", {}, figure(value)),
    h("span", { class: "interval", vars: { value, low, high }, "aria-hidden": "true" }, h("i"), h("b")),
    h("span", { class: "limits" }, `${figure(low)} – ${figure(high)}`),
    difference(find(run.deltas, index, metric, level)),
  );
}

function sheet(run, level) {
  const indexes = INDEXES.filter((index) => run.scores.some((score) => score.index === index && score.level === level));
  const ranked = run.scores.filter((score) => score.level === level && INDEXES.includes(score.index));
  const asked = Math.max(...ranked.map((score) => score.n));
  const name = `Scores ${level ? LEVELS[level] : "over all questions"}, ${plural(asked, "question")}`;
  return h(
    "div",
    { class: "sheet", tabindex: "0", role: "region", "aria-label": name },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, name),
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "index"), Object.values(MEASURES).map((text) => h("th", { scope: "col" }, text))),
      ),
      h(
        "tbody",
        {},
        indexes.map((index) =>
          h(
            "tr",
            { class: `index-${index}` },
            h("th", { scope: "row" }, seriesName(index)),
            Object.keys(MEASURES).map((metric) => cell(run, index, metric, level)),
          ),
        ),
      ),
    ),
  );
}

/** Values that were read at the places of gold: recall and precision of each attribute and each route. */
function readings(run) {
  const read = run.scores.filter((score) => ["attributes", "routes"].includes(score.index) && score.metric !== "agreement");
  if (!read.length) return null;
  const prefix = ({ metric }) => metric.slice(0, Math.max(0, metric.lastIndexOf(".")));
  const keys = [...new Set(read.map((score) => JSON.stringify([score.index, prefix(score)])))].map((key) => JSON.parse(key));
  const label = ([index, name]) => (index === "routes" ? `read ${ROUTES[name] ?? name}` : name ? words(name) : "all attributes");
  const metric = (name, measure) => (name ? `${name}.${measure}` : measure);
  const agreement = run.scores.find((score) => score.metric === "agreement");
  return h(
    "div",
    { class: "sheet", tabindex: "0", role: "region", "aria-label": "Values read at the places of gold" },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, "Values read at the places of gold"),
      h("thead", {}, h("tr", {}, ["values", "recall", "precision"].map((text) => h("th", { scope: "col" }, text)))),
      h(
        "tbody",
        {},
        keys.map(([index, name]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, label([index, name])),
            ["recall", "precision"].map((measure) => cell(run, index, metric(name, measure), null)),
          ),
        ),
      ),
    ),
    agreement && agreement.value < 1 && h("p", { class: "form-error" }, `⚑ Routes read different values at ${Math.round((1 - agreement.value) * agreement.n)} of ${plural(agreement.n, "value")}.`),
  );
}

function facts(run) {
  const { refused, answered } = Object.fromEntries(run.scores.filter((s) => s.index === "ask").map((s) => [s.metric, s]));
  const { document_missing: missing, left_out: left } = run.left_out;
  return h(
    "div",
    { class: "eval-facts" },
    refused && h("span", {}, `${Math.round(refused.value * 100)} % of ${plural(refused.n, "negative question")} refused`),
    answered &&
      h("span", {}, `${Math.round((1 - answered.value) * 100)} % of ${plural(answered.n, "answerable question")} refused wrongly`),
    missing && h("span", {}, `${plural(missing, "question")} of documents that are not here${left ? `, ${left} left out` : ": misses"}`),
    run.floors.map((floor) =>
      h(
        "span",
        { class: floor.met ? "met" : "unmet" },
        `${floor.met ? "✓" : "✗"} ${floor.measure} ${floor.value === null ? "not measured" : figure(floor.value)}, at least ${floor.least}`,
      ),
    ),
    h("code", {}, [run.versions.embedder, run.versions.tokenizer, ...run.versions.extractors].join(" · ")),
  );
}

/** The section of `run`; `one` chooses the level where its gold has several. */
export function scorecard(run, level, choose) {
  const levels = Object.keys(LEVELS).filter((name) => run.scores.some((score) => score.level === name));
  const chosen = levels.includes(level) ? level : null;
  const when = `${run.gold === "stored" ? "stored questions" : run.gold}, ${plural(run.measured, "question")}, ${age(run.created_at)} by ${run.author}, in ${duration(run.seconds)}`;
  const ranked = run.scores.some((score) => INDEXES.includes(score.index));
  return h(
    "section",
    { class: "eval-part", id: "scorecard", "aria-labelledby": "scorecard-title" },
    h(
      "header",
      {},
      h("h2", { id: "scorecard-title" }, run.baseline ? "Baseline" : "Scorecard"),
      h("p", {}, when),
    ),
    levels.length > 0 &&
      h(
        "p",
        { class: "eval-choices" },
        h(
          "label",
          {},
          "Counted",
          h(
            "select",
            { id: "level", onchange: (event) => choose(event.target.value || null) },
            h("option", { value: "" }, "as each question says"),
            levels.map((name) => h("option", { value: name, selected: name === chosen }, LEVELS[name])),
          ),
        ),
      ),
    ranked && sheet(run, chosen),
    readings(run),
    facts(run),
  );
}
