// A conversation: questions and answers below one another, each follow-up asked in the light of those before it.

import { call, post, postForEvents } from "../lib/api.js";
import { byId, calm, h } from "../lib/dom.js";
import { failure } from "../lib/notice.js";
import { Turn } from "./turn.js";

const WAIT = "Reading what comes nearest…";

export class Conversation {
  /** `begin(work, place, text, failed)` runs one thing at a time, `halt()` ends it; `scope()` is how the next question is asked; `again()` are
   * those who can answer once more, {text, note, model}. Told are `opened(thread)`, whose scope holds from now on, `kept(thread)`,
   * which holds what is asked, and `shown(turn, signal)`, the last answer that came or was opened. `widened(id)` has that
   * knowledge base asked, too, from now on. */
  constructor({ begin, halt, scope, again, opened, shown, kept, widened }) {
    Object.assign(this, { begin, halt, scope, again, opened, shown, kept, widened });
    this.place = byId("answer");
    this.log = byId("answer-log");
    this.form = byId("follow-up");
    this.field = byId("follow-up-text");
    this.thread = null;
    this.turns = [];
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = this.field.value.trim();
      if (!question) return this.field.focus();
      this.field.value = "";
      return this.follow(question);
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.form.requestSubmit();
    });
  }

  close() {
    this.thread = null;
    this.turns = [];
    this.running = null;
    this.place.replaceChildren();
    this.form.hidden = true;
  }

  /** Asks the first question of a new conversation; `begun` is called when it can be asked. */
  async start(question, begun) {
    this.close();
    const turn = this.#add(question);
    await this.#run(turn, async (signal) => {
      begun();
      this.thread ??= await post("/v1/threads", { scope: this.scope() }, signal);
      return this.#questioned(question, true);
    });
  }

  /** Asks a further one; `rewrite`: it may be asked so that it stands alone. */
  async follow(question, rewrite = true) {
    const turn = this.#add(question);
    turn.node.scrollIntoView({ block: "start", behavior: calm() ? "instant" : "smooth" });
    await this.#run(turn, () => this.#questioned(question, rewrite));
  }

  #questioned(question, rewrite) {
    return [`/v1/threads/${this.thread.id}/ask`, { question, rewrite, scope: this.scope() }];
  }

  /** Shows the conversation `id` as it is kept. */
  async open(id) {
    this.close();
    await this.begin(
      async (signal, done) => {
        const thread = await call(`/v1/threads/${id}`, { signal });
        done();
        this.thread = thread;
        for (const message of thread.messages) this.#add(message.question).take(message);
        this.form.hidden = false;
        await this.opened(thread);
        this.kept(thread);
        if (this.turns.length) await this.shown(this.turns.at(-1), signal);
      },
      this.place,
      "Opening the conversation…",
      (error) => this.place.replaceChildren(failure(error, { safe: "Nothing was changed.", retry: () => this.open(id), next: { href: "/playground", label: "Ask something new" } })),
    );
  }

  #add(question) {
    const acts = {
      asTyped: (turn) => this.follow(turn.question, false),
      widen: async (turn, base) => {
        await this.widened(base.knowledge_base_id);
        await this.follow(turn.question, false);
      },
      again: () => this.again().map((one) => ({ ...one, act: (turn) => this.#askAgain(turn, one.model) })),
      judge: (turn, feedback) => this.#judge(turn, feedback),
      pins: (turn) => ({ thread_id: this.thread.id, answer_id: turn.stored.id }),
    };
    const turn = new Turn(question, this.log, acts);
    this.turns.push(turn);
    this.place.append(turn.node);
    return turn;
  }

  async #askAgain(turn, model) {
    const path = `/v1/threads/${this.thread.id}/messages/${turn.id}/answers`;
    await this.#run(turn, () => [path, { model }], model);
  }

  async #judge(turn, feedback) {
    const path = `/v1/threads/${this.thread.id}/answers/${turn.stored.id}/feedback`;
    await call(path, { method: "PUT", body: feedback ?? { verdict: null } });
  }

  /** Has `turn` answered by what `request` gives, a path and a body; shows what comes as it comes. What was kept as asked
   * before it failed is not asked once more: `model` answers it. */
  async #run(turn, request, model = null) {
    this.running?.stop();
    this.running = turn;
    turn.restart();
    this.log.replaceChildren();
    const halt = () => {
      this.halt();
      this.running = null;
      turn.stop();
      this.form.hidden = !this.thread;
    };
    const retry = () => (turn.id ? this.#askAgain(turn, model) : this.#run(turn, request));
    const button = h("button", { type: "button", class: "button small", onclick: halt }, "Stop");
    turn.place.append(button);
    await this.begin(
      async (signal, done) => {
        const [path, body] = await request(signal);
        signal.throwIfAborted();
        const told = (name, data) => {
          if (name === "sentence") done();
          turn.told(name, data);
        };
        const message = await postForEvents(path, body, signal, told, "message");
        done();
        this.running = null;
        turn.take(message, true);
        this.form.hidden = false;
        this.kept(this.thread);
        await this.shown(turn, signal);
      },
      turn.place,
      WAIT,
      (error) => {
        this.running = null;
        turn.fail(failure(error, { safe: "What was asked before is kept.", retry, compact: true }));
        this.form.hidden = !this.thread;
      },
    );
    button.remove();
  }
}
