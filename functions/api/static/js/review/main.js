// The queue of one knowledge base: one passage or page at a time, decided by keys; and what was decided.

import { keepInAddress } from "../lib/address.js";
import { call, post } from "../lib/api.js";
import { announce, byId, h, settled } from "../lib/dom.js";
import { count, plural, words } from "../lib/format.js";
import { select } from "../lib/form.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { confirmed, emptiness, failure } from "../lib/notice.js";
import { showDecided } from "./decided.js";
import { hrefOf, itemView, meter, nameOf } from "./item.js";

const AT_ONCE = 50;
const AHEAD = 10;
const { slug } = byId("main").dataset;
const place = byId("review");
const address = new URL(location.href).searchParams;
const wish = { flag: address.get("flag") ?? "", document: address.get("document") ?? "", decided: address.get("show") === "decided" };
let kb = null;
let left = null;
let items = [];
let at = 0;
let cursor = null;
let loading = null;
let last = null;

const base = () => `/v1/knowledge-bases/${kb.id}`;
const current = () => items[at] ?? null;
const keyOf = (item) => item.chunk_id ?? `${item.document_id} ${item.page}`;

/** What is left by the present filter; more than is loaded. */
function total() {
  if (wish.flag) return null;
  const of = wish.document ? left.documents.find((one) => one.id === wish.document) : left;
  return (of?.chunks ?? 0) + (of?.pages ?? 0);
}

async function more(anew = false) {
  if (anew) [items, at, cursor] = [[], 0, null];
  else if (!cursor) return;
  const asked = new URLSearchParams({ limit: AT_ONCE });
  if (wish.flag) asked.set("flag", wish.flag);
  if (wish.document) asked.set("document_id", wish.document);
  if (cursor) asked.set("cursor", cursor);
  const page = await call(`${base()}/review?${asked}`);
  const known = new Set(items.map(keyOf));
  items.push(...page.items.filter((item) => !known.has(keyOf(item))));
  cursor = page.next_cursor;
}

async function countLeft() {
  left = await call(`${base()}/review/left`);
  const parts = [left.chunks && plural(left.chunks, "passage"), left.pages && plural(left.pages, "page")].filter(Boolean);
  byId("left").textContent = parts.length ? `${parts.join(" and ")} left to look at, the worst first.` : "Nothing is left to look at.";
  drawBar();
}
const countSoon = settled(() => countLeft().catch(trouble), 250);

const trouble = (error) => byId("said").replaceChildren(failure(error, { safe: "What was decided before is kept.", compact: true, retry: start }));

function keepAddress() {
  keepInAddress({ flag: wish.flag, document: wish.document, show: wish.decided && "decided" });
}

function drawBar() {
  const focused = document.activeElement?.id;
  const changed = (name) => (event) => {
    wish[name] = event.target.value;
    load();
  };
  const flags = left.flags.map(({ flag, chunks }) => ({ value: flag, label: `${words(flag)} (${count(chunks)})` }));
  const documents = left.documents.map((one) => ({ value: one.id, label: `${one.name} (${count(one.chunks + one.pages)})` }));
  const alone = left.flags.find((one) => one.flag === wish.flag)?.alone ?? 0;
  const view = (decided, label) =>
    h("button", { type: "button", class: "chip", id: decided ? "show-decided" : "show-left", "aria-pressed": String(wish.decided === decided), onclick: () => show(decided) }, label);
  byId("review-bar").replaceChildren(
    ...[
      h("div", { class: "review-views", role: "group", "aria-label": "Show" }, view(false, "To look at"), view(true, "Decided")),
      !wish.decided && h("label", { class: "review-filter" }, h("span", {}, "Flag"), select({ id: "flag-filter", onchange: changed("flag") }, [{ value: "", label: "any" }, ...flags], wish.flag)),
      !wish.decided && h("label", { class: "review-filter" }, h("span", {}, "Document"), select({ id: "document-filter", onchange: changed("document") }, [{ value: "", label: "all" }, ...documents], wish.document)),
      !wish.decided && kb.may_write && alone > 0 && h("button", { type: "button", class: "button small", id: "accept-flag", onclick: () => acceptFlag().catch(trouble) }, `Accept all with this flag alone`),
      !wish.decided && kb.may_write && wish.document && !wish.flag && h("button", { type: "button", class: "button small", id: "accept-document", onclick: () => acceptDocument().catch(trouble) }, "Accept all of this document"),
    ].filter(Boolean),
  );
  if (focused) byId(focused)?.focus();
}

async function show(decided) {
  wish.decided = decided;
  drawBar();
  await load();
}

async function load() {
  keepAddress();
  place.setAttribute("aria-busy", "true");
  try {
    if (wish.decided) await showDecided(place, base(), kb.may_write, (item) => takeBack(item.id).then(load));
    else {
      await more(true);
      drawBar();
      draw();
    }
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

function nothingLeft() {
  const filtered = wish.flag || wish.document;
  if (filtered) return emptiness("Nothing is left by this filter", "Other passages may be: take the filter away.", h("button", { type: "button", class: "button", onclick: () => Object.assign(wish, { flag: "", document: "" }) && load() }, "Show all"));
  return emptiness(
    "Nothing is left to review",
    "No current document has a flagged passage or a doubtful page that nobody looked at.",
    h("a", { class: "button", href: `/kb/${encodeURIComponent(slug)}` }, "To the documents"),
    h("button", { type: "button", class: "button quiet", onclick: () => show(true) }, "What was decided"),
  );
}

function acts(item) {
  if (!kb.may_write) return h("p", { class: "muted" }, "You may look; editors decide.");
  const act = (key, label, className, work) => h("button", { type: "button", class: `button ${className}`, "aria-keyshortcuts": key, onclick: work }, label, " ", h("kbd", { "aria-hidden": "true" }, key));
  return h(
    "div",
    { class: "review-acts" },
    h("div", { class: "review-buttons" }, act("A", "Accept", "primary", () => decide("accepted")), act("R", "Reject", "danger", () => decide("rejected")), h("a", { class: "button", href: hrefOf(item), "aria-keyshortcuts": "E" }, "Edit ", h("kbd", { "aria-hidden": "true" }, "E"))),
    h("label", { class: "review-note" }, h("span", {}, "Note, if you like"), h("input", { type: "text", id: "note", maxlength: "500", autocomplete: "off" })),
  );
}

/** The next ones, for screens that have room for them. */
function rail() {
  const shown = items.slice(Math.max(0, at - 3), at + 40);
  const entry = (item) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "rail-item", "aria-current": item === current() ? "true" : null, onclick: () => go(items.indexOf(item)) },
        h("span", { class: "rail-name" }, nameOf(item)),
        meter(item.confidence),
        h("small", {}, item.content.slice(0, 80) || item.document_name),
      ),
    );
  return h("nav", { class: "review-rail", "aria-label": "What is left" }, h("ol", { class: "plain" }, shown.map(entry)));
}

function draw({ focus = false } = {}) {
  const item = current();
  if (!item) {
    place.replaceChildren(nothingLeft());
    return;
  }
  const texts = item.kind === "page" ? call(`/v1/documents/${item.document_id}/pages/${item.page}`).then((page) => page.items.filter((one) => one.content && one.chunk_type !== "table_row")) : null;
  const known = total();
  const view = itemView(item, { at: at + 1, total: count(known ?? items.length) + (known === null && cursor ? "+" : ""), acts: acts(item), texts });
  const walk = (step, key, label) => h("button", { type: "button", class: "button small", disabled: !items[at + step], "aria-keyshortcuts": key, onclick: () => go(at + step) }, label, " ", h("kbd", { "aria-hidden": "true" }, key));
  place.replaceChildren(h("div", { class: "review-desk" }, rail(), h("div", { class: "review-main" }, view, h("div", { class: "review-walk" }, walk(-1, "K", "Previous"), walk(1, "J", "Next")))));
  if (focus) byId("review-name").focus({ preventScroll: true });
  if (items.length - at < AHEAD && cursor) loading ??= more().catch(trouble).finally(() => (loading = null));
}

async function go(to) {
  if (to >= items.length && cursor) await (loading ?? more());
  if (!items[to]) return;
  at = to;
  draw({ focus: true });
  announce(`${nameOf(current())}: ${current().content.slice(0, 200)}`);
}

const SAID = { accepted: "Accepted", rejected: "Rejected: left out of answers" };

/** Whether the decision about `item` is about `other` too. */
const covers = (item, other) => other === item || (item.kind === "page" && other.document_id === item.document_id && other.page === item.page);

async function decide(verdict) {
  const item = current();
  if (!item || !kb.may_write) return;
  const note = byId("note")?.value.trim() || null;
  const body = { verdict, note, ...(item.kind === "page" ? { pages: [{ document_id: item.document_id, page: item.page }] } : { chunk_ids: [item.chunk_id] }) };
  const before = { items, at };
  items = items.filter((other) => !covers(item, other));
  at = Math.min(at, Math.max(0, items.length - 1));
  if (!items.length && cursor) await (loading ?? more()).catch(trouble);
  draw({ focus: true });
  try {
    say(SAID[verdict], await post(`${base()}/review`, body));
  } catch (error) {
    ({ items, at } = before);
    draw();
    trouble(error);
  }
}

function say(text, done) {
  last = done;
  const parts = [done.chunks && plural(done.chunks, "passage"), done.pages && plural(done.pages, "page")].filter(Boolean);
  const undo = h("button", { type: "button", class: "button small", onclick: () => undoLast().catch(trouble) }, "Take back ", h("kbd", { "aria-hidden": "true" }, "U"));
  byId("said").replaceChildren(h("p", {}, `${text} · ${parts.join(", ")} `, undo));
  countSoon();
}

async function takeBack(id) {
  await call(`${base()}/review/decisions/${id}`, { method: "DELETE" });
  last = null;
  byId("said").replaceChildren(h("p", {}, "Taken back: it is left to look at again."));
  await countLeft();
}

async function undoLast() {
  if (!last) return;
  await takeBack(last.decision_id);
  await load();
}

async function acceptFlag() {
  const chosen = left.flags.find((one) => one.flag === wish.flag);
  const where = wish.document ? " of this document" : "";
  const text = `Everything${where} whose only flag is “${words(wish.flag)}” is accepted as it is: ${wish.document ? "passages" : plural(chosen.alone, "passage")}, and pages with this flag alone. It can be taken back.`;
  if (!(await confirmed("Accept all at once?", text, { yes: "Accept", no: "Go on one by one", danger: false }))) return;
  say("Accepted", await post(`${base()}/review`, { verdict: "accepted", flag: wish.flag, ...(wish.document ? { document_id: wish.document } : {}) }));
  wish.flag = "";
  await countLeft();
  await load();
}

async function acceptDocument() {
  const of = left.documents.find((one) => one.id === wish.document);
  const text = `${plural(of.chunks, "passage")} and ${plural(of.pages, "page")} of ${of.name} are accepted as they are. It can be taken back.`;
  if (!(await confirmed("Accept all at once?", text, { yes: "Accept", no: "Go on one by one", danger: false }))) return;
  say("Accepted", await post(`${base()}/review`, { verdict: "accepted", document_id: wish.document }));
  wish.document = "";
  await countLeft();
  await load();
}

const KEYS = {
  a: () => decide("accepted"),
  r: () => decide("rejected"),
  e: () => current() && location.assign(hrefOf(current())),
  j: () => go(at + 1),
  k: () => go(at - 1),
  u: () => undoLast().catch(trouble),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || wish.decided) return;
  if (event.target.closest?.("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
  const run = KEYS[event.key.toLowerCase()];
  if (!run) return;
  event.preventDefault();
  run();
});

function start() {
  return openPageOf(slug, place, "Review", async (found) => {
    kb = found;
    byId("said").replaceChildren();
    await countLeft();
    await load();
  });
}

start();
