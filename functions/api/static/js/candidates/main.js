// What people said of answers from one knowledge base: each is kept as a gold question, edited first or not, or rejected.

import { call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { emptiness, failure } from "../lib/notice.js";
import { candidateView } from "./candidate.js";

const AT_ONCE = 20;
const { slug } = byId("main").dataset;
const place = byId("candidates");
const list = h("ol", { class: "gold-candidates", "aria-label": "Candidates" });
const more = h("div", { class: "eval-more" });
let kb = null;
let cursor = null;
let kept = 0;

const base = () => `/v1/knowledge-bases/${kb.id}`;

function tell() {
  const left = list.children.length;
  const said = [
    left && `${plural(left, "candidate")}${cursor ? " and more" : ""} to decide, the oldest first.`,
    kept && `${plural(kept, "question")} kept.`,
  ].filter(Boolean);
  byId("left").textContent = said.join(" ") || "Nothing is left to decide.";
}

function nothing() {
  return emptiness(
    "No candidate is left",
    "Whoever asks can say of each answer whether it was right. What they say comes here, for editors to decide.",
    h("a", { class: "button", href: `/kb/${slug}/evaluation` }, "Evaluation"),
    h("a", { class: "button quiet", href: "/playground" }, "Ask"),
  );
}

/** Takes what was decided out of the list; the focus goes to the next one. */
function gone(item, said) {
  const next = item.nextElementSibling ?? item.previousElementSibling;
  item.remove();
  announce(said);
  tell();
  if (next) next.querySelector("h2").focus();
  else if (cursor) load().catch(trouble);
  else {
    place.replaceChildren(nothing());
    byId("left").focus?.();
  }
}

function shown(candidate) {
  const at = `${base()}/evaluation/candidates/${candidate.id}`;
  const item = candidateView(candidate, {
    find: (query) => post("/v1/search", { query, knowledge_base_ids: [kb.id], k: 8 }),
    keep: async (wanted) => {
      await post(`${at}/confirm`, wanted);
      kept += 1;
      gone(item, "Kept as a gold question.");
    },
    reject: async () => {
      await call(at, { method: "DELETE" });
      gone(item, "Rejected.");
    },
  });
  return item;
}

const trouble = (error) => more.replaceChildren(failure(error, { safe: "Nothing was decided.", retry: () => load().catch(trouble), compact: true }));

async function load() {
  const asked = new URLSearchParams({ limit: AT_ONCE, ...(cursor ? { cursor } : {}) });
  const page = await call(`${base()}/evaluation/candidates?${asked}`);
  cursor = page.next_cursor;
  list.append(...page.items.map(shown));
  more.replaceChildren(...(cursor ? [h("button", { type: "button", class: "button small", onclick: () => load().catch(trouble) }, "More candidates")] : []));
  place.replaceChildren(...(list.children.length ? [list, more] : [nothing()]));
  place.setAttribute("aria-busy", "false");
  tell();
}

openPageOf(slug, place, "Candidates", async (found) => {
  kb = found;
  if (kb.may_write) return load();
  byId("left").textContent = "Editors of this knowledge base decide what becomes a gold question.";
  place.replaceChildren(emptiness("Editors decide here", "You may look at what evaluation measured.", h("a", { class: "button", href: `/kb/${slug}/evaluation` }, "Evaluation")));
  place.setAttribute("aria-busy", "false");
});
