// A deletion that cannot be taken back: its name is typed first, and its certificate is shown and can be kept.

import { h } from "../../lib/dom.js";
import { field, openForm } from "../../lib/form.js";
import { bytes, count, plural } from "../../lib/format.js";

/** Asks for `slug`, does `work`, and shows the certificate that it answers. Resolves to whether it was done. */
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

/** The certificate, or of a deletion that goes on after the answer, that it does. */
function showOutcome(answer) {
  const certificate = answer?.certificate ?? (answer?.format ? answer : null);
  if (certificate) return showCertificate(certificate);
  const done = typeof answer?.progress === "number" ? ` ${Math.floor(answer.progress * 100)} % is done.` : "";
  return openForm({
    title: "It is being deleted",
    fields: [h("p", {}, `That goes on without this page.${done} Once it is gone it is not listed here any more.`)],
    done: "Close",
  });
}

function showCertificate(certificate) {
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
      h("p", { class: "muted" }, "Keep it: this page shows it this once."),
    ],
    done: "Close",
  }).finally(() => URL.revokeObjectURL(file));
}
