// A conversation or a notebook that somebody shares, for whoever has its link: nothing can be asked, opened or changed here.

import { ApiError, call } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { byId, h } from "../lib/dom.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { nodesOf } from "../lib/markup.js";
import { answerView } from "../playground/answer.js";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "long" });
const place = byId("shared");
const { token } = byId("main").dataset;

/** Citations lead to the passages below the answer: the documents themselves are not shared. */
function signsOf(at) {
  const id = (number) => `source-${at}-${number}`;
  return {
    pill: (cited, number) => h("a", { class: "citation", href: `#${id(number)}`, "aria-label": `Citation ${number}: ${cited.document}` }, number),
    source: (cited, number) => sourceLine(cited, number, id(number)),
  };
}

function sourceLine({ document: name, version, section, page, text, kept_row: row }, number, id) {
  const spot = row?.range ? `${row.sheet}, ${row.range}` : page && `p. ${page}`;
  const where = [section, spot, version].filter(Boolean).join(" · ");
  return h(
    "li",
    { id, tabindex: "-1" },
    h("span", { class: "source-place" }, h("b", { class: "citation" }, number), h("bdi", {}, name), where && " · ", h("bdi", {}, where)),
    h("blockquote", { dir: direction(text) }, text),
  );
}

/** A citation as answers elsewhere have it, with what is known of it here. */
const asHit = (cited) => ({ ...cited, chunk: { id: cited.chunk_id }, corrected_by: [] });

function answered(answer, at) {
  if (answer.insufficient_evidence) return h("p", { class: "muted", dir: "auto" }, answer.answer);
  return answerView({ ...answer, citations: answer.citations.map(asHit) }, signsOf(at));
}

function messageView({ question, asked_as: asked, answers }, at) {
  const name = `question-${at}`;
  return h(
    "article",
    { class: "turn", "aria-labelledby": name },
    h("h2", { class: "turn-question", id: name, dir: direction(question) }, question),
    asked && h("p", { class: "asked-as" }, "Asked as: ", h("q", { dir: direction(asked) }, asked)),
    answers.map((answer, number) => answered(answer, `${at}-${number}`)),
  );
}

/** A notebook: its cells, and below them the passages that they cite. */
function notebookView({ cells, sources }) {
  const cell = ({ kind, html }) => h("article", { class: `notebook-cell ${kind}` }, h("div", { class: "notebook-body" }, nodesOf(html, 2)));
  const listed = sources.map((source) => sourceLine(source, source.number, `source-${source.number}`));
  return [
    h("div", { class: "notebook-cells" }, cells.map(cell)),
    listed.length > 0 && h("section", { "aria-labelledby": "sources-title" }, h("h2", { id: "sources-title" }, "Sources"), h("ol", { class: "sources plain" }, listed)),
  ].filter(Boolean);
}

/** The same as a file. */
function bundles() {
  const address = (form) => `/v1/shared/${encodeURIComponent(token)}/bundle?form=${form}`;
  const link = ([form, name]) => h("a", { class: "button small", href: address(form), download: "" }, name);
  return h("p", { class: "shared-files" }, [["html", "HTML"], ["pdf", "PDF"], ["crate", "JSON"]].map(link));
}

async function show() {
  const done = waiting(place, "Opening what is shared…");
  try {
    const shared = await call(`/v1/shared/${encodeURIComponent(token)}`);
    document.title = `${shared.title} · autri`;
    // Its first question stands below anyhow.
    if (shared.title !== shared.messages?.[0]?.question) byId("shared-title").textContent = shared.title;
    byId("shared-until").textContent = `As it was on ${DATE.format(new Date(shared.shared_at))}, to be read until ${DATE.format(new Date(shared.expires_at))}. Every statement stands on the passages below it.`;
    if (shared.cells) place.replaceChildren(bundles(), ...notebookView(shared));
    else place.replaceChildren(...shared.messages.map(messageView));
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
    return emptiness("Nothing is behind this link", "It has ended or was taken back, or its address is not whole. Ask whoever sent it for another.");
  }
  return failure(error, { safe: "", retry: show });
}

show();
