// What was deleted, and is being: knowledge bases, with their certificates. For owners and admins.

import { all } from "../../lib/api.js";
import { byId, h } from "../../lib/dom.js";
import { plural } from "../../lib/format.js";
import { failure } from "../../lib/notice.js";
import { showCertificate } from "./deleting.js";

const POLL_MS = 3000;
let timer = 0;
// What is drawn: rows that say the same stay, with the focus in them.
let drawn = "";

function row(job) {
  const going = job.status === "running";
  const facts = going
    ? job.stalled
      ? "stopped; it goes on by itself within a day"
      : "gone from everywhere already; what it was made of goes now"
    : `${job.certificate.erased_at.slice(0, 16).replace("T", " ")} UTC, by ${job.certificate.by.name}; ${plural(job.documents, "document")}`;
  return h(
    "li",
    { class: "settings-row data-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, job.subject.name, h("span", { class: "tag" }, going ? `running ${Math.floor(job.progress * 100)} %` : "gone")),
      h("span", { class: "sub" }, h("code", {}, job.subject.slug), `, ${facts}`),
    ),
    h(
      "span",
      { class: "row-actions" },
      !going &&
        h("button", { type: "button", class: "button small", "aria-label": `Certificate of ${job.subject.name}`, onclick: () => showCertificate(job.certificate) }, "Certificate"),
    ),
  );
}

/** Draws them, again while one goes on. */
export async function showErasures() {
  clearTimeout(timer);
  const place = byId("erasures");
  if (!place) return;
  try {
    const jobs = await all("/v1/erasures");
    place.closest("section").hidden = jobs.length === 0;
    const now = JSON.stringify(jobs);
    if (now !== drawn) place.replaceChildren(h("ul", { class: "rows plain", "aria-label": "Deletions" }, jobs.map(row)));
    drawn = now;
    if (jobs.some((job) => job.status === "running")) timer = setTimeout(showErasures, POLL_MS);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: showErasures }));
    drawn = "";
  }
}
