// One candidate: the question, what its asker says, the passages that answer it, and the ways to decide.

import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { age } from "../lib/format.js";

const SAID = { right: ["✓", "The answer was right"], wrong: ["✕", "The answer was wrong"], incomplete: ["◐", "The answer was incomplete"] };
const SHOWN = 320;

const short = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
const hrefOf = (one) => `/documents/${one.document_id}?page=${one.page ?? 1}&chunk=${one.chunk_id}`;
const passageOf = ({ chunk, document }) => ({
  chunk_id: chunk.id,
  document_id: document.id,
  document: document.name,
  page: chunk.boxes[0]?.page ?? null,
  content: chunk.content,
});

/** A passage with a box that says whether it answers. */
function passageLine(one, ticked) {
  const tick = h("input", { type: "checkbox", name: "chunk", value: one.chunk_id, checked: ticked });
  return h(
    "li",
    {},
    h("label", {}, tick, h("span", { dir: direction(one.content) }, short(one.content))),
    h("a", { class: "muted", href: hrefOf(one), target: "_blank", rel: "noopener" }, one.page ? `${one.document}, page ${one.page}` : one.document),
  );
}

/** `find(query)` searches the knowledge base; `keep(wanted)` and `reject()` decide, and throw what the server refuses. */
export function candidateView(candidate, { find, keep, reject }) {
  const name = `candidate-${candidate.id}`;
  const [sign, said] = SAID[candidate.verdict];
  const question = h("textarea", { name: "question", rows: "2", required: true, maxlength: "4000" });
  question.value = candidate.question;
  const answer = h("input", { name: "answer", maxlength: "2000", autocomplete: "off" });
  const error = h("p", { class: "form-error", role: "alert" });
  // What answered wrongly is offered, and not taken.
  const passages = h("ul", { class: "candidate-passages" }, candidate.passages.map((one) => passageLine(one, candidate.verdict === "right")));
  const none = h("p", { class: "muted" }, "The answer cited nothing that is still here.");
  const query = h("input", { type: "search", name: "query", "aria-label": "Find other passages", placeholder: "Find other passages" });
  const found = h("p", { class: "muted", role: "status" });
  const ticked = () => [...passages.querySelectorAll("input:checked")].map((box) => box.value);

  async function act(work) {
    error.textContent = "";
    buttons.forEach((button) => (button.disabled = true));
    try {
      await work();
    } catch (problem) {
      error.textContent = problem.detail || problem.title || problem.message;
    } finally {
      buttons.forEach((button) => (button.disabled = false));
    }
  }

  const wanted = (kind, chunks) => ({ question: question.value.trim(), kind, chunk_ids: chunks, answer: answer.value.trim() || null });

  function keepAnswerable() {
    if (!question.value.trim()) {
      error.textContent = "Write the question.";
      return question.focus();
    }
    if (!ticked().length) {
      error.textContent = "Tick the passages that answer the question, or say that nothing here answers it.";
      return (passages.querySelector("input") ?? query).focus();
    }
    return act(() => keep(wanted("answerable", ticked())));
  }

  async function search() {
    if (!query.value.trim()) return;
    try {
      const { hits } = await find(query.value.trim());
      const known = new Set([...passages.querySelectorAll("input")].map((box) => box.value));
      const fresh = hits.map(passageOf).filter((one) => !known.has(one.chunk_id));
      passages.append(...fresh.map((one) => passageLine(one, false)));
      none.remove();
      found.textContent = fresh.length ? `${fresh.length} more to choose from.` : "Nothing else was found.";
    } catch (problem) {
      found.textContent = problem.detail || problem.message;
    }
  }

  const buttons = [
    h("button", { type: "submit", class: "button primary" }, "Keep as gold"),
    h("button", { type: "button", class: "button", onclick: () => act(() => keep(wanted("negative", []))) }, "Nothing here answers it"),
    h("button", { type: "button", class: "button quiet", onclick: () => act(reject) }, "Reject"),
  ];
  const form = h(
    "form",
    { novalidate: true },
    h("label", { class: "field" }, h("span", {}, "Question"), question),
    h("fieldset", { class: "candidate-places" }, h("legend", {}, "Answered by"), passages, !candidate.passages.length && none),
    h("div", { class: "candidate-find" }, query, h("button", { type: "button", class: "button small", onclick: search }, "Find"), found),
    h("label", { class: "field" }, h("span", {}, "Right answer, for people (may be left out)"), answer),
    error,
    h("div", { class: "candidate-acts" }, buttons),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keepAnswerable();
  });
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    search();
  });
  return h(
    "li",
    { class: `gold-candidate ${candidate.verdict}` },
    h(
      "article",
      { "aria-labelledby": name },
      h("h2", { id: name, tabindex: "-1", dir: direction(candidate.question) }, candidate.question),
      h(
        "p",
        { class: "candidate-said" },
        h("span", { class: "candidate-verdict" }, h("span", { "aria-hidden": "true" }, sign), ` ${said}`),
        h("span", { class: "muted" }, ` · ${candidate.author}, ${age(candidate.created_at)}`),
      ),
      candidate.note && h("blockquote", { dir: direction(candidate.note) }, candidate.note),
      form,
    ),
  );
}
