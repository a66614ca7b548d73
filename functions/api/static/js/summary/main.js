// What a document states of its experiment: eight fields, each statement with the place where it stands.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { may } from "../lib/account.js";
import { plural } from "../lib/format.js";
import { emptiness, failure } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { cellTable } from "./cells.js";
import { openEdit, takeOut } from "./edit.js";
import { fieldView } from "./field.js";

const { documentId } = byId("main").dataset;
const address = `/v1/documents/${documentId}/summary`;
const place = byId("summary");
const STALE = {
  superseded: "A newer version of this document is the current one.",
  changed: "The document has been read anew since.",
  rejected: "The document was rejected, and answers nothing.",
};

async function head() {
  const found = await call(`/v1/documents/${documentId}`);
  byId("name").textContent = found.name;
  document.title = `Experiment summary · ${found.name} · autri`;
  const kb = (await all("/v1/knowledge-bases")).find((one) => one.id === found.knowledge_base_id);
  if (!kb) return;
  byId("kb-crumb").textContent = kb.name;
  byId("kb-crumb").href = `/kb/${encodeURIComponent(kb.slug)}`;
  byId("all-link").href = `/kb/${encodeURIComponent(kb.slug)}/summaries`;
}

async function make(button) {
  button.disabled = true;
  try {
    show(await post(address, {}));
    announce("The document is summarized.");
  } catch (error) {
    byId("stale").replaceChildren(failure(error, { retry: () => make(button) }));
  } finally {
    button.disabled = false;
  }
}

const makeButton = (label) => {
  const button = h("button", { type: "button", class: "button primary" }, label);
  button.addEventListener("click", () => make(button));
  return button;
};

function actions(summary) {
  byId("head-actions").replaceChildren(
    ...[
      h("a", { class: "button", href: `/documents/${documentId}` }, "Open document"),
      summary && may("editor") && pinButton(() => ({ kind: "summary", document_id: documentId }), () => [summary.knowledge_base_id], { className: "button" }),
      summary && may("editor") && makeButton("Summarize again"),
    ].filter(Boolean),
  );
}

function show(summary) {
  const stated = summary.fields.filter((field) => field.state === "stated").length;
  const by = summary.author ? ` by ${summary.author}` : "";
  byId("lead").textContent = `Version ${summary.version}${by}: ${stated} of ${summary.fields.length} fields are stated, ${plural(summary.cells.length, "result")} in tables.`;
  byId("stale").replaceChildren(
    ...summary.stale.map((reason) => h("p", { class: "summary-stale" }, h("strong", {}, "It may not hold any more. "), STALE[reason])),
  );
  const change = may("editor")
    ? { add: (field) => openEdit(address, summary, { field }, show), replace: (one) => openEdit(address, summary, one, show), remove: (one) => takeOut(address, one, show) }
    : null;
  place.replaceChildren(
    ...summary.fields.map((field) => fieldView(summary, field, change)),
    h("section", { class: "summary-field", "aria-labelledby": "cells-title" }, h("h2", { id: "cells-title" }, "Result tables"), cellTable(summary)),
  );
  actions(summary);
}

async function load() {
  try {
    await head();
    show(await call(address));
  } catch (error) {
    actions(null);
    if (error.status === 404 && byId("name").textContent !== "Loading…") {
      byId("lead").textContent = "";
      place.replaceChildren(
        emptiness(
          "There is no summary yet",
          "Objective, setup, dataset, metrics, results, statistics, limits and confounds are looked for in the document; each statement is its own words.",
          ...(may("editor") ? [makeButton("Summarize")] : []),
        ),
      );
    } else place.replaceChildren(failure(error, { retry: load }));
  } finally {
    place.setAttribute("aria-busy", "false");
  }
}

load();
