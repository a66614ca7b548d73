// "This chunk answers a question…": keeps a gold question with the chunk as its answer; or what a value in it is.

import { post } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";

const SHOWN = 180;

const ASKED = {
  question: ["Which question does this chunk answer?", "Question", "Evaluation checks that search finds this chunk."],
  attribute: ["What is the right value here?", "Value", "As a filter has it: power = 15 hp. Evaluation checks that it is read here."],
};

/** Opens on the event `gold-chunk`, whose detail is the chunk, and on `gold-attribute` with {chunk, claim}. */
export function goldDialog(state) {
  const question = h("textarea", { name: "question", rows: "2", required: true, maxlength: "4000" });
  const passage = h("p", { class: "muted" });
  const said = h("p", { class: "form-error", role: "alert" });
  const kept = h("p", { role: "status" });
  const save = h("button", { type: "submit", class: "button primary" }, "Keep it");
  const form = h(
    "form",
    { novalidate: true },
    h("h2", { id: "gold-title" }),
    passage,
    h("label", { class: "field" }, h("span", {}), question, h("small", {})),
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
  let kind = "question";
  document.body.append(dialog);
  const open = (wanted, about, text) => {
    [kind, chunk] = [wanted, about];
    question.value = text;
    form.querySelectorAll("h2, .field span, .field small").forEach((node, at) => node.replaceChildren(ASKED[kind][at]));
    said.textContent = kept.textContent = "";
    passage.dir = direction(chunk.content);
    passage.textContent = chunk.content.length > SHOWN ? `${chunk.content.slice(0, SHOWN)}…` : chunk.content;
    dialog.showModal();
    question.focus();
  };
  document.addEventListener("gold-chunk", ({ detail }) => open("question", detail, ""));
  document.addEventListener("gold-attribute", ({ detail }) => open("attribute", detail.chunk, detail.claim));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.textContent = kept.textContent = "";
    if (!question.value.trim()) {
      said.textContent = kind === "question" ? "Write the question." : "Write the value.";
      question.focus();
      return;
    }
    save.disabled = true;
    try {
      const base = state.document.knowledge_base_id;
      await post(`/v1/knowledge-bases/${base}/gold`, { [kind]: question.value, chunk_ids: [chunk.id] });
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
