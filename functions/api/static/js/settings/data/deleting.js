// A deletion that cannot be taken back: its name is typed first, and its certificate is shown and can be kept.

import { call } from "../../lib/api.js";
import { h } from "../../lib/dom.js";
import { field, openForm } from "../../lib/form.js";
import { bytes, count, plural } from "../../lib/format.js";

/** Asks for `slug`, does `work`, follows the deletion that it answers, and shows the certificate. Resolves to whether it
 * was asked for. */
export async function deleteTyped({ title, what, slug, work }) {
  const typed = h("input", { type: "text", name: "slug", required: true, autocomplete: "off", spellcheck: "false", "data-wrong": `Type ${slug} to say that you mean it.` });
  let answer = null;
  const saved = await openForm({
    title,
    fields: [h("p", {}, what), field(`Type ${slug} to confirm`, typed, "Its short name.")],
    done: "Delete for good",
    cancel: "Keep it",
    danger: true,
    save: async () => {
      if (typed.value.trim() !== slug) {
        typed.focus();
        throw new Error(`That is not ${slug}. Nothing was deleted.`);
      }
      answer = await work();
    },
  });
  if (saved) await showOutcome(answer);
  return saved;
}

const FIRST_MS = 200;
const POLL_MS = 2000;
// What is deleted so soon has no progress to look at.
const SOON_MS = 1500;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const percent = (progress) => `${Math.floor(progress * 100)} % is done.`;

/** The deletion `asked` for, as it becomes: whenever it changes `told(job)` hears of it, until it has its certificate or
 * `going()` says no. The ticket stands for whoever asked, who may be nobody's member by now. */
async function follow(asked, told, going) {
  let [job, wait] = [asked, FIRST_MS];
  while (!job.certificate && going()) {
    await pause(wait);
    wait = Math.min(2 * wait, POLL_MS);
    job = await call(`/v1/erasures/${asked.id}`, { headers: { "x-autri-ticket": asked.ticket } });
    told(job);
  }
  return job;
}

/** The same for the first moments; a failure is left to those who look on. */
async function soon(asked) {
  const begun = Date.now();
  try {
    return await follow(asked, () => {}, () => Date.now() - begun < SOON_MS);
  } catch {
    return asked;
  }
}

/** How far it is, and in the end the certificate; it goes on when nobody looks. */
async function showOutcome(asked) {
  let job = await soon(asked);
  if (!job.certificate) job = await showProgress({ ...job, ticket: asked.ticket });
  if (job?.certificate) await showCertificate(job.certificate);
}

async function showProgress(asked) {
  const bar = h("progress", { max: 1, value: asked.progress, "aria-label": "How much is deleted" });
  const said = h("p", { class: "deleting-said", role: "status" }, percent(asked.progress));
  let open = true;
  const closed = openForm({
    title: "It is being deleted",
    fields: [
      h("p", {}, `${asked.subject.name} is gone from everywhere already. What it was made of goes now, and that goes on without this page.`),
      bar,
      said,
    ],
    done: "Close",
  }).then(() => {
    open = false;
  });
  const told = (job) => {
    bar.value = job.progress;
    said.textContent = job.stalled ? `${percent(job.progress)} It has stopped, and goes on by itself within a day.` : percent(job.progress);
  };
  try {
    const job = await follow(asked, told, () => open);
    bar.closest("dialog")?.close();
    return job;
  } catch (error) {
    said.textContent = `How far it is cannot be asked: ${error.detail || error.message}`;
    await closed;
    return null;
  }
}

export function showCertificate(certificate) {
  const { before, after, subject } = certificate;
  const rows = Object.values(before.rows).reduce((sum, one) => sum + one, 0);
  const left = Object.values(after.rows).reduce((sum, one) => sum + one, 0);
  const lines = [
    ["Deleted", `${certificate.kind} ${subject.name} (${subject.slug})`],
    ["By", certificate.by.name],
    ["At", `${certificate.erased_at.slice(0, 19).replace("T", " ")} UTC`],
    ["Was there", `${plural(rows, "row")}, ${plural(before.objects, "file")}, ${bytes(before.bytes)}`],
    ["Is left", `${plural(left, "row")}, ${plural(after.objects, "file")}`],
    ["Not reached", h("ul", { class: "plain" }, certificate.not_covered.map((line) => h("li", {}, line)))],
    ["SHA-256", h("code", {}, certificate.sha256)],
  ];
  const tables = Object.entries(before.rows).filter(([, number]) => number);
  const file = URL.createObjectURL(new Blob([JSON.stringify(certificate, null, 2)], { type: "application/json" }));
  return openForm({
    title: "Certificate of deletion",
    fields: [
      h("dl", { class: "facts-list certificate" }, lines.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      tables.length > 0 &&
        h(
          "details",
          {},
          h("summary", {}, "Rows by table"),
          h("dl", { class: "facts-list" }, tables.map(([name, number]) => [h("dt", {}, name), h("dd", {}, count(number))])),
        ),
      h("p", {}, h("a", { class: "button", href: file, download: `deleted-${subject.slug}.json` }, "Download the certificate")),
      h("p", { class: "muted" }, "Keep it: nobody but the operator has another one of an organization; admins find those of knowledge bases on this page."),
    ],
    done: "Close",
  }).finally(() => URL.revokeObjectURL(file));
}
