// "This chunk answers a question…": keeps a gold question with the chunk as its answer.

import { post } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";

const SHOWN = 180;

/** Opens on the event `gold-chunk`, whose detail is the chunk. */
export function goldDialog(state) {
  const question = h("textarea", { name: "question", rows: "2", required: true, maxlength: "4000" });
  const passage = h("p", { class: "muted" });
  const said = h("p", { class: "form-error", role: "alert" });
  const kept = h("p", { role: "status" });
  const save = h("button", { type: "submit", class: "button primary" }, "Keep it");
  const form = h(
    "form",
    { novalidate: true },
    h("h2", { id: "gold-title" }, "Which question does this chunk answer?"),
    passage,
    h("label", { class: "field" }, h("span", {}, "Question"), question, h("small", {}, "Evaluation checks that search finds this chunk.")),
    kept,
    said,
    h(
      "div",
      { class: "dialog-actions" },
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"),
      save,
    ),
  );
  const dialog = h("dialog", { class: "dialog", id: "gold-dialog", "aria-labelledby": "gold-title" }, form);
  let chunk = null;
  document.body.append(dialog);
  document.addEventListener("gold-chunk", ({ detail }) => {
    chunk = detail;
    question.value = "";
    said.textContent = kept.textContent = "";
    passage.dir = direction(chunk.content);
    passage.textContent = chunk.content.length > SHOWN ? `${chunk.content.slice(0, SHOWN)}…` : chunk.content;
    dialog.showModal();
    question.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.textContent = kept.textContent = "";
    if (!question.value.trim()) {
      said.textContent = "Write the question.";
      question.focus();
      return;
    }
    save.disabled = true;
    try {
      const base = state.document.knowledge_base_id;
      await post(`/v1/knowledge-bases/${base}/gold`, { question: question.value, chunk_ids: [chunk.id] });
      kept.textContent = `Kept: “${question.value.trim()}”. Evaluation measures it; add another, or close.`;
      question.value = "";
      question.focus();
    } catch (error) {
      said.textContent = error.detail || error.title;
    } finally {
      save.disabled = false;
    }
  });
}
