// What a document states of its experiment: eight fields, each statement with the place where it stands.

import { call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { cellTable } from "./cells.js";
import { openEdit, takeBack, takeOut } from "./edit.js";
import { fieldView, TITLES } from "./field.js";
import { openHistory } from "./history.js";

const { documentId } = byId("main").dataset;
const address = `/v1/documents/${documentId}/summary`;
const place = byId("summary");
const STALE = {
  superseded: "A newer version of this document is the current one.",
  changed: "The document has been read anew since.",
  rejected: "The document was rejected, and answers nothing.",
};

let mayWrite = false;

async function head() {
  const found = await call(`/v1/documents/${documentId}`);
  byId("name").textContent = found.name;
  document.title = `Experiment summary · ${found.name} · autri`;
  mayWrite = Boolean((await showCrumb(found.knowledge_base_id))?.may_write);
}

async function make(button) {
  button.disabled = true;
  const done = waiting(byId("stale"), "Reading the document …");
  try {
    await show(await post(address, {}));
    announce("The document is summarized.");
  } catch (error) {
    trouble(error, () => make(button));
  } finally {
    done();
    button.disabled = false;
  }
}

const trouble = (error, retry) => byId("stale").replaceChildren(failure(error, { compact: true, safe: "The summary is as it was.", retry }));

const guarded = (act) => (...given) => act(...given).catch((error) => trouble(error));

const makeButton = (label) => {
  const button = h("button", { type: "button", class: "button primary" }, label);
  button.addEventListener("click", () => make(button));
  return button;
};

const showVersion = guarded(async (version) => show(await call(`${address}?version=${version}`)));

const restore = guarded(async (version) => {
  await show(await post(`${address}/restore`, { version }));
  announce(`Version ${version} is restored.`);
});

/** Says that an older version is shown, with the way back. */
function olderNote(summary) {
  const act = (text, work) => h("button", { type: "button", class: "button small", onclick: work }, text);
  return h(
    "p",
    { class: "summary-older" },
    `This is version ${summary.version}; the newest is ${summary.newest}. `,
    act("Back to the newest", () => showVersion(summary.newest)),
    mayWrite && act("Restore this one", () => restore(summary.version)),
  );
}

function actions(summary) {
  const isOlder = summary && summary.version !== summary.newest;
  byId("head-actions").replaceChildren(
    ...[
      h("a", { class: "button", href: `/documents/${documentId}` }, "Open document"),
      summary && h("button", { type: "button", class: "button", onclick: guarded(() => openHistory(address, summary, showVersion, mayWrite ? restore : null)) }, "History"),
      summary && !isOlder && mayWrite && pinButton(() => ({ kind: "summary", document_id: documentId }), () => [summary.knowledge_base_id], { className: "button" }),
      summary && !isOlder && mayWrite && makeButton("Summarize again"),
    ].filter(Boolean),
  );
}

/** Statements that people took out, with the way back. */
function takenOut(edits) {
  const item = (edit) =>
    h(
      "li",
      { class: "summary-foot" },
      h("span", {}, `A statement of ${TITLES[edit.field]}, by ${edit.author}, ${age(edit.created_at)}`),
      h("button", { type: "button", class: "button small", onclick: guarded(() => takeBack(address, edit, show)), "aria-label": `Put back the statement of ${TITLES[edit.field]}` }, "Put it back"),
    );
  return h("section", { class: "summary-field", "aria-labelledby": "taken-title" }, h("h2", { id: "taken-title" }, "Taken out"), h("ul", {}, edits.map(item)));
}

async function show(summary) {
  const isNewest = summary.version === summary.newest;
  const edits = mayWrite && isNewest ? await call(`${address}/edits`) : [];
  const taken = edits.filter((edit) => edit.text === null);
  const stated = summary.fields.filter((field) => field.state === "stated").length;
  const by = summary.author ? ` by ${summary.author}` : "";
  byId("lead").textContent = `Version ${summary.version}${by}: ${stated} of ${summary.fields.length} fields are stated, ${plural(summary.cells.length, "result")} in tables.`;
  byId("stale").replaceChildren(
    ...(isNewest ? [] : [olderNote(summary)]),
    ...summary.stale.map((reason) => h("p", { class: "summary-stale" }, h("strong", {}, "It may not hold any more. "), STALE[reason])),
  );
  const change = mayWrite && isNewest
    ? { add: (field) => openEdit(address, summary, { field }, show), replace: (one) => openEdit(address, summary, one, show), remove: guarded((one) => takeOut(address, one, show)) }
    : null;
  place.replaceChildren(
    ...summary.fields.map((field) => fieldView(summary, field, change)),
    h("section", { class: "summary-field", "aria-labelledby": "cells-title" }, h("h2", { id: "cells-title" }, "Result tables"), cellTable(summary)),
    ...(taken.length ? [takenOut(taken)] : []),
  );
  actions(summary);
}

async function load() {
  try {
    await head();
    await show(await call(address));
  } catch (error) {
    const isNamed = !byId("name").querySelector(".skeleton-text");
    if (!isNamed) byId("name").textContent = "Experiment summary";
    if (error.status === 404 && isNamed) {
      byId("lead").textContent = "";
      place.replaceChildren(
        emptiness(
          "There is no summary yet",
          "Objective, setup, dataset, metrics, results, statistics, limits and confounds are looked for in the document; each statement is its own words.",
          ...(mayWrite ? [makeButton("Summarize")] : []),
        ),
      );
      actions(null);
    } else place.replaceChildren(failure(error, { retry: load, next: { href: "/", label: "All knowledge bases" } }));
  } finally {
    place.setAttribute("aria-busy", "false");
  }
}

load();
