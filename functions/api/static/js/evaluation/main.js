// Evaluation of one knowledge base: scorecard, history, worst questions; runs over the stored gold.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { duration, plural } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { emptiness, failure } from "../lib/notice.js";
import { historyView } from "./history.js";
import { questionRow } from "./questions.js";
import { scorecard } from "./scorecard.js";
import { MEASURES } from "./series.js";

const WORST = 10;
const UNDECIDED_SHOWN = 50;
const slug = byId("main").dataset.slug;
const place = byId("evaluation");
const address = new URL(location.href).searchParams;
let kb = null;
let runs = [];
let asked = 0;
let undecided = 0;
let shown = null;
let level = null;
let metric = address.get("measure") in MEASURES ? address.get("measure") : "recall@5";

const base = () => `/v1/knowledge-bases/${kb.id}`;

const pace = (run) => (run.measured ? (run.seconds / run.measured) * (run.total - run.measured) : null);

function progress(run) {
  const left = pace(run);
  const said = `${run.measured} of ${plural(run.total, "question")}${left ? `, about ${duration(left)} left` : ""}`;
  byId("progress").replaceChildren(
    h(
      "div",
      { class: "measuring", role: "status" },
      h("strong", {}, "Measuring"),
      h("progress", { max: run.total, value: run.measured, "aria-label": "Questions measured" }),
      h("p", {}, said),
    ),
  );
}

/** Measures the stored questions slice after slice, in a new run or going on with `run`; what is stored stays where the
 * page is left. */
async function measure(button, run = null) {
  button.disabled = true;
  byId("progress").replaceChildren();
  try {
    run ??= await post(`${base()}/evaluations`, { baseline: !runs.some((one) => one.gold === "stored" && one.baseline) });
    while (run.status !== "done") {
      progress(run);
      run = await post(`${base()}/evaluations/${run.id}/continue`);
    }
    byId("progress").replaceChildren();
    announce(`${plural(run.measured, "question")} measured.`);
    await load();
  } catch (error) {
    byId("progress").replaceChildren(failure(error, { safe: "Earlier runs are as they were.", retry: () => measure(button, run) }));
  } finally {
    button.disabled = false;
  }
}

function actions() {
  const golds = [...new Set(runs.map((run) => run.gold))];
  const choose = (event) => show(runs.find((run) => run.gold === event.target.value));
  byId("head-actions").replaceChildren(
    ...[
      golds.length > 1 &&
        h(
          "label",
          { class: "eval-choices" },
          "Gold",
          h(
            "select",
            { id: "gold", onchange: choose },
            golds.map((name) =>
              h("option", { value: name, selected: name === shown?.gold }, name === "stored" ? "stored questions" : name),
            ),
          ),
        ),
      undecided > 0 &&
        h(
          "a",
          { class: "button", href: `/kb/${slug}/evaluation/candidates` },
          undecided < UNDECIDED_SHOWN ? `Decide ${plural(undecided, "candidate")}` : `Decide ${UNDECIDED_SHOWN} candidates and more`,
        ),
      asked > 0 &&
        kb.may_write &&
        runs.length > 0 &&
        h(
          "button",
          { type: "button", class: "button primary", onclick: (event) => measure(event.target) },
          `Run ${plural(asked, "stored question")}`,
        ),
    ].filter(Boolean),
  );
}

function empty() {
  const how = h(
    "ol",
    { class: "how" },
    h("li", {}, "Collect questions whose answer you know: in the inspector, pin a chunk and choose “Answers a question…”."),
    h("li", {}, "Or decide what people said of answers: ", h("a", { href: `/kb/${slug}/evaluation/candidates` }, "candidates"), "."),
    h("li", {}, "Or bring a file of them: ", h("code", {}, `autri eval gold import FILE --kb ${slug}`)),
    h("li", {}, asked ? "Then run them here." : "Then come back and run them here."),
  );
  const panel = emptiness(
    asked ? `${plural(asked, "question")} kept, and nothing measured yet` : "Nothing measured yet",
    "A run asks each question of every index, and shows how often the right passage is found, and which questions fail.",
    asked > 0 && kb.may_write
      ? h("button", { type: "button", class: "button primary", onclick: (event) => measure(event.target) }, "Measure now")
      : h("a", { class: "button", href: `/kb/${slug}` }, "Open a document"),
  );
  panel.insertBefore(how, panel.lastChild);
  return panel;
}

async function worst(run) {
  const list = h("ol", { class: "worst" });
  const more = h("div", { class: "eval-more" });
  async function next(cursor) {
    more.replaceChildren();
    try {
      const query = new URLSearchParams({ limit: WORST, ...(cursor ? { cursor } : {}) });
      const page = await call(`${base()}/evaluations/${run.id}/results?${query}`);
      list.append(...page.items.map((result) => questionRow(result, slug)));
      if (!page.next_cursor) return;
      const further = () => next(page.next_cursor);
      more.append(h("button", { type: "button", class: "button small", onclick: further }, "More questions"));
    } catch (error) {
      more.append(failure(error, { safe: "The run is as it was.", retry: () => next(cursor), compact: true }));
    }
  }
  await next(null);
  return h(
    "section",
    { class: "eval-part", id: "worst", "aria-labelledby": "worst-title" },
    h("header", {}, h("h2", { id: "worst-title" }, "Questions, worst first"), h("p", {}, "Each opens in Ask & search.")),
    list,
    more,
  );
}

function remember() {
  const url = new URL(location.href);
  url.searchParams.set("run", shown.id);
  url.searchParams.set("measure", metric);
  history.replaceState(null, "", url);
}

async function show(run) {
  const focused = document.activeElement?.id;
  shown = run;
  remember();
  const questions = await worst(run);
  // Another run was chosen meanwhile.
  if (shown !== run) return;
  const same = runs.filter((one) => one.gold === run.gold).reverse();
  const redraw = () => show(run);
  place.replaceChildren(
    scorecard(run, level, (chosen) => {
      level = chosen;
      redraw();
    }),
    historyView(same, { metric, run }, {
      change: (chosen) => {
        metric = chosen;
        redraw();
      },
      open: show,
    }),
    questions,
  );
  actions();
  if (focused) byId(focused)?.focus();
}

async function load() {
  const told = kb.may_write ? call(`${base()}/evaluation/candidates?limit=${UNDECIDED_SHOWN}`) : { items: [] };
  const [found, gold, candidates] = await Promise.all([all(`${base()}/evaluations`), all(`${base()}/gold`), told]);
  undecided = candidates.items.length;
  runs = found.filter((run) => run.status === "done");
  asked = gold.length;
  actions();
  const wanted = shown ? null : runs.find((run) => run.id === address.get("run"));
  if (runs.length) await show(wanted ?? runs[0]);
  else place.replaceChildren(empty());
  place.setAttribute("aria-busy", "false");
}

openPageOf(slug, place, "Evaluation", async (found) => {
  kb = found;
  await load();
});
