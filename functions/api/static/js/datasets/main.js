// The datasets of a knowledge base, and the tables that more can be made of.

import { keepInAddress, kept } from "../lib/address.js";
import { all, post } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { TABLE_FORMATS } from "../lib/export.js";
import { age, count, plural } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { attachMenu } from "../lib/menu.js";
import { emptiness, failure } from "../lib/notice.js";

const SHOWN = 50;
const slug = byId("main").dataset.slug;
const place = byId("datasets");
let kb = null;
let tables = [];
let filter = kept("find").find.toLowerCase();
let shown = SHOWN;

function row(one) {
  return h(
    "li",
    { class: "set-row" },
    h("a", { href: `/datasets/${one.id}` }, one.name),
    h("span", { class: "muted" }, `${plural(one.rows, one.steps ? "printed row" : "row")}, ${plural(one.columns, "column")}${one.steps ? `, ${plural(one.steps, "step")}` : ""}`),
    one.missing > 0 ? h("span", { class: "tag flag" }, `${plural(one.missing, "table")} missing`) : h("span", {}),
    h("time", { class: "muted", datetime: one.updated_at }, age(one.updated_at)),
  );
}

async function make(button, table, alike, superseded = false) {
  button.disabled = true;
  try {
    const made = await post("/v1/datasets", { knowledge_base_id: kb.id, table_ids: [table.table_id], alike, superseded });
    location.assign(`/datasets/${made.id}`);
  } catch (error) {
    button.closest("li").append(failure(error, { compact: true, safe: "Nothing was made." }));
    button.disabled = false;
  }
}

function tableRow(table) {
  const header = table.header.filter(Boolean).join(" · ") || "no header";
  const page = table.first_page === table.last_page ? `page ${table.first_page}` : `pages ${table.first_page}–${table.last_page}`;
  return h(
    "li",
    { class: "table-row" },
    h(
      "div",
      {},
      h("a", { href: `/documents/${table.document_id}?page=${table.first_page}` }, table.caption || table.document),
      h("p", { class: "muted" }, [table.caption && table.document, page, plural(table.rows, "row")].filter(Boolean).join(", ")),
      h("p", { class: "header-line" }, header),
    ),
    kb.may_write &&
      h(
        "div",
        { class: "row-actions" },
        h("button", { type: "button", class: "button small", "aria-label": `Make a dataset of ${table.caption || table.document}, ${page}`, onclick: ({ currentTarget }) => make(currentTarget, table, false) }, "Make a dataset"),
        table.alike > 1 &&
          h("button", { type: "button", class: "button small", "aria-label": `Make a dataset of ${count(table.alike)} tables with the header ${header}`, onclick: ({ currentTarget }) => make(currentTarget, table, true) }, `Of all ${count(table.alike)} alike`),
        table.version > 1 &&
          h("button", { type: "button", class: "button small", "aria-label": `Make a dataset of all versions of ${table.caption || table.document}, ${page}`, onclick: ({ currentTarget }) => make(currentTarget, table, true, true) }, "With older versions"),
      ),
  );
}

function drawTables() {
  const found = tables.filter((one) => [one.caption, one.document, ...one.header].join(" ").toLowerCase().includes(filter));
  const more = found.length - shown;
  const list = h("ul", { class: "plain set-rows" }, found.slice(0, shown).map(tableRow));
  const next = () => {
    shown += SHOWN;
    drawTables();
  };
  byId("table-list").replaceChildren(
    list,
    ...(found.length ? [] : [h("p", { class: "muted" }, "No table has these words.")]),
    ...(more > 0 ? [h("button", { type: "button", class: "button", onclick: next }, `Show more of ${count(more)}`)] : []),
  );
}

function showTables() {
  if (!tables.length) return;
  const find = (event) => {
    filter = event.target.value.trim().toLowerCase();
    keepInAddress({ find: event.target.value.trim() });
    drawTables();
  };
  byId("tables").replaceChildren(
    h("div", { class: "part-head" }, h("h2", {}, "Tables in these documents"), h("label", {}, h("span", { class: "visually-hidden" }, "Find a table"), h("input", { type: "search", placeholder: "Find a table", value: kept("find").find, oninput: find }))),
    h("div", { id: "table-list" }),
  );
  drawTables();
}

function downloads() {
  const place = h("span", { class: "menu" });
  const item = (more, said) => ([form, name]) => h("a", { class: "menu-item", href: `/v1/exports/tables.${form}?knowledge_base_id=${kb.id}${more}`, download: true }, `${name}${said}`);
  const formats = Object.entries(TABLE_FORMATS);
  attachMenu(place, "Export all tables", h("div", {}, formats.map(item("", "")), formats.map(item("&lineage=true", ", with boxes"))), "button");
  return place;
}

openPageOf(slug, place, "Datasets", async (found) => {
  kb = found;
  const [datasets, listed] = await Promise.all([all(`/v1/datasets?knowledge_base_id=${kb.id}`), all(`/v1/knowledge-bases/${kb.id}/tables?limit=500`)]);
  tables = listed;
  if (tables.length) byId("head-actions").replaceChildren(downloads());
  const empty = tables.length
    ? emptiness("No dataset yet", "Make one of a table below; tables with the same header can become one dataset.")
    : emptiness("No tables yet", "Datasets are made of the tables of documents. Upload some that have any: PDF, CSV, Excel.", h("a", { class: "button", href: `/kb/${encodeURIComponent(slug)}` }, "To the documents"));
  place.replaceChildren(datasets.length ? h("ul", { class: "plain set-rows" }, datasets.map(row)) : empty);
  place.setAttribute("aria-busy", "false");
  showTables();
});
