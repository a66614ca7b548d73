// Imports: an archive is chosen and sent; what became of each is listed, from wherever it was asked for.

import { csrfHeaders, call, post } from "../../lib/api.js";
import { onOneMachine, organization } from "../../lib/account.js";
import { announce, byId, h } from "../../lib/dom.js";
import { field, openForm } from "../../lib/form.js";
import { age, bytes, plural } from "../../lib/format.js";
import { sha256 } from "../../lib/sha256.js";
import { transfer, transferPart } from "../../lib/transfer.js";
import { jobRow, progressOf } from "./jobs.js";

const POLL_MS = 3000;
const LABELS = { waiting: "waiting for its archive", running: "running", ready: "imported", failed: "failed" };
const isOpen = ({ status }) => status === "running" || status === "waiting";
// One machine keeps no list: those of this page.
let own = [];
let changed = () => {};
let timer = 0;
// What is drawn: rows that say the same stay, with the focus in them.
let drawn = "";

function row(job) {
  const bases = job.knowledge_bases ?? [];
  const asked = `asked for ${age(job.requested_at)}`;
  const facts = {
    waiting: [`${asked}; it has not arrived yet, or was never sent`],
    running: [`${asked}; it goes on without this page`],
    ready: [asked, ...bases.map(came)],
    failed: [asked],
  }[job.status];
  return jobRow({
    name: bases.length === 1 ? bases[0].name : bases.length ? plural(bases.length, "knowledge base") : `An archive of ${bytes(job.bytes)}`,
    label: `${LABELS[job.status]}${job.status === "running" ? progressOf(job) : ""}`,
    tone: job.status === "failed" ? "flag" : "",
    facts,
    said: job.status === "failed" && h("span", { class: "row-error" }, job.error),
  });
}

/** What an import brought of one knowledge base. */
function came(base) {
  const vectors = base.to_embed ? "; its vectors are being made, and until then the search by meaning does not find all of it" : "";
  return [h("a", { href: `/kb/${encodeURIComponent(base.slug)}` }, base.name), `: ${plural(base.documents, "document")}, ${plural(base.chunks, "chunk")}, ${plural(base.objects, "file")}${vectors}`];
}

async function draw() {
  clearTimeout(timer);
  const place = byId("imports");
  try {
    const jobs = onOneMachine ? own : (await call("/v1/imports/jobs")).items;
    const now = JSON.stringify(jobs);
    if (now !== drawn) place.replaceChildren(...(jobs.length ? [h("ul", { class: "rows plain", "aria-label": "Imports" }, jobs.map(row))] : []));
    if (drawn && now !== drawn) changed();
    drawn = now;
    if (jobs.some(isOpen)) timer = setTimeout(draw, POLL_MS);
  } catch (error) {
    place.replaceChildren(h("p", { class: "form-error", role: "alert" }, error.detail || error.message));
    drawn = "";
  }
}

/** To the bucket, whose event starts the import. */
async function sendToBucket(file, name, say) {
  const hash = await sha256(file, (read) => say(`Reading ${bytes(read)} of ${bytes(file.size)}`));
  const job = await post("/v1/imports/jobs", { size: file.size, sha256: hash, name });
  const told = (sent, total) => say(`Sending ${bytes(sent)} of ${bytes(total)}`);
  if (job.upload.parts) await sendParts(file, job, told);
  else await transfer(file, job.upload, told);
}

/** What is larger than one request; each address is asked for when its part is sent. */
async function sendParts(file, job, told) {
  const { parts, part_bytes: size } = job.upload;
  const tags = [];
  while (tags.length < parts) {
    const { urls } = await post(`/v1/imports/jobs/${job.id}/parts`, { numbers: [tags.length + 1] });
    const begin = tags.length * size;
    const place = { method: "PUT", url: urls[0], headers: {} };
    tags.push(await transferPart(file.slice(begin, begin + size), place, (sent) => told(begin + sent, file.size)));
  }
  await post(`/v1/imports/jobs/${job.id}/sent`, { tags });
}

/** To the one machine, which answers when it has read all of it. */
async function sendHere(file, name, say) {
  const headers = { accept: "application/json", ...csrfHeaders(), ...(organization ? { "x-autri-organization": organization } : {}) };
  const url = `/v1/imports${name ? `?name=${encodeURIComponent(name)}` : ""}`;
  const place = { method: "POST", url, headers };
  const told = (sent, total) => say(sent < total ? `Sending ${bytes(sent)} of ${bytes(total)}` : "Reading the archive");
  const done = JSON.parse(await transfer(file, place, told));
  own = [{ ...done, status: "ready", bytes: file.size, requested_at: new Date().toISOString() }, ...own];
}

async function choose() {
  const file = h("input", { type: "file", accept: ".zip", required: true, "data-wrong": "Choose an archive first." });
  const name = h("input", { type: "text", maxlength: "120", autocomplete: "off" });
  const said = h("p", { class: "muted", role: "status" });
  const sent = await openForm({
    title: "Import an archive",
    fields: [
      field("Archive", file, "A file that Autri has exported: NAME.autri.zip."),
      field("Call it (optional)", name, "Of an archive with one knowledge base. Left empty, it keeps its name."),
      said,
    ],
    done: "Import",
    save: async () => {
      try {
        await (onOneMachine ? sendHere : sendToBucket)(file.files[0], name.value.trim() || null, (text) => (said.textContent = `${text}. Keep this page open.`));
      } catch (error) {
        said.textContent = "";
        throw error;
      }
    },
  });
  if (!sent) return;
  announce(onOneMachine ? "The archive is imported" : "The archive is sent");
  await draw();
  if (onOneMachine) changed();
}

/** Lists imports and offers one; `onChange` is called when one of them has another state. */
export function showImports(onChange) {
  changed = onChange;
  byId("import").addEventListener("click", choose);
  return draw();
}
