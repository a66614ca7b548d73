// Ask & search: a question, or a conversation; answers, hits and trace of how they were found. The address carries all of
// it: the conversation (`thread`), or the settings, a second set of them to compare with (`b`), or a stored trace (`trace`).

import { all, call, post, postForText } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { save } from "../lib/export.js";
import { plural, versionName } from "../lib/format.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { replayHead, replayHits } from "./compare.js";
import { Conversation } from "./conversation.js";
import { exampleList, welcome } from "./examples.js";
import { Options } from "./options.js";
import { labelsOf } from "./places.js";
import { attachPreview } from "./preview.js";
import { clear, places, scored, show, showBoth, showHits, showResult, showScores, showTrace } from "./results.js";
import { Scope } from "./scope.js";
import { fromAddress, fromScope, fromTrace, inWords, toAddress, toBody } from "./settings.js";
import { ThreadHead } from "./thread_head.js";
import { ThreadList, threadAddress } from "./threads.js";
import { QUOTATIONS } from "./turn.js";

const form = byId("query-form");
const input = byId("query");
const PLACEHOLDER = {
  ask: "Ask a question",
  search: "Search for words or meaning",
  lookup: "An address, such as C7.6.2",
};
const WAIT = {
  search: "Asking the indexes…",
  lookup: "Looking the address up…",
};
const EMPTY = {
  ask: "Type a question first.",
  search: "Type what to search for first, or set a filter below.",
  lookup: "Type an address first: the number that stands before a section.",
};
const MODES = Object.keys(EMPTY);
const address = new URL(location.href).searchParams;
const scope = new Scope(byId("scope"), sayScope);
const listed = new Map();
let settings = fromAddress(address);
let second = address.has("b") ? fromAddress(new URLSearchParams(address.get("b"))) : null;
let fields = [];
let turn = null;
let models = [];
// Settles when the knowledge bases are known; a question asked before waits for it.
let ready;

const mode = () => form.elements.mode.value;

/** Documents of the chosen knowledge bases, each version by itself. */
async function documentsInScope() {
  for (const id of scope.ids) if (!listed.has(id)) listed.set(id, await all(`/v1/documents?knowledge_base_id=${id}`));
  return scope.ids
    .flatMap((id) => listed.get(id))
    .map(({ id, name, version, chunks }) => ({
      id,
      name,
      chunks,
      note: [versionName({ version }, "version "), !version.is_current && "older", `${chunks} chunks`].filter(Boolean).join(", "),
    }));
}

function remember(query) {
  const url = new URL("/playground", location.href);
  const texts = new URLSearchParams(Object.entries(second ? toAddress(second, mode()) : {}).filter(([, text]) => text));
  const values = { q: query, mode: mode(), kb: scope.slugs(), scores: scored() ? "yes" : "", ...toAddress(settings, mode()) };
  for (const [name, value] of Object.entries(values)) if (value) url.searchParams.set(name, value);
  if (second && mode() === "search") url.searchParams.set("b", texts.toString());
  history.replaceState(null, "", url);
}

const send = (query, chosen, signal) =>
  post(`/v1/${mode()}`, { ...toBody(chosen, mode(), query), knowledge_base_ids: scope.ids }, signal);

/** How the next question of a conversation is asked. */
function askScope() {
  const { question: _asked, ...wish } = toBody(settings, "ask", "");
  return { ...wish, knowledge_base_ids: scope.ids };
}

/** Those who can answer a question once more. */
const againWith = () =>
  models.map(({ name, usual }) => ({
    text: name === QUOTATIONS ? "Quoted word for word" : name,
    note: usual ? "as usual" : "",
    model: name,
  }));

/** What may answer; a model that is not set up right says so where it is asked. */
async function readModels() {
  models = await all("/v1/models").catch(() => []);
}

const threads = new ThreadList({
  left: () => location.assign("/playground"),
  renamed: (thread) => head.show(thread, conversation.turns[0]?.question),
});
const head = new ThreadHead(threads);
const conversation = new Conversation({
  begin,
  halt: () => turn?.abort(),
  scope: askScope,
  again: againWith,
  opened: async (thread) => {
    settings = fromScope(thread.scope);
    await scope.load("", thread.scope.knowledge_base_ids);
    setMode();
    sayScope();
  },
  widened: async (id) => {
    await scope.load("", [...scope.ids, id]);
    sayScope();
  },
  kept: (thread) => {
    const url = new URL(threadAddress(thread.id), location.href);
    if (scored()) url.searchParams.set("scores", "yes");
    history.replaceState(null, "", url);
    const first = conversation.turns[0]?.question ?? "";
    thread.title ||= first;
    document.title = `${thread.title} · autri`;
    head.show(thread, first);
    threads.mark(thread.id);
    threads.load();
  },
  shown: async (turn, signal) => {
    showHits(turn.question, { hits: turn.hits, rows_behind: turn.rows?.hits.length ? turn.rows : null });
    clear("trace", "candidates");
    try {
      if (turn.answer) showTrace(await traceOf(turn.answer.trace_id, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      // Traces are kept for a while, conversations for longer; the answer stands without.
      if (error.status !== 404) show("trace", failure(error, { safe: "The answer is kept.", compact: true }));
    }
  },
});

/** A stored trace, with the names of the chunks in it. */
async function traceOf(id, signal) {
  const [trace, labels] = await Promise.all([call(`/v1/traces/${id}`, { signal }), labelsOf(id, signal)]);
  return { trace, labels };
}

async function runOne(query, signal, done) {
  const result = await send(query, settings, signal);
  done();
  showResult(mode(), query, result, changes);
  showTrace(await traceOf(result.trace_id, signal));
}

/** What is chosen in the facets and in the table is set in the form, where it stays to be changed. */
const changes = {
  get sort() {
    return settings.sort;
  },
  get columns() {
    return settings.columns;
  },
  names: namesInScope,
  set: (chosen) => {
    Object.assign(settings, chosen);
    setMode();
    return run();
  },
  save: async () => {
    const { k: _shown, facets: _counts, ...wish } = toBody(settings, mode(), input.value.trim());
    const columns = settings.columns;
    save("results.csv", "text/csv", await postForText("/v1/search:export", { ...wish, columns, knowledge_base_ids: scope.ids }));
    announce("Saved as results.csv");
  },
};

/** The attributes of the chosen knowledge bases by name. */
async function namesInScope() {
  const lists = await Promise.all(scope.ids.map((id) => all(`/v1/knowledge-bases/${id}/attributes`)));
  return [...new Set(lists.flat().map((one) => one.name))].sort();
}

async function runBoth(query, signal, done) {
  const runs = [];
  for (const [at, chosen] of [settings, second].entries()) {
    const result = await send(query, chosen, signal).catch((error) => {
      throw Object.assign(error, { set: at });
    });
    runs.push({ title: inWords(chosen, mode()), hits: result.hits.length, ...(await traceOf(result.trace_id, signal)) });
  }
  done();
  showBoth(...runs);
  announce(runs.map((one, at) => `${plural(one.hits, "hit")} with ${"AB"[at]}`).join(", "));
}

/** Starts `work(signal, done)` in place of what was under way; it calls `done` when it has something to show in place of
 * `text`, which stands in `place`. */
async function begin(work, place, text, failed = explain) {
  turn?.abort();
  turn = new AbortController();
  const { signal } = turn;
  for (const field of fields) field.complain(null);
  if (mode() !== "search" || !settings.facets) leave();
  const done = waiting(place, text);
  document.body.classList.add("has-run");
  document.body.classList.toggle("comparing", Boolean(second) && mode() === "search");
  try {
    await ready;
    signal.throwIfAborted();
    await work(signal, done);
  } catch (error) {
    if (error.name !== "AbortError") failed(error);
  } finally {
    done();
  }
}

/** A filter that cannot be used is said at its field. Hits of before would not be what is asked for now. */
function explain(error) {
  const at = error.set ?? 0;
  if (error.status === 400 && [settings, second][at]?.where) {
    fields[at].complain(error.detail);
    show("hits", emptiness("Nothing was searched", "The filter cannot be used as it is; what is wrong stands at its field."));
    clear("trace", "candidates");
    return;
  }
  show("hits", failure(error, { safe: "Nothing was changed by asking.", retry: run }));
  clear("answer", "trace", "candidates");
}

/** Says at the question why nothing was run; nothing where `text` is empty. */
function complain(text) {
  byId("query-said").textContent = text;
  input.setAttribute("aria-invalid", String(text !== ""));
  if (text) input.focus();
}

const narrows = ({ where, types, documents, recency, sort, facets }) =>
  where || types.length || documents.length || recency || sort.trim() || facets;

/** Takes the facets and the table of before away. */
function leave() {
  clear("facets");
  document.body.classList.remove("has-facets", "has-table");
}

async function run() {
  // A number that cannot be meant is said at its field, and nothing is asked with another one.
  if (!form.reportValidity()) return;
  const query = input.value.trim();
  if (!query && !(mode() === "search" && narrows(settings))) {
    complain(EMPTY[mode()]);
    return;
  }
  complain("");
  conversation.close();
  head.hide();
  threads.mark(null);
  clear("answer");
  if (mode() === "ask") {
    clear("hits", "trace", "candidates");
    await conversation.start(query, () => remember(query));
    return;
  }
  const work = (signal, done) => {
    remember(query);
    return second && mode() === "search" ? runBoth(query, signal, done) : runOne(query, signal, done);
  };
  await begin(work, places.hits, WAIT[mode()]);
}

/** Shows the trace `id` as it was stored, with the form set as it was asked. */
async function replay(id) {
  const work = async (signal) => {
    const then = await traceOf(id, signal);
    const { trace, labels } = then;
    form.elements.mode.value = trace.operator;
    input.value = trace.query;
    settings = fromTrace(trace);
    await scope.load("", trace.knowledge_base_ids);
    setMode();
    const title = inWords(settings, mode());
    const compare = async () => {
      const again = async (now) => {
        const result = await send(trace.query, settings, now);
        showBoth({ ...then, title }, { ...(await traceOf(result.trace_id, now)), title }, ["then", "now"]);
      };
      await begin(again, places.hits, "Asking once more…");
    };
    show("hits", replayHead(trace, title, { again: run, compare }), replayHits(trace, labels));
    showTrace(then);
  };
  await begin(work, places.hits, "Reading the trace…");
}

async function showExamples() {
  const list = await exampleList(scope.ids, documentsInScope, (text) => {
    input.value = text;
    run();
  });
  if (list && !turn) places.hits.append(list);
}

/** Names below the field of a follow-up what it is asked of. */
function sayScope() {
  byId("follow-up-scope").textContent = `Asks in ${scope.inWords()}${settings.older ? ", older versions too" : ""}. Change it above.`;
}

/** Draws the fields of the mode; a second row of them where two sets are compared. */
function setMode() {
  document.body.classList.toggle("asking", mode() === "ask");
  input.placeholder = PLACEHOLDER[mode()];
  input.setAttribute("aria-label", PLACEHOLDER[mode()]);
  const comparing = second && mode() === "search";
  const sets = comparing ? [settings, second] : [settings];
  const rows = sets.map(() => h("div", { class: "query-options" }));
  fields = sets.map((set, at) => new Options(rows[at], set, { documents: documentsInScope, name: comparing ? "AB"[at] : "" }));
  for (const field of fields) field.draw(mode());
  byId("query-sets").replaceChildren(...rows);
  const button = byId("compare");
  button.hidden = mode() !== "search";
  button.setAttribute("aria-pressed", String(Boolean(comparing)));
  for (const view of ["facets", "table"]) {
    const toggle = byId(`view-${view}`);
    toggle.hidden = mode() !== "search" || Boolean(comparing);
    toggle.setAttribute("aria-pressed", String(settings[view]));
  }
}

for (const view of ["facets", "table"]) byId(`view-${view}`).addEventListener("click", () => changes.set({ [view]: !settings[view] }));

byId("scores").addEventListener("click", () => {
  showScores(!scored());
  if (conversation.thread) conversation.kept(conversation.thread);
  else if (document.body.classList.contains("has-run")) remember(input.value.trim());
});
byId("compare").addEventListener("click", () => {
  second = second ? null : structuredClone(settings);
  if (second) second.index = settings.index === "vector" ? "hybrid" : "vector";
  setMode();
  document.body.classList.toggle("comparing", Boolean(second));
  if (document.body.classList.contains("has-run")) run();
});
input.addEventListener("input", () => complain(""));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.addEventListener("change", (event) => {
  // The question itself runs when it is submitted; leaving its field is no new question.
  if (event.target === input) return;
  if (event.target.name === "mode") setMode();
  sayScope();
  // What a conversation goes on with is set, and asked when the next question comes.
  if (mode() === "ask" && event.target.name !== "mode") return;
  if (document.body.classList.contains("has-run") && input.value.trim()) run();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    input.focus();
    input.select();
  }
});
attachPreview(byId("preview"), document.body);

async function start() {
  if (MODES.includes(address.get("mode"))) form.elements.mode.value = address.get("mode");
  input.value = address.get("q") ?? "";
  // A stored trace and a comparison are about how hits were found.
  showScores(["scores", "trace", "b"].some((name) => address.get(name)));
  setMode();
  try {
    ready = Promise.all([scope.load(address.get("kb")), readModels()]);
    await ready;
    sayScope();
  } catch (error) {
    show("hits", failure(error, { retry: start }));
    return;
  }
  // Whoever was quicker than the list of knowledge bases has a question running already.
  if (turn) return;
  threads.load();
  if (address.get("thread")) await conversation.open(address.get("thread"));
  else if (address.get("trace")) await replay(address.get("trace"));
  else if (address.get("q") || (mode() === "search" && narrows(settings))) await run();
  else {
    show("hits", welcome(scope.total));
    if (scope.total) showExamples();
    if (document.activeElement === document.body) input.focus();
  }
}

start();
