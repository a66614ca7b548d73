// A conversation that somebody shares, for whoever has its link: nothing can be asked, opened or changed here.

import { ApiError, call } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { byId, h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { answerView } from "../playground/answer.js";
import { placeOf } from "../playground/places.js";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "long" });
const place = byId("shared");
const { token } = byId("main").dataset;

/** Citations lead to the passages below the answer: the documents themselves are not shared. */
function signsOf(at) {
  const id = (number) => `source-${at}-${number}`;
  return {
    pill: (hit, number) => h("a", { class: "citation", href: `#${id(number)}`, "aria-label": `Citation ${number}: ${placeOf(hit).name}` }, number),
    source: (hit, number) => sourceLine(hit, number, id(number)),
  };
}

function sourceLine(hit, number, id) {
  const where = placeOf(hit);
  const name = [hit.chunk.section_id, where.box && `p. ${where.page}`, where.version].filter(Boolean).join(" · ");
  return h(
    "li",
    { id, tabindex: "-1" },
    h("span", { class: "citation" }, number),
    h("span", {}, h("bdi", {}, where.name), name && ` · ${name}`),
    hit.chunk.content && h("details", {}, h("summary", {}, `The ${words(hit.chunk.chunk_type)}, word for word`), h("p", { dir: direction(hit.chunk.content) }, hit.chunk.content)),
  );
}

function messageView({ question, asked_as: asked, answers }, at) {
  const name = `question-${at}`;
  const given = answers.map((one) => (one.answer.insufficient_evidence ? [h("p", { class: "muted" }, "Found nothing that answers.")] : answerView(one.answer, signsOf(at))));
  return h(
    "article",
    { class: "turn", "aria-labelledby": name },
    h("h2", { class: "turn-question", id: name, dir: direction(question) }, question),
    asked && h("p", { class: "asked-as" }, "Asked as: ", h("q", { dir: direction(asked) }, asked)),
    given.at(-1) ?? h("p", { class: "muted" }, "No answer was given to this."),
  );
}

async function show() {
  const done = waiting(place, "Opening the conversation…");
  try {
    const shared = await call(`/v1/shared/${encodeURIComponent(token)}`);
    document.title = `${shared.title} · autri`;
    byId("shared-title").textContent = shared.title;
    byId("shared-until").textContent = `Shared to be read until ${DATE.format(new Date(shared.expires_at))}. Every statement is quoted from, or checked against, the passages below it.`;
    place.replaceChildren(...shared.messages.map(messageView));
  } catch (error) {
    place.replaceChildren(said(error));
  } finally {
    done();
    place.setAttribute("aria-busy", "false");
  }
}

function said(error) {
  if (error instanceof ApiError && [400, 404, 410].includes(error.status)) {
    byId("shared-title").textContent = "This link shows nothing";
    return emptiness("There is no conversation behind this link", "It has ended or was taken back, or its address is not whole. Ask whoever sent it for another.");
  }
  return failure(error, { safe: "", retry: show });
}

show();
