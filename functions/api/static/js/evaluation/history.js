// All runs of one gold: the plot, and the table that says the same.

import { h } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { chart, drawnIndexes } from "./chart.js";
import { figure, find, MEASURES, NAMES } from "./series.js";

const when = (iso) => new Date(iso).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

function table(runs, metric, shown, open) {
  const indexes = drawnIndexes(runs, metric);
  return h(
    "div",
    { class: "sheet", tabindex: "0", role: "region", "aria-label": "All runs" },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, `${MEASURES[metric]} of all runs`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "run"),
          h("th", { scope: "col", class: "number" }, "questions"),
          indexes.map((index) => h("th", { scope: "col", class: "number" }, NAMES[index])),
          h("th", { scope: "col" }, "embedder"),
        ),
      ),
      h(
        "tbody",
        {},
        [...runs].reverse().map((run) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              h(
                "a",
                {
                  href: `?run=${run.id}`,
                  "aria-current": run.id === shown.id ? "true" : null,
                  onclick: (event) => {
                    event.preventDefault();
                    open(run);
                  },
                },
                when(run.created_at),
              ),
              run.baseline && " · baseline",
            ),
            h("td", { class: "number" }, count(run.measured)),
            indexes.map((index) => {
              const score = find(run.scores, index, metric);
              return h("td", { class: "number" }, score ? figure(score.value) : "–");
            }),
            h("td", {}, run.versions.embedder),
          ),
        ),
      ),
    ),
  );
}

/** `runs` from old to new; `chosen` is {metric, run}; `change` is told of another measure, `open` of another run. */
export function historyView(runs, chosen, { change, open }) {
  return h(
    "section",
    { class: "eval-part", id: "history", "aria-labelledby": "history-title" },
    h(
      "header",
      {},
      h("h2", { id: "history-title" }, "History"),
      h(
        "span",
        { class: "eval-choices" },
        h(
          "label",
          {},
          "Measure",
          h(
            "select",
            { id: "measure", onchange: (event) => change(event.target.value) },
            Object.entries(MEASURES).map(([name, text]) => h("option", { value: name, selected: name === chosen.metric }, text)),
          ),
        ),
      ),
    ),
    chart(runs, chosen.metric),
    h(
      "details",
      { class: "run-log", open: runs.length < 4 },
      h("summary", {}, `All ${runs.length === 1 ? "runs (1)" : `${count(runs.length)} runs`}`),
      table(runs, chosen.metric, chosen.run, open),
    ),
  );
}
