// What stands here before anything was asked: what the page does, and questions to click.

import { call } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { emptiness } from "../lib/notice.js";

const EXAMPLES = 6;

/** The notice; `total` counts the chunks that could be searched. */
export const welcome = (total) =>
  total === 0
    ? emptiness(
        "There is nothing to search yet",
        "Add documents to a knowledge base first; then ask here.",
        h("a", { href: "/", class: "button" }, "Knowledge bases"),
      )
    : emptiness(
        "Ask, search, or look something up",
        "What is found is quoted as it is printed, and opens on its page at the exact place.",
      );

/** Where nobody has kept questions: what the last numbered of a document's first sections say. */
async function addressQuestions(documents) {
  const first = documents.find((item) => item.chunks);
  if (!first) return [];
  const { items } = await call(`/v1/documents/${first.id}/sections?limit=60`);
  const numbered = items.filter((item) => item.address && item.title);
  return numbered.slice(-3).map(({ address, title }) => `What does ${address} say about ${title}?`);
}

async function goldQuestions(bases) {
  const none = () => ({ items: [] });
  const gold = await Promise.all(bases.slice(0, 3).map((id) => call(`/v1/knowledge-bases/${id}/gold?limit=4`).catch(none)));
  return gold.flatMap(({ items }) => items.map((item) => item.question)).slice(0, EXAMPLES);
}

/** Questions of the knowledge bases' gold, else about their first document, as buttons for `ask(text)`; null where
 * there are none. `documents` gives what is in scope. */
export async function exampleList(bases, documents, ask) {
  const kept = await goldQuestions(bases);
  const questions = kept.length ? kept : await addressQuestions(await documents());
  const example = (text) => h("li", {}, h("button", { type: "button", class: "example", onclick: () => ask(text) }, text));
  return questions.length ? h("ul", { class: "examples plain", "aria-label": "Examples" }, questions.map(example)) : null;
}
