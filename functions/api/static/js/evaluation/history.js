// All runs of one gold: one measure plotted as a line per index with its intervals, and a table that says the same.

import { h, settled, svg } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { figure, find, INDEXES, MEASURES, NAMES, seriesName, shape } from "./series.js";

const HEIGHT = 230;
const EDGE = { top: 12, right: 18, bottom: 26, left: 40 };
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const day = (iso) => new Date(iso).toLocaleDateString("en", { day: "numeric", month: "short" });
const time = (iso) => new Date(iso).toLocaleTimeString("en", { hour: "numeric", minute: "2-digit" });
/** The day, or the time of day where all runs are of one day. */
const moment = (runs, run) =>
  runs.length > 1 && day(runs[0].created_at) === day(runs.at(-1).created_at) ? time(run.created_at) : day(run.created_at);

const drawnIndexes = (runs, metric) => INDEXES.filter((index) => runs.some((run) => find(run.scores, index, metric)));

function summary(runs, metric) {
  const last = runs.at(-1);
  const values = drawnIndexes([last], metric).map((index) => `${NAMES[index]} ${figure(find(last.scores, index, metric).value)}`);
  return `${MEASURES[metric]} of ${runs.length} runs; the latest: ${values.join(", ")}.`;
}

function axes(width, y, runs, x) {
  return [
    ...TICKS.flatMap((tick) => [
      svg("line", { class: "grid-line", x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: EDGE.left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2)),
    ]),
    ...runs.flatMap((run, at) =>
      run.baseline
        ? [svg("line", { class: "baseline-mark", x1: x(at), x2: x(at), y1: EDGE.top, y2: HEIGHT - EDGE.bottom })]
        : [],
    ),
    svg("text", { x: x(0), y: HEIGHT - 6, "text-anchor": runs.length > 1 ? "start" : "middle" }, moment(runs, runs[0])),
    ...(runs.length > 1
      ? [svg("text", { x: x(runs.length - 1), y: HEIGHT - 6, "text-anchor": "end" }, moment(runs, runs.at(-1)))]
      : []),
  ];
}

function series(runs, index, metric, x, y) {
  const points = runs.flatMap((run, at) => {
    const score = find(run.scores, index, metric);
    return score ? [{ score, at, run }] : [];
  });
  const path = points.map(({ score, at }, n) => `${n ? "L" : "M"}${x(at)} ${y(score.value)}`).join("");
  return svg(
    "g",
    { class: `index-${index}` },
    svg("path", { class: "line", d: path }),
    ...points.map(({ score, at, run }) =>
      svg(
        "g",
        { transform: `translate(${x(at)} 0)` },
        svg("title", {}, `${NAMES[index]} ${figure(score.value)} (${figure(score.low)} – ${figure(score.high)}), ${day(run.created_at)}`),
        svg("line", { class: "whisker", y1: y(score.low), y2: y(score.high) }),
        shape(index, { class: "mark", transform: `translate(0 ${y(score.value)})` }),
      ),
    ),
  );
}

/** `runs` from old to new. It is drawn to the width that it has, so that its words keep their size. */
function chart(runs, metric) {
  const place = svg("svg", { role: "img", "aria-label": summary(runs, metric), height: HEIGHT });
  const draw = () => {
    const width = place.clientWidth || 640;
    const span = width - EDGE.left - EDGE.right - 24;
    const x = (at) => EDGE.left + 12 + (runs.length > 1 ? (at / (runs.length - 1)) * span : span / 2);
    const y = (value) => EDGE.top + (1 - value) * (HEIGHT - EDGE.top - EDGE.bottom);
    place.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    place.replaceChildren(
      ...axes(width, y, runs, x),
      ...drawnIndexes(runs, metric).map((index) => series(runs, index, metric, x, y)),
    );
  };
  new ResizeObserver(settled(draw, 30)).observe(place);
  draw();
  return h(
    "div",
    { class: "chart" },
    place,
    h(
      "ul",
      { class: "legend" },
      drawnIndexes(runs, metric).map((index) => h("li", {}, seriesName(index))),
      runs.some((run) => run.baseline) && h("li", {}, "┆ baseline"),
    ),
  );
}

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
