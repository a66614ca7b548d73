// Documents as rows: name and state, tier, version, pages, chunks, cost, age, and what can be done with each.

import { call, post } from "../lib/api.js";
import { announce, byId, h, icon } from "../lib/dom.js";
import { age, bytes, confidence, count, dollars, duration, inBrowser, plural } from "../lib/format.js";
import { confirmed, failure } from "../lib/notice.js";
import { hasPages } from "../lib/sources.js";
import { rowMenu } from "./row_menu.js";
import { versionCell } from "./versions.js";

const STATE = {
  queued: "queued",
  running: "being read",
  ready_with_errors: "ready, with errors",
  refused: "refused",
  failed: "failed",
};

function tierPill(item) {
  if (!item.tier) return h("span", { class: "muted" }, "–");
  return h(
    "span",
    { class: `pill tier-${item.tier}`, title: `Confidence ${item.confidence}` },
    h("i", { class: "dot", "aria-hidden": "true" }),
    item.tier,
    h("b", {}, confidence(item.confidence)),
  );
}

// Forms that ask for the password of a protected file. The list is drawn anew whenever something changes in it; what is
// being typed stays. The password travels once and is never kept in the page.
const passwordForms = new Map();

/** A form that reads the refused document `id` again with a password; `watch(id)` follows the new run. */
function passwordForm(id, name, watch) {
  if (!passwordForms.has(id)) passwordForms.set(id, makePasswordForm(id, name, watch));
  return passwordForms.get(id);
}

function makePasswordForm(id, name, watch) {
  const field = h("input", {
    type: "password",
    name: "password",
    required: true,
    maxlength: 255,
    autocomplete: "off",
    placeholder: "Password",
    "aria-label": `Password of ${name}`,
  });
  const problem = h("span", { class: "trouble", role: "alert" });
  const open = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      const run = await post(`/v1/documents/${id}/reingest`, { password: field.value });
      field.value = "";
      watch(run.id);
    } catch (error) {
      problem.textContent = error.detail || error.message;
    }
  };
  return h(
    "form",
    { class: "password-form", onsubmit: open },
    field,
    h("button", { class: "button small" }, "Open it"),
    problem,
  );
}

/** What somebody decided about the document, and what it means for answers. */
function reviewed(item, approvedOnly) {
  const by = item.reviewed_by && ` by ${item.reviewed_by}, ${age(item.reviewed_at)}${item.review_note ? `: ${item.review_note}` : ""}`;
  if (item.review === "approved") return h("span", { class: "approved" }, `✓ approved${by}`);
  if (item.review === "rejected") return h("span", { class: "trouble" }, `✗ rejected${by}. It answers nothing.`);
  return approvedOnly && item.published_at && h("span", { class: "partial" }, "Not approved: it answers nothing.");
}

function title(item, watch, writable, approvedOnly) {
  const openable = item.status !== "refused";
  const error =
    item.error && h("span", { class: item.status.startsWith("ready") ? "partial" : "trouble" }, inBrowser(item.error));
  const changed =
    item.source_changed_at &&
    h("span", { class: "trouble" }, "Its stored source is not the file that was uploaded: nothing of it is proved. Upload the file again to put it back.");
  return h(
    "div",
    { class: "doc-title" },
    openable
      ? h("a", { class: "doc-name", href: `/documents/${item.id}`, title: item.name }, item.name)
      : h("b", { class: "doc-name" }, item.name),
    h(
      "span",
      { class: "sub" },
      STATE[item.status] && h("b", {}, STATE[item.status]),
      h("span", {}, bytes(item.size)),
      item.pages > 0 && h("span", { class: "facts" }, `${plural(item.pages, "page")}, ${plural(item.chunks, "chunk")}`),
      reviewed(item, approvedOnly),
      error,
      changed,
    ),
    writable && item.needs_password && passwordForm(item.id, item.name, watch),
  );
}

const lost = (item) =>
  `Its ${count(item.chunks)} chunks, page images and vectors go with it. This cannot be undone; other documents stay as they are.`;

/** Says above the list what could not be done; the next reload of the list takes it away. */
export function problem(error) {
  const place = byId("documents");
  place.querySelector(":scope > .notice-panel")?.remove();
  place.prepend(failure(error, { compact: true }));
}

/** Whether what came with a message is to stay when it goes; asked where there is any. */
async function keepsAttachments(item) {
  if (item.source_type !== "mail") return true;
  const { attachments } = await call(`/v1/documents/${item.id}/attachments`);
  const documents = attachments.filter((one) => one.document_id).length;
  if (!documents) return true;
  const text = `${plural(documents, "document")} came with it. Those that came in no other way can go with it.`;
  return !(await confirmed("Delete its attachments too?", text, { yes: "Delete them", no: "Keep them" }));
}

function actions(item, reload, watch) {
  const remove = async () => {
    if (!(await confirmed(`Delete ${item.name}?`, lost(item)))) return;
    try {
      const kept = await keepsAttachments(item);
      await call(`/v1/documents/${item.id}?keep_attachments=${kept}`, { method: "DELETE" });
      announce(`${item.name} deleted`);
      reload();
    } catch (error) {
      problem(error);
    }
  };
  const again = async () => {
    const text = `Its ${plural(item.pages, "page")} are read anew from the stored source, with today’s configuration. It stays readable meanwhile; chunks keep their ids, and what was edited by hand is applied again.`;
    if (!(await confirmed(`Read ${item.name} again?`, text, { yes: "Read again", no: "Leave it", danger: false }))) return;
    try {
      watch((await post(`/v1/documents/${item.id}/reingest`, {})).id);
    } catch (error) {
      problem(error);
    }
  };
  const button = (name, label, work) =>
    h(
      "button",
      { type: "button", class: "icon-button", "aria-label": `${label} ${item.name}`, title: label, onclick: work },
      icon(name),
    );
  return [button("refresh", "Read again", again), button("trash", "Delete", remove)];
}

const SHORT = { markdown: "md", javascript: "js", csharp: "c#" };

/** The first page in small, or what kind of source it is that has no pages to be seen; the same room where there is neither. */
export function thumbnail(item) {
  const src = `/v1/documents/${item.id}/pages/1/image?size=thumb&run=${item.ingestion_id}`;
  const image = item.chunks > 0 && (hasPages(item.source_type) ? h("img", { src, alt: "", loading: "lazy", decoding: "async", onerror: (event) => event.target.remove() }) : h("span", { class: "doc-kind" }, SHORT[item.source_type] ?? item.source_type));
  return h("span", { class: "doc-thumb", "aria-hidden": "true" }, image);
}

/** The row of `item`, ticked where it is in `chosen`; `together` are all that versions are told from. `reload` is called
 * after a change, `watch(id)` follows a new ingestion; nothing is offered that changes anything where it is not
 * `writable`; where `approvedOnly`, what is not approved answers nothing. */
export function row(item, { together, reload, watch, writable, chosen, approvedOnly }) {
  const versions = together.filter((other) => other.logical_document_id === item.logical_document_id);
  const others = together.filter((other) => other.published_at && !versions.includes(other));
  return h(
    "li",
    { class: "doc-row" },
    h("label", { class: "doc-pick" }, h("input", { type: "checkbox", checked: chosen.has(item.id), data: { choose: item.id }, "aria-label": `Choose ${item.name}` }), thumbnail(item)),
    title(item, watch, writable, approvedOnly),
    h("span", { class: "tier-cell" }, tierPill(item)),
    versionCell(item, versions, reload, problem, writable),
    h("span", { class: "number" }, count(item.pages)),
    h("span", { class: "number" }, count(item.chunks)),
    h(
      "span",
      {
        class: "number muted",
        title: `${dollars(item.cost_usd)}, read in ${duration(item.seconds)}, ${age(item.created_at)}`,
      },
      dollars(item.cost_usd),
      h("br"),
      age(item.created_at),
    ),
    h("div", { class: "row-actions" }, writable && actions(item, reload, watch), rowMenu(item, others, { reload, problem, writable })),
  );
}

/** Whether nothing of a file could be read, and nothing can be typed that would change it: it is no document of the list. */
export const isRefused = (item) => item.status === "refused" && !item.needs_password && !item.chunks;

// The list of refused files that was made last: while it says the same it stays, and an opened one is not closed.
let folded = { shown: "", node: null };

/** The files that were refused, folded away below the list, with why and what can be done. */
export function refusals(items, reload, watch, writable) {
  const shown = JSON.stringify([items, writable]);
  if (shown === folded.shown) return folded.node;
  const line = (item) =>
    h(
      "li",
      {},
      h("span", {}, h("b", {}, item.name), " ", h("span", { class: "muted" }, inBrowser(item.error))),
      writable && h("span", { class: "row-actions" }, actions(item, reload, watch)),
    );
  const node = h(
    "details",
    { class: "refused", open: folded.node?.open },
    h("summary", {}, `${plural(items.length, "file")} could not be read`),
    h("ul", { class: "plain", "aria-label": "Refused files" }, items.map(line)),
  );
  folded = { shown, node };
  return node;
}

/** The head of the columns, and `list` below it. */
export function rowsAround(list) {
  const head = h(
    "div",
    { class: "doc-row head", "aria-hidden": "true" },
    h("span"),
    ...["Document", "Confidence", "Version"].map((text) => h("span", {}, text)),
    ...["Pages", "Chunks", "Cost, age"].map((text) => h("span", { class: "number" }, text)),
    h("span"),
  );
  return h("div", { class: "rows" }, head, list);
}
