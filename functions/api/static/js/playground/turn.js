// One question of a conversation with its answer: as it was asked, how it was looked for, what may be done with it.

import { direction } from "../lib/direction.js";
import { announce, h, keepChildren } from "../lib/dom.js";
import { dollars, plural, words } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";
import { pinButton } from "../lib/pin.js";
import { AnswerView, answerView, noEvidence } from "./answer.js";
import { toMarkdown, toPlainText } from "./copying.js";
import { corrected } from "./corrected.js";

let made = 0;

/** A menu whose items are buttons that close it. */
export function actionMenu(label, items, className = "button small") {
  const root = h("div", { class: "menu" });
  const panel = h("div", { class: "action-panel" });
  const { close } = attachMenu(root, label, panel, className);
  panel.append(
    ...items.map(({ text, note, act }) =>
      h(
        "button",
        {
          type: "button",
          class: "menu-item",
          onclick: () => {
            close();
            act();
          },
        },
        text,
        note && h("span", { class: "muted" }, note),
      ),
    ),
  );
  return root;
}

const VERDICTS = [
  ["right", "Yes"],
  ["wrong", "No"],
  ["incomplete", "Incomplete"],
];

/** What is done with a tool's call, in words. */
function stepLine({ name, arguments: given, chunk_ids: found, failed, error }) {
  const asked = Object.values(given ?? {}).filter((value) => typeof value === "string" || typeof value === "number");
  const what = [words(name), asked.length > 0 && `“${asked.join(", ")}”`].filter(Boolean).join(" ");
  const gave = failed ? `failed: ${error ?? "no result"}` : found.length ? plural(found.length, "passage") : "";
  return h("li", { class: failed ? "failed" : "" }, what, gave && h("small", {}, ` ${gave}`));
}

/** The name of those answers that no model writes. */
export const QUOTATIONS = "quotations";
const SHOWN_OF_NONE = "No answer was given to this: it broke off, or something failed.";

export class Turn {
  /** A question of a conversation, as it is typed or as a `message` of the API. `log` gets each sentence once for those who
   * do not see it. `acts`: {asTyped(turn), widen(turn, base), again() as [{text, note, model, act(turn)}], judge(turn, feedback), pins(turn) as the ids of the answer that is shown}, those that are possible. */
  constructor(question, log, acts = {}) {
    made += 1;
    Object.assign(this, { question, log, acts, id: null, answers: [], at: 0, hits: [], rows: null, sentences: [], steps: [], model: null });
    const name = `question-${made}`;
    this.title = h("h2", { class: "turn-question", id: name, tabindex: "-1", dir: direction(question) }, question);
    this.place = h("div", { class: "turn-waiting" });
    this.parts = { asked: null, place: this.place, steps: null, corrected: null, answer: null, wider: null, failed: null, foot: null };
    this.node = h("article", { class: "turn", "aria-labelledby": name }, this.title, this.place);
  }

  get stored() {
    return this.answers[this.at] ?? null;
  }

  get answer() {
    return this.stored?.answer ?? null;
  }

  #put(parts) {
    Object.assign(this.parts, parts);
    keepChildren(this.node, [this.title, ...Object.values(this.parts).filter(Boolean)]);
  }

  /** As what it is asked, where a follow-up was made to stand alone. */
  asked({ message_id: id, asked_as: text }) {
    this.id = id;
    if (!text || text === this.question) return this.#put({ asked: null });
    const typed = this.acts.asTyped && h("button", { type: "button", class: "link-button", onclick: () => this.acts.asTyped(this) }, "Ask as typed");
    return this.#put({ asked: h("p", { class: "asked-as" }, h("span", {}, "Asked as: ", h("q", { dir: direction(text) }, text)), typed) });
  }

  /** What the server tells of the answering, step by step. */
  told(name, data) {
    if (name === "asked") this.asked(data);
    if (name === "plan") this.model = data.model;
    if (name === "hits") this.hits = data.hits;
    if (name === "tool") {
      this.steps.push(data);
      this.#drawSteps(true);
    }
    if (name === "sentence") {
      this.sentences.push(data);
      this.log.append(h("p", {}, data.text));
      this.#draw({ ...this.#growing(), unfinished: true });
    }
    if (name === "widening") this.#put({ wider: this.#wider(data.knowledge_bases) });
    if (name === "rows") this.rows = data;
    // The message that follows it has the cited hits alone.
    if (name === "final") this.hits = data.hits;
  }

  /** Where an answer may stand that was not asked; only whoever asks widens the question. */
  #wider(bases) {
    if (!bases.length || !this.acts.widen) return null;
    const button = (base) => h("button", { type: "button", class: "button small", onclick: () => this.acts.widen(this, base) }, `Ask ${base.name}, too`);
    return h("p", { class: "asked-as" }, h("span", {}, "Not asked, but it may say so:"), ...bases.map(button));
  }

  #growing() {
    const cited = new Set(this.sentences.flatMap(({ citations }) => citations));
    return {
      mode: this.model ? "answer" : "quotations",
      model: this.model,
      sentences: this.sentences,
      citations: this.hits.filter((hit) => cited.has(hit.chunk.id)),
      contradictions: [],
    };
  }

  #draw(answer) {
    this.view ??= new AnswerView();
    this.#put({ answer: this.view.draw(answer) });
  }

  #drawSteps(open) {
    if (!this.steps.length) return;
    const list = h("ol", {}, this.steps.map(stepLine));
    this.#put({ steps: h("details", { class: "turn-steps", open }, h("summary", {}, `The model searched: ${plural(this.steps.length, "step")}`), list) });
  }

  /** Asked anew: nothing of an answer before is taken for the one that comes. */
  restart() {
    Object.assign(this, { sentences: [], hits: [], rows: null, steps: [], model: null, view: null });
    this.#put({ steps: null, corrected: null, answer: null, wider: null, failed: null, foot: null });
  }

  /** Says why no answer came. Sentences that came before it broke off are none; earlier answers are. */
  fail(notice) {
    this.restart();
    if (this.answers.length) this.#show(this.at);
    this.#put({ failed: notice });
  }

  /** Something else was asked before this was answered. */
  stop() {
    this.fail(h("p", { class: "muted" }, "Stopped before it was answered."));
  }

  /** The question with its answers as it is kept: a message of the API. `fresh`: its last answer has just been given. */
  take(message, fresh = false) {
    this.asked({ message_id: message.id, asked_as: message.asked_as });
    this.answers = message.answers;
    if (!this.answers.length) return this.#put({ answer: h("p", { class: "muted" }, SHOWN_OF_NONE), foot: this.#foot() });
    this.#drawSteps(false);
    this.#show(this.answers.length - 1, fresh);
    if (!fresh) return undefined;
    const { answer } = this;
    if (answer.insufficient_evidence) this.log.append(h("p", {}, "Found nothing that answers."));
    announce(answer.insufficient_evidence ? "Found nothing that answers" : `Answered, with ${plural(answer.citations.length, "citation")}`);
    return undefined;
  }

  /** Shows the answer number `at` of those that were given; `grown`: as the end of what came sentence by sentence. */
  #show(at, grown = false) {
    this.at = at;
    const { answer } = this;
    if (grown && !answer.insufficient_evidence) this.#draw(answer);
    else this.#put({ answer: answer.insufficient_evidence ? noEvidence(answer, this.hits.length > 0) : answerView(answer) });
    this.#put({ corrected: corrected(answer) || null, foot: this.#foot() });
  }

  #foot() {
    const again = this.#again();
    const copied = h("span", { class: "muted", role: "status" });
    const tools = [
      this.answer && this.#judging(),
      h(
        "span",
        { class: "turn-acts" },
        this.answers.length > 1 && this.#pager(),
        this.answer && !this.answer.insufficient_evidence && this.#copying(copied),
        this.answer && !this.answer.insufficient_evidence && this.acts.pins && this.#pinning(),
        again.length > 0 && actionMenu("Ask again", again),
        copied,
        this.answer?.model && this.answer.usd > 0 && h("span", { class: "muted" }, `cost ${dollars(this.answer.usd)}`),
      ),
    ];
    return h("div", { class: "turn-foot" }, tools, this.noteForm);
  }

  /** Who else can answer; where nobody has, whoever is there. */
  #again() {
    const there = this.acts.again?.() ?? [];
    const others = this.answer ? there.filter(({ model }) => model !== (this.answer.model ?? QUOTATIONS)) : there;
    return others.map((one) => ({ ...one, act: () => one.act(this) }));
  }

  #pager() {
    const go = (step) => () => {
      this.#show(this.at + step);
      (this.node.querySelector(`[data-step="${step}"]:not([disabled])`) ?? this.node.querySelector("[data-step]:not([disabled])"))?.focus();
    };
    const button = (step, label, sign) =>
      h("button", { type: "button", class: "button small quiet", "aria-label": label, data: { step }, disabled: !this.answers[this.at + step], onclick: go(step) }, sign);
    return h(
      "span",
      { class: "turn-pager", role: "group", "aria-label": "Answers to this question" },
      button(-1, "Earlier answer", "‹"),
      h("span", { class: "number" }, `${this.at + 1} of ${this.answers.length}`),
      button(1, "Later answer", "›"),
    );
  }

  #pinning() {
    const bases = () => [...new Set(this.answer.citations.map((hit) => hit.chunk.knowledge_base_id))];
    return pinButton(() => ({ kind: "answer", ...this.acts.pins(this) }), bases, { label: "Pin the answer to a notebook" });
  }

  #copying(said) {
    const copy = (write) => async () => {
      try {
        await navigator.clipboard.writeText(write(this.question, this.answer));
        said.textContent = "Copied";
      } catch {
        said.textContent = "The browser allows no copying here.";
      }
    };
    return actionMenu("Copy", [
      { text: "Markdown", note: "with footnotes", act: copy(toMarkdown) },
      { text: "Plain text", note: "with [1]", act: copy(toPlainText) },
    ]);
  }

  #judging() {
    const { stored } = this;
    if (!this.acts.judge) return null;
    const now = stored.feedback?.verdict;
    const choose = (verdict) => async () => {
      await this.#judge(verdict === now ? null : { verdict, note: stored.feedback?.note ?? null });
      if (stored.feedback && verdict !== "right") this.#askNote(stored);
      else this.node.querySelector(`[data-verdict="${verdict}"]`)?.focus();
    };
    const button = ([verdict, label]) =>
      h("button", { type: "button", class: "button small quiet", "aria-pressed": String(verdict === now), data: { verdict }, onclick: choose(verdict) }, label);
    return h(
      "span",
      { class: "verdicts", role: "group", "aria-label": "Is this answer right?" },
      h("span", { class: "muted", "aria-hidden": "true" }, "Is this right?"),
      VERDICTS.map(button),
      stored.feedback?.note && h("q", { class: "verdict-note" }, stored.feedback.note),
      this.unjudged,
    );
  }

  async #judge(feedback) {
    const { stored } = this;
    this.unjudged = null;
    this.noteForm = null;
    try {
      await this.acts.judge(this, feedback);
      stored.feedback = feedback;
      announce(feedback ? `Noted: ${feedback.verdict}` : "Taken back");
    } catch (error) {
      this.unjudged = h("span", { class: "form-error", role: "alert" }, error.detail || error.title || error.message);
    }
    this.#put({ foot: this.#foot() });
  }

  #askNote(stored) {
    const field = h("input", { type: "text", name: "note", maxlength: "2000", autocomplete: "off", "aria-label": "What is wrong or missing", placeholder: "What is wrong or missing?" });
    field.value = stored.feedback.note ?? "";
    const send = async (event) => {
      event.preventDefault();
      await this.#judge({ verdict: stored.feedback.verdict, note: field.value.trim() || null });
      this.node.querySelector('[aria-pressed="true"]')?.focus();
    };
    this.noteForm = h("form", { class: "note-form", onsubmit: send }, field, h("button", { type: "submit", class: "button small" }, "Save the note"));
    this.#put({ foot: this.#foot() });
    field.focus();
  }
}
