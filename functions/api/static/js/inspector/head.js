// The bar on top: where we are, which version, which tier; and the proof line at the bottom.

import { all, call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { attachMenu } from "../lib/menu.js";
import { age, confidence, count, dollars, duration, plural, versionName, words } from "../lib/format.js";

export async function crumbs(state) {
  state.on("document", () => {
    const { document: item } = state;
    document.title = `${item.name} · autri`;
    byId("document-name").textContent = item.name;
    byId("document-name").title = item.name;
    if (item.tier)
      byId("tier-pill").replaceChildren(
        h(
          "span",
          { class: `pill tier-${item.tier}`, title: "Confidence of the document" },
          h("i", { class: "dot", "aria-hidden": "true" }),
          item.tier,
          " ",
          h("b", {}, confidence(item.confidence)),
        ),
      );
    else byId("tier-pill").replaceChildren(h("span", { class: "pill" }, words(item.status)));
  });
}

const named = (item) => versionName(item, "version ");

/** Before its first publication a document is neither current nor older. */
const standing = (item) => (!item.published_at ? "not yet published" : item.version.is_current ? "current" : "older");

function versionItem(item, state) {
  const here = item.id === state.id;
  return h(
    "a",
    { class: "menu-item", href: `/documents/${item.id}?page=${state.page || 1}`, "aria-current": here ? "true" : null },
    named(item),
    h("span", { class: "muted" }, standing(item)),
  );
}

/** The version picker; returns a function that goes to the next (+1) or previous (-1) version. */
export async function versions(state) {
  const items = (await all(`/v1/documents/${state.id}/versions`)).sort(
    (one, two) => one.version.index - two.version.index,
  );
  const at = items.findIndex((item) => item.id === state.id);
  const label = `${named(state.document)} · ${standing(state.document)}`;
  if (items.length < 2) byId("version-menu").replaceChildren(h("span", { class: "pill" }, label));
  else
    attachMenu(
      byId("version-menu"),
      label,
      h(
        "div",
        { class: "versions" },
        [...items].reverse().map((item) => versionItem(item, state)),
      ),
    );
  return (by) => {
    if (items[at + by]) location.assign(`/documents/${items[at + by].id}?page=${state.page}`);
  };
}

/** Whether the stored source is known not to be the file that was uploaded: then no count says anything. */
const sourceChanged = (report) => report.failures.some((failure) => failure.check === "source");

function proofParts(report, item) {
  if (sourceChanged(report))
    return [
      h(
        "span",
        { class: "bad" },
        h("b", {}, "✗ source changed"),
        h("span", { class: "muted" }, " · the stored file is not the one that was uploaded: nothing is proved"),
      ),
      report.checked_at && h("span", { class: "muted roomy" }, `checked ${age(report.checked_at)}`),
    ].filter(Boolean);
  // What was recognised in a picture has no text of the source to be equal to: it is counted apart.
  const own = report.chunks - report.ocr;
  const share = own ? (report.verbatim / own) * 100 : 100;
  const shown = share === 100 ? "100" : (Math.floor(share * 10) / 10).toFixed(1);
  const part = (bad, name, rest) =>
    h(
      "span",
      { class: bad ? "bad" : report.ok ? "ok" : "" },
      h("b", {}, `${bad ? "✗ " : report.ok ? "✓ " : ""}${name}`),
      h("span", { class: "muted" }, rest),
    );
  const unclaimed = report.unclaimed_fragments;
  return [
    (own > 0 || report.ocr === 0) &&
      part(report.failed > 0, `${shown} % verbatim`, ` · ${count(report.verbatim)} of ${plural(own, "chunk")}`),
    part(unclaimed > 0, count(unclaimed), ` unclaimed ${unclaimed === 1 ? "fragment" : "fragments"}`),
    report.state === "outdated" && h("span", {}, h("b", {}, "! read by an older version of its reader")),
    report.state === "failed" && h("span", { class: "bad" }, h("b", {}, `✗ ${plural(report.failures.length, "finding")}`)),
    report.ocr > 0 && part(report.failed > 0, plural(report.ocr, "chunk"), " as OCR recognised them"),
    report.checked_at && h("span", { class: "muted roomy" }, `checked ${age(report.checked_at)}`),
    skippedPart(item),
  ].filter(Boolean);
}

function skippedPart(item) {
  const parts = Object.entries(item.skipped).map(([reason, number]) => `${words(reason)} ${count(number)}`);
  return parts.length > 0 && h("span", { class: "muted roomy" }, `skipped: ${parts.join(" · ")}`);
}

const paid = (item) =>
  h(
    "span",
    { class: "muted proof-right" },
    [
      item.extractor_version ?? item.engine,
      dollars(item.cost_usd),
      item.seconds === null ? null : duration(item.seconds),
    ]
      .filter(Boolean)
      .join(" · "),
  );

const AT_ONCE_PAGES = 200;

/** The server keeps the report of a revision; this session remembers for which there is one, so that it is asked for. */
function kept({ id, ingestion_id: run, revision }) {
  const key = `autri-proof:${id}:${run}:${revision}`;
  return { known: () => sessionStorage.getItem(key) !== null, note: () => sessionStorage.setItem(key, "kept") };
}

/** The proof line; `ask(again)` gives the report, which is made on first call, and once more with `again`; after a
 * change of the document it is to `forget` what it has. */
export function proofLine(state) {
  let report = null;
  const verify = async (again) => {
    const found = await call(`/v1/documents/${state.id}/verify${again ? "?refresh=true" : ""}`);
    kept(state.document).note();
    return found;
  };
  const ask = (again = false) => {
    if (again || !report) {
      report = verify(again);
      report.catch(() => {
        report = null;
      });
    }
    return report;
  };
  const write = (...parts) => byId("proof").replaceChildren(...parts.filter(Boolean), paid(state.document));
  const check = async () => {
    write(
      h("span", { class: "muted" }, `Checking ${plural(state.document.pages, "page")} against the source…`),
      skippedPart(state.document),
    );
    try {
      write(...proofParts(await ask(), state.document));
    } catch (error) {
      write(h("span", { class: "bad" }, `Not checked: ${error.detail || error.message}`), skippedPart(state.document));
    }
  };
  const show = async () => {
    const { document: item } = state;
    if (item.status === "failed" || item.status === "refused")
      write(h("span", { class: "bad" }, item.error ?? "This document could not be read."));
    else if ((item.pages > AT_ONCE_PAGES || state.keepsRows()) && !kept(item).known())
      write(
        h(
          "button",
          { type: "button", class: "button small", onclick: check },
          `Check ${plural(item.pages, "page")} against the source`,
        ),
        skippedPart(item),
      );
    else await check();
  };
  const forget = () => {
    report = null;
  };
  return { ask, show, forget };
}
