// The pane's other tabs: operations, page text, verify, cost.

import { call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { age, confidence, count, dollars, duration, plural, words } from "../lib/format.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { fragmentId, fragmentsOf, markWhile, textOf } from "./boxes.js";

const references = (op) =>
  [
    op.fragment_ids,
    op.title_fragment_ids,
    op.caption_fragment_ids,
    op.label_fragment_ids,
    ...(op.rows ?? []).flat().map((cell) => cell.fragment_ids),
  ]
    .flat()
    .filter(Boolean);

async function pageWith(state) {
  return call(`/v1/documents/${state.id}/pages/${state.page}?include=fragments,operations`);
}

/** Fills a panel with what `build()` makes of the page; a page turned meanwhile wins. */
async function fill(place, state, text, build) {
  const { page } = state;
  // What is there of the same page stays until there is more of it, and the reader's place in it.
  const again = place.dataset.page === String(page);
  const done = again ? () => {} : waiting(place, text);
  const top = again ? place.scrollTop : 0;
  try {
    const nodes = await build();
    if (state.page !== page) return;
    place.replaceChildren(...nodes);
    place.dataset.page = page;
    place.scrollTop = top;
  } catch (error) {
    place.replaceChildren(failure(error, { retry: () => fill(place, state, text, build), compact: true }));
  } finally {
    done();
  }
}

function operation(op, fragments, overlay) {
  const ids = references(op);
  const rects = ids.map((id) => fragments.get(fragmentId(id))?.box).filter(Boolean);
  if (op.op === "register_figure") rects.push(op.box);
  const facts = [
    op.chunk_type ?? op.reason ?? op.figure_type,
    op.address ?? op.section,
    op.depth && `depth ${op.depth}`,
    op.rows && plural(op.rows.length, "row"),
    op.header_rows && plural(op.header_rows, "header row"),
    op.continues_previous_page && "continues the page before",
  ].filter(Boolean);
  return markWhile(
    h(
      "li",
      { class: "op", tabindex: "0", data: { op: op.op } },
      h(
        "div",
        { class: "op-head" },
        h("code", {}, op.op),
        facts.map((fact) => h("span", { class: "tag" }, words(fact))),
        op.confidence !== undefined && h("span", { class: "op-confidence" }, confidence(op.confidence)),
      ),
      h("p", { class: "op-text" }, ids.map((id) => textOf(id, fragments)).join(" ") || "no text"),
      h(
        "p",
        { class: "op-ids" },
        ids.length > 8 ? `${ids.slice(0, 8).join(" ")} … ${count(ids.length)} in all` : ids.join(" "),
      ),
    ),
    overlay,
    rects,
  );
}

export function operationsPanel(state, overlay) {
  const place = byId("panel-operations");
  return () =>
    fill(place, state, "Reading the operations of this page…", async () => {
      const view = await pageWith(state);
      const fragments = fragmentsOf(view);
      if (!view.operations?.length) return [emptiness("No operations", "Nothing was emitted for this page.")];
      return [
        h(
          "p",
          { class: "panel-note" },
          `What the engine ${view.engine ? `“${view.engine}” ` : ""}said about this page: only ids, never text. Code composed text and boxes from them.`,
          view.engine_note && h("small", {}, ` ${view.engine_note}`),
        ),
        h(
          "ol",
          { class: "ops plain" },
          view.operations.map((op) => operation(op, fragments, overlay)),
        ),
      ];
    });
}

function fragmentLine(item, overlay) {
  const style = [
    item.font,
    `${item.size} pt`,
    item.bold && "bold",
    item.italic && "italic",
    item.superscript && "superscript",
  ]
    .filter(Boolean)
    .join(", ");
  return markWhile(
    h(
      "li",
      { class: "fragment", tabindex: "0", title: style },
      h("span", { class: "fragment-id" }, item.id.replace(/^p\d+\./, "")),
      h("span", { class: `fragment-text${item.bold ? " bold" : ""}${item.mono ? " mono" : ""}` }, item.text),
    ),
    overlay,
    [item.box],
  );
}

export function textPanel(state, overlay) {
  const place = byId("panel-text");
  return () =>
    fill(place, state, "Reading the text of this page…", async () => {
      const { fragments } = await pageWith(state);
      if (!fragments?.length) return [emptiness("No text layer", "This page holds no text of its own.")];
      return [
        h(
          "p",
          { class: "panel-note" },
          `${plural(fragments.length, "fragment")} in reading order, as the source has them. Point at one to see it on the page.`,
        ),
        h(
          "ol",
          { class: "fragments plain" },
          fragments.map((item) => fragmentLine(item, overlay)),
        ),
      ];
    });
}

const CHECKS = [
  ["verbatim", "verbatim", "text equals the source, character by character"],
  ["boxes_exact", "boxes exact", "each box is the union of its fragments"],
  ["ocr", "from OCR", "read from an image, never called verbatim"],
  ["failed", "failed", "text that the source does not have"],
  ["unclaimed_fragments", "unclaimed", "fragments that no chunk and no skip accounts for"],
  ["second_reader", "second reader", "found again by another PDF library"],
];

// What is wrong where a check fails; the same sentences as in shared/domain/verify.py (a test compares).
const MEANINGS = {
  fragment: "A line of the stored page is not in the source as it is stored.",
  verbatim: "The text is not what its lines say.",
  box: "A box is not the smallest around its lines.",
  second_reader: "Another PDF library reads other characters there.",
  unread_text: "The source has text that no line of the stored page has.",
  unclaimed: "Lines that no stored chunk holds and that were not left out with a reason.",
  claimed_twice: "Lines that more than one stored chunk holds.",
  operations: "What is stored is not what the operations of the page say.",
  table: "A table and the chunks of its rows do not agree.",
  section: "A section is not what its heading says.",
  figure: "A figure is not where the page has a picture, or its caption is not printed.",
  attribute: "A value does not stand in the lines that it names.",
  ocr: "Text is said to be recognised in a picture where the source has text or no picture.",
  page: "The stored page is not the source's page.",
  unread_page: "The page could not be read, so its text is missing.",
  tick: "A box to tick is not where and as the page has it, or not beside its words.",
  rows: "Rows that are kept beside their document are not those of the source.",
  formula: "A formula is not the one that the source has for its cell.",
  older_reader: "An older version of the reader divided it otherwise. Its words are proved; reingest it.",
  source: "The stored source is not the file that was uploaded, so nothing is proved.",
};

function verdict({ ok, state, ocr, failures }) {
  if (failures.some((failure) => failure.check === "source"))
    return "✗ The stored source is not the file that was uploaded. Nothing is proved; upload the same file again to put it back.";
  if (state === "outdated")
    return "! Nothing differs from the source, but an older version of the reader has read it: read the document again.";
  if (!ok) return "✗ Something differs from the source, or is left over.";
  if (!ocr) return "✓ Every chunk stands in the source as shown.";
  return `✓ Every chunk stands in the source as shown; ${count(ocr)} from OCR are as they were recognised.`;
}

function disagreements(report) {
  const kinds = Object.entries(report.second_reader_differences ?? {});
  if (kinds.length === 0) return false;
  return h(
    "details",
    {},
    h(
      "summary",
      {},
      `Where the second reader differs: ${kinds.map(([kind, n]) => `${words(kind)} ${count(n)}`).join(" · ")}`,
    ),
    h("ol", { class: "failures plain" }, (report.warnings ?? []).map(verifyFailure)),
  );
}

function verifyFailure(item) {
  return h(
    "li",
    { class: "verify-failure" },
    item.page
      ? h("a", { href: `?page=${item.page}&chunk=${item.chunk_id ?? ""}` }, `page ${item.page}`)
      : "whole document",
    ` ${words(item.check)}`,
    h("p", { class: "panel-note" }, MEANINGS[item.check] ?? ""),
    h(
      "dl",
      {},
      h("dt", {}, "expected"),
      h("dd", {}, String(item.expected ?? "")),
      h("dt", {}, "found"),
      h("dd", {}, String(item.actual ?? "")),
    ),
  );
}

export function verifyPanel(state, proof) {
  const place = byId("panel-verify");
  const show = (again = false) =>
    fill(place, state, "Checking every chunk against the source…", async () => {
      const report = await proof(again);
      return [
        h(
          "p",
          { class: `verdict ${{ proved: "ok", failed: "bad" }[report.state] ?? ""}` },
          verdict(report),
        ),
        h(
          "p",
          { class: "panel-note" },
          `The source file was read and compared with what is stored${report.checked_at ? `, ${age(report.checked_at)}` : ""}. `,
          h("button", { type: "button", class: "button small", onclick: () => show(true) }, "Check again"),
        ),
        h(
          "dl",
          { class: "checks" },
          h("div", {}, h("dt", {}, "chunks"), h("dd", {}, count(report.chunks))),
          CHECKS.map(([key, label, meaning]) =>
            h("div", { title: meaning }, h("dt", {}, label, h("small", {}, meaning)), h("dd", {}, count(report[key]))),
          ),
        ),
        report.failures.length > 0 && h("ol", { class: "failures plain" }, report.failures.map(verifyFailure)),
        disagreements(report),
      ].filter(Boolean);
    });
  return () => show();
}

function stageRow(stage, longest) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, stage.name),
    h("td", {}, stage.status),
    h("td", { class: "number" }, duration(stage.seconds)),
    h(
      "td",
      { class: "bar-cell" },
      h("i", { class: "time-bar", vars: { share: (stage.seconds ?? 0) / (longest || 1) } }),
    ),
  );
}

export function costPanel(state) {
  const place = byId("panel-cost");
  return () =>
    fill(place, state, "Reading what it took…", async () => {
      const { document: item } = state;
      const run = item.ingestion_id ? await call(`/v1/ingestions/${item.ingestion_id}`) : null;
      const longest = Math.max(0, ...(run?.stages ?? []).map((stage) => stage.seconds ?? 0));
      const fact = (label, value) => h("div", {}, h("dt", {}, label), h("dd", {}, value));
      return [
        h(
          "p",
          { class: "verdict" },
          `${dollars(item.cost_usd)} in all`,
          h(
            "small",
            {},
            item.pages ? ` · ${dollars(item.cost_usd / item.pages)} a page · ${duration(item.seconds)}` : "",
          ),
        ),
        run &&
          h(
            "table",
            { class: "stage-table" },
            h("caption", { class: "visually-hidden" }, "Time per stage"),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["Stage", "State", "Time", ""].map((text, at) =>
                  at < 3 ? h("th", { scope: "col" }, text) : h("td", {}),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              run.stages.map((stage) => stageRow(stage, longest)),
            ),
          ),
        h(
          "dl",
          { class: "checks" },
          fact("engine", item.engine ?? "–"),
          run && fact("this run", dollars(run.cost_usd)),
          fact("extractor", item.extractor_version ?? "–"),
          fact("embedder", item.embedder_version ?? "–"),
          fact("source SHA-256", h("code", {}, `${item.source_hash.slice(0, 16)}…`)),
        ),
      ].filter(Boolean);
    });
}
