// The experiments of a knowledge base: what is stated and missing, what passes a filter, and results side by side.

import { keepInAddress, kept } from "../lib/address.js";
import { all, call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { field, select } from "../lib/form.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { pinButton } from "../lib/pin.js";
import { TITLES } from "../summary/field.js";
import { placeOf } from "../summary/place.js";
import { comparison } from "./comparison.js";
import { groupView } from "./group.js";

const place = byId("summaries");
const COMPARED_MAX = 20;
const LEAD = byId("lead").textContent;
const FILTERS = ["field", "words", "metric", "system", "low", "high"];
const DECIMAL = { type: "search", inputmode: "decimal", pattern: "-?[0-9]*\\.?[0-9]+", title: "A number with a point: 12.5" };
let kb = null;
let found = [];
// The last answer that was asked for is the one that is shown.
let compared = 0;
let loaded = 0;
// Whether a model is set up.
let writes = false;
// The address keeps what is ticked: a group can be sent as a link.
const chosen = new Set(new URLSearchParams(location.search).getAll("document_id"));

function query() {
  const given = Object.fromEntries([...new FormData(byId("filter"))].filter(([, value]) => value));
  return new URLSearchParams({ knowledge_base_id: kb.id, ...given });
}

function filterForm() {
  const fields = [{ value: "", label: "any field" }, ...Object.entries(TITLES).map(([value, label]) => ({ value, label }))];
  byId("filter").replaceChildren(
    field("Field", select({ name: "field" }, fields, "")),
    field("Words", h("input", { type: "search", name: "words", maxlength: 500 })),
    field("Metric", h("input", { type: "search", name: "metric", maxlength: 200 })),
    field("System", h("input", { type: "search", name: "system", maxlength: 200 })),
    field("Value from", h("input", { ...DECIMAL, name: "low" })),
    field("Value to", h("input", { ...DECIMAL, name: "high" })),
    h("button", { type: "submit", class: "button" }, "Filter"),
  );
  for (const [name, value] of Object.entries(kept(...FILTERS))) byId("filter").elements[name].value = value;
  const { low, high } = byId("filter").elements;
  const order = () => high.setCustomValidity(low.value && high.value && Number(low.value) > Number(high.value) ? "No value is from more to less: swap the two." : "");
  for (const end of [low, high]) end.addEventListener("input", order);
  byId("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(byId("filter"));
    keepInAddress(Object.fromEntries(FILTERS.map((name) => [name, given.get(name)])));
    load();
  });
}

/** A sentence that is stated in two fields is one place. */
function once(statements) {
  const seen = new Set();
  return statements.filter((one) => !seen.has(one.shown) && seen.add(one.shown));
}

function hits(one) {
  const statements = once(one.statements_found).map((s) => h("li", {}, h("a", { href: placeOf(one.id, s) }, s.page ? `p. ${s.page}` : "source"), ` ${s.shown}`));
  const cells = one.cells_found.map((c) => h("li", {}, h("a", { href: placeOf(one.id, c) }, c.raw), ` ${[c.metric, c.system, c.dataset].filter(Boolean).join(", ")}`));
  return statements.length + cells.length > 0 && h("ul", { class: "summary-hits" }, statements, cells);
}

/** Of a document that reports no experiment. */
const isEmpty = (one) => one.missing.length === Object.keys(TITLES).length && !one.cells;

function row(one) {
  const box = h("input", { type: "checkbox", "aria-label": `Compare ${one.document}` });
  box.checked = chosen.has(one.id);
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(one.id);
    else chosen.delete(one.id);
    compare();
  });
  const missing = one.missing.map((name) => TITLES[name].toLowerCase()).join(", ");
  const nothing = isEmpty(one) && "nothing of an experiment was found";
  return h(
    "li",
    { class: "summary-row" },
    box,
    h(
      "div",
      {},
      h("a", { href: `/documents/${one.id}/summary` }, one.document),
      h("p", { class: "muted" }, nothing || `${plural(one.cells, "result")}${missing ? `; missing: ${missing}` : ""}; version ${one.version}`),
      one.stale.length > 0 && h("span", { class: "tag flag" }, `⚑ ${one.stale.join(", ")}`),
      hits(one),
    ),
  );
}

async function compare() {
  const turn = ++compared;
  const ids = [...chosen].slice(0, COMPARED_MAX);
  const target = byId("comparison");
  keepInAddress({ document_id: ids });
  // What is ticked may stand far above what comes of it.
  byId("jump").hidden = !ids.length;
  byId("jump").textContent = ids.length === 1 ? "What it states and its results ↓" : `${ids.length} documents side by side ↓`;
  if (!ids.length) return target.replaceChildren();
  const left = chosen.size - ids.length;
  const done = waiting(target, "Laying them side by side …");
  const wish = new URLSearchParams(ids.map((id) => ["document_id", id]));
  for (const name of ["metric", "system"]) if (query().get(name)) wish.set(name, query().get(name));
  try {
    const [said, group] = await Promise.all([call(`/v1/summaries/compare?${wish}`), ids.length > 1 && call(`/v1/summaries/group?${wish}`)]);
    if (turn !== compared) return;
    target.replaceChildren(...[group && groupView(group, pinOf(group), writeOf(group)), comparison(said, left)].filter(Boolean));
    announce(`${plural(said.rows.length, "row")} side by side.`);
  } catch (error) {
    if (turn === compared) target.replaceChildren(failure(error, { retry: compare }));
  } finally {
    done();
  }
}

/** Of a group whose documents have a summary each. */
const pinOf = ({ documents }) =>
  kb.may_write &&
  documents.length > 1 &&
  pinButton(() => ({ kind: "group", document_ids: documents.map((one) => one.document_id) }), () => [kb.id], { label: "Pin the summary of the group to a notebook" });

/** Where a model is set up: it writes the summary of the group. */
function writeOf({ documents, without_summary: without, written }) {
  if (!kb.may_write || !writes || documents.length < 2 || without.length) return false;
  const label = written ? "Write it again" : "Write it with the model";
  const button = h("button", { type: "button", class: "button small" }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Writing …";
    try {
      await post("/v1/summaries/group", { document_ids: documents.map((one) => one.document_id) });
      await compare();
    } catch (error) {
      byId("comparison").prepend(failure(error));
      button.textContent = label;
      button.disabled = false;
    }
  });
  return button;
}

async function makeAll(button) {
  button.disabled = true;
  try {
    const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
    const ready = documents.filter((one) => one.version.is_current && one.status.startsWith("ready"));
    if (!ready.length) {
      return place.replaceChildren(emptiness("There is no document yet", "Upload papers or reports first.", h("a", { class: "button", href: `/kb/${encodeURIComponent(kb.slug)}` }, "To the documents")));
    }
    for (const [at, one] of ready.entries()) {
      byId("lead").textContent = `Summarizing ${at + 1} of ${ready.length}: ${one.name}`;
      await post(`/v1/documents/${one.id}/summary`, {});
    }
    await load();
  } catch (error) {
    place.prepend(failure(error, { retry: () => makeAll(button) }));
  } finally {
    button.disabled = false;
  }
}

function makeButton() {
  const button = h("button", { type: "button", class: "button primary" }, "Summarize all documents");
  button.addEventListener("click", () => makeAll(button));
  return button;
}

function actions() {
  byId("head-actions").replaceChildren(...(kb.may_write && found.length ? [makeButton()] : []));
}

async function load() {
  const turn = ++loaded;
  try {
    const listed = await all(`/v1/summaries?${query()}`);
    if (turn !== loaded) return;
    found = listed.sort((a, b) => isEmpty(a) - isEmpty(b));
    const filtered = [...query().keys()].length > 1;
    // What the address names and is not there any more is no part of the group.
    if (!filtered) for (const id of [...chosen]) if (!found.some((one) => one.id === id)) chosen.delete(id);
    byId("filter").hidden = !found.length && !filtered;
    byId("lead").textContent = found.length
      ? `${plural(found.length, "experiment summary", "experiment summaries")}${filtered ? " with what you look for" : ""}. Tick some to see their results side by side.`
      : LEAD;
    place.replaceChildren(
      found.length
        ? h("ul", { class: "summary-list" }, found.map(row))
        : filtered
          ? emptiness("None passes the filter", "Take a word away, or ask for another field.")
          : emptiness("No summary yet", "A summary says what a paper set out to do, how, and with which results: in its own words, each with its place.", ...(kb.may_write ? [makeButton()] : [])),
    );
    actions();
    await compare();
  } catch (error) {
    if (turn === loaded) place.replaceChildren(failure(error, { retry: load }));
  } finally {
    place.setAttribute("aria-busy", "false");
  }
}

openPageOf(byId("main").dataset.slug, place, "Experiments", async (base) => {
  kb = base;
  writes = (await all("/v1/models").catch(() => [])).some((one) => one.usual && one.name !== "quotations");
  filterForm();
  await load();
});
