// The playground: one question; answer, hits and trace of how they were found. The address carries all of it.

import { call, post } from "../lib/api.js";
import { byId } from "../lib/dom.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { answerView, noEvidence } from "./answer.js";
import { hitList } from "./hits.js";
import { Options } from "./options.js";
import { attachPreview } from "./preview.js";
import { Scope } from "./scope.js";
import { traceView } from "./trace.js";

const form = byId("query-form");
const input = byId("query");
const places = { answer: byId("answer"), hits: byId("hits"), trace: byId("trace") };
const PLACEHOLDER = {
  ask: "Ask a question",
  search: "Search for words or meaning",
  lookup: "An address, such as C7.6.2",
};
const address = new URL(location.href).searchParams;
const scope = new Scope(byId("scope"));
const options = new Options(byId("query-options"), address);
let turn = null;
// Settles when the knowledge bases are known; a question asked before waits for it.
let ready;

const mode = () => form.elements.mode.value;

function show(place, ...nodes) {
  places[place].replaceChildren(...nodes.filter(Boolean));
}

function remember(query) {
  const url = new URL(location.href);
  const values = { q: query, mode: mode(), kb: scope.slugs(), ...options.address(mode()) };
  for (const [name, value] of Object.entries(values)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  history.replaceState(null, "", url);
}

async function search(query, signal) {
  const result = await post("/v1/search", { query, ...scope.body(), ...options.searchBody() }, signal);
  show("hits", hitList(result, query));
  return result;
}

async function lookup(query, signal) {
  const result = await post("/v1/lookup", { address: query, recursive: options.recursive, ...scope.body() }, signal);
  show("hits", hitList(result, query, { lookup: true }));
  return result;
}

async function ask(query, signal) {
  const result = await post("/v1/ask", { question: query, ...scope.body(), ...options.askBody() }, signal);
  show("answer", result.insufficient_evidence ? noEvidence(result) : answerView(result));
  show("hits", hitList(result, query));
  return result;
}

const WORK = { ask, search, lookup };
const WAIT = {
  ask: "Choosing the evidence, then writing from it alone…",
  search: "Asking the indexes…",
  lookup: "Looking the address up…",
};

async function showTrace(result, signal) {
  const trace = await call(`/v1/traces/${result.trace_id}`, { signal });
  show("trace", traceView(trace));
}

async function run() {
  const query = input.value.trim();
  if (!query) {
    input.focus();
    return;
  }
  remember(query);
  turn?.abort();
  turn = new AbortController();
  const { signal } = turn;
  const current = mode();
  show("answer");
  const done = waiting(places[current === "ask" ? "answer" : "hits"], WAIT[current]);
  document.body.classList.add("has-run");
  try {
    await ready;
    signal.throwIfAborted();
    await showTrace(await WORK[current](query, signal), signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    show("hits", failure(error, { safe: "Nothing was changed by asking.", retry: run }));
    show("trace");
  } finally {
    done();
  }
}

function welcome() {
  if (scope.total === 0) {
    show(
      "hits",
      emptiness(
        "There is nothing to search yet",
        "Add documents to a knowledge base first; then ask here.",
        link("/", "Knowledge bases"),
      ),
    );
  } else {
    show(
      "hits",
      emptiness(
        "Ask, search, or look something up",
        "Every answer cites the chunks it stands on. Every hit says which index found it, at which rank, and opens on its page at the exact box.",
      ),
    );
  }
}

function link(href, text) {
  const node = document.createElement("a");
  node.href = href;
  node.className = "button";
  node.textContent = text;
  return node;
}

function setMode() {
  input.placeholder = PLACEHOLDER[mode()];
  input.setAttribute("aria-label", PLACEHOLDER[mode()]);
  options.draw(mode());
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
form.addEventListener("change", (event) => {
  // The question itself runs when it is submitted; leaving its field is no new question.
  if (event.target === input) return;
  if (event.target.name === "mode") setMode();
  if (input.value.trim() && document.body.classList.contains("has-run")) run();
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
  if (["ask", "search", "lookup"].includes(address.get("mode"))) form.elements.mode.value = address.get("mode");
  input.value = address.get("q") ?? "";
  setMode();
  try {
    ready = scope.load(address.get("kb"));
    await ready;
  } catch (error) {
    show("hits", failure(error, { retry: start }));
    return;
  }
  // Whoever was quicker than the list of knowledge bases has a question running already.
  if (turn) return;
  if (input.value && scope.total) await run();
  else {
    welcome();
    input.focus();
  }
}

start();
