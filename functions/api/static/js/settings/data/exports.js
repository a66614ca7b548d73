// Exports: one machine sends them as they are; elsewhere they are asked for, and fetched once they are ready.

import { onOneMachine, organization } from "../../lib/account.js";
import { call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { age, bytes } from "../../lib/format.js";
import { jobRow, progressOf } from "./jobs.js";

const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;
const POLL_MS = 3000;
// The server lists no exports: this browser knows those that were asked for in it.
const STORED = `autri-exports-${organization}`;
let names = new Map();
let timer = 0;
// What is drawn: rows that say the same stay, with the focus in them.
let drawn = "";

function known() {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

const remember = (ids) => localStorage.setItem(STORED, JSON.stringify(ids));

/** Exports `base`, or everything where there is none. */
export function exportButton(base) {
  const label = base ? `Export ${base.name}` : "Export the organization";
  const text = base ? "Export" : "Export everything";
  if (onOneMachine) {
    const href = base ? `/v1/knowledge-bases/${base.id}/export` : "/v1/organization/export";
    return h("a", { class: "button small", href, download: "", "aria-label": label }, text);
  }
  const button = h("button", { type: "button", class: "button small", "aria-label": label }, text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const job = await post("/v1/exports", { knowledge_base_id: base?.id ?? null });
      remember([job.id, ...known()]);
      announce(`${label}: begun`);
      await draw();
      byId("exports").scrollIntoView({ block: "nearest" });
    } catch (error) {
      byId("exports").prepend(h("p", { class: "form-error", role: "alert" }, error.detail || error.message));
    } finally {
      button.disabled = false;
    }
  });
  return button;
}

/** `status`, or `state` of a job that has one. */
const stateOf = (job) => (job.url || job.status === "ready" ? "ready" : ["failed", "refused"].includes(job.status ?? job.state) ? "failed" : "running");

/** The address is good for five minutes: it is asked for when somebody wants it. */
async function fetchArchive(job, said) {
  said.textContent = "";
  try {
    const { url } = await call(`/v1/exports/${job.id}`);
    if (!url) throw new Error("The archive cannot be fetched at the moment. Try again in a minute.");
    location.assign(url);
  } catch (error) {
    said.textContent = error.detail || error.message;
  }
}

function row(job) {
  const state = stateOf(job);
  const name = job.knowledge_base_id ? (names.get(job.knowledge_base_id) ?? "a deleted knowledge base") : "The whole organization";
  const said = h("span", { class: "row-error", role: "alert" }, state === "failed" && (job.error || "The export failed. Ask for it again."));
  const until = new Date(Date.parse(job.requested_at) + KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  const facts = {
    running: `asked for ${age(job.requested_at)}; it goes on without this page`,
    ready: `${job.bytes ? `${bytes(job.bytes)}, ` : ""}kept until ${until}`,
    failed: `asked for ${age(job.requested_at)}`,
  }[state];
  return jobRow({
    name,
    label: `${state}${state === "running" ? progressOf(job) : ""}`,
    tone: state === "failed" ? "flag" : "",
    facts: [facts, job.members_sha256 && ["SHA-256 of its list ", h("code", {}, job.members_sha256)]],
    said,
    actions:
      state === "ready" &&
      h("button", { type: "button", class: "button small primary", "aria-label": `Download ${name}`, onclick: () => fetchArchive(job, said) }, "Download"),
  });
}

/** Null for one that is gone: it was asked for more than a week ago, or in an organization that was deleted. */
async function find(id) {
  try {
    return await call(`/v1/exports/${id}`);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

async function draw() {
  clearTimeout(timer);
  const place = byId("exports");
  try {
    const jobs = (await Promise.all(known().map(find))).filter(Boolean);
    remember(jobs.map(({ id }) => id));
    const now = JSON.stringify(jobs.map((job) => ({ ...job, url: Boolean(job.url) })));
    if (now !== drawn) place.replaceChildren(...(jobs.length ? [h("ul", { class: "rows plain", "aria-label": "Exports" }, jobs.map(row))] : []));
    drawn = now;
    if (jobs.some((job) => stateOf(job) === "running")) timer = setTimeout(draw, POLL_MS);
  } catch (error) {
    place.prepend(h("p", { class: "form-error", role: "alert" }, error.detail || error.message));
  }
}

/** Those that this browser has asked for; `bases` give them their names. */
export function showExports(bases) {
  names = new Map(bases.map((base) => [base.id, base.name]));
  return draw();
}
