// Usage: this month against the plan, and for admins what it cost.

import { call } from "../../lib/api.js";
import { byId, h } from "../../lib/dom.js";
import { count, duration, plural } from "../../lib/format.js";
import { failure, waiting } from "../../lib/notice.js";

const LABELS = {
  pages: ["Pages read", "this month"],
  questions: ["Answers", "this month"],
  chunks: ["Chunks stored", "now"],
  knowledge_bases: ["Knowledge bases", "now"],
};
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
const STAGES = ["register", "render", "parse", "extract", "finalize", "embed", "publish"];
const NEARLY = 0.8;
const day = (iso) => DAY.format(new Date(`${iso}T00:00:00Z`));
// Pages cost tenths of a cent, so two digits would show nothing of them.
function usd(value) {
  if (value === null) return "–";
  if (value > 0 && value < 0.0001) return "< $0.0001";
  return `$${value.toFixed(value && value < 1 ? 4 : 2)}`;
}

function bar(line, name) {
  const share = line.limit ? Math.min(1, line.used / line.limit) : 0;
  const end = line.forecast === null || !line.limit ? share : Math.min(1, line.forecast / line.limit);
  const level = share >= 1 ? "full" : share >= NEARLY || line.runs_out_on ? "near" : "";
  return h("div", {
    class: `usage-bar ${level}`,
    role: "meter",
    "aria-label": name,
    "aria-valuemin": 0,
    "aria-valuemax": line.limit,
    "aria-valuenow": Math.min(line.used, line.limit),
    "aria-valuetext": `${count(line.used)} of ${count(line.limit)}`,
    vars: { share, end },
  });
}

/** Where the pace leads, in words. */
function outlook(line, usage) {
  if (line.limit !== null && line.used >= line.limit) {
    return line.forecast === null ? "Full: delete what is not needed, or ask for a larger plan." : `Used up until ${day(usage.resets_on)}.`;
  }
  if (line.forecast === null || line.used === 0) return "";
  const end = `At this pace ${count(line.forecast)} by the month's end`;
  return line.runs_out_on ? `${end}; used up about ${day(line.runs_out_on)}.` : `${end}.`;
}

function row(line, usage) {
  const [name, when] = LABELS[line.name];
  return h(
    "li",
    { class: "settings-row usage-row" },
    h("div", { class: "row-title" }, h("b", {}, name), h("span", { class: "sub" }, when)),
    h(
      "div",
      { class: "usage-meter" },
      h("p", {}, h("b", {}, count(line.used)), line.limit === null ? " – no limit" : ` of ${count(line.limit)}`),
      line.limit !== null && bar(line, name),
      h("p", { class: "sub" }, outlook(line, usage)),
    ),
  );
}

function facts(usage) {
  const packs = usage.packs.map((one) => `${plural(one.pages, "page")} ${one.month ? "for this month" : "for every month"}`);
  const budget = usage.model_usd_per_day === null ? "" : ` of ${usd(usage.model_usd_per_day)} a day`;
  const rate = usage.requests_a_minute === null ? "no limit" : `${count(usage.requests_a_minute)} a minute, a key half of it`;
  return [
    ["Plan", usage.plan],
    ["Begins anew on", `${day(usage.resets_on)} (UTC)`],
    packs.length > 0 && ["Page packs", packs.join(", ")],
    ["Requests", rate],
    ["Assistants (MCP)", usage.mcp ? `${plural(usage.mcp_calls, "call")} this month` : "not included"],
    ["Models today", `${usd(usage.model_usd_today)}${budget}`],
  ].filter(Boolean);
}

function list(pairs) {
  return h("dl", { class: "facts-list usage-facts" }, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function table(label, heads, rows) {
  const cells = (values, tag) => values.map((value, index) => h(tag, { class: heads[index].number ? "number" : null, scope: tag === "th" ? "col" : null }, value));
  const head = h("tr", {}, cells(heads.map(({ name }) => name), "th"));
  const body = rows.map((values) => h("tr", {}, cells(values, "td")));
  return h(
    "div",
    { class: "usage-table", tabindex: 0, role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, head), h("tbody", {}, body)),
  );
}

const number = (name) => ({ name, number: true });

function costs(found) {
  const priced = found.prices_of !== null;
  const sums = [["Models", usd(found.model_usd)], ["Run time", priced ? `${usd(found.compute_usd)} (prices of ${found.prices_of})` : "not priced: this machine is yours"]];
  const ordered = found.stages.toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage));
  const stages = ordered.map((one) => [one.stage, one.resource === "compute" ? "run time" : one.resource, count(one.calls), one.resource === "compute" ? duration(one.seconds) : "–", usd(one.usd)]);
  const documents = found.documents.map((one) => [
    h("a", { href: `/documents/${one.document_id}` }, one.name),
    count(one.pages),
    duration(one.seconds),
    usd(one.model_usd),
    usd(one.compute_usd),
  ]);
  if (!stages.length) return [h("p", { class: "muted" }, "Nothing was read in this month.")];
  return [
    list(sums),
    table("By stage", [{ name: "Stage" }, { name: "What" }, number("Calls"), number("Time"), number("US$")], stages),
    h("h3", { class: "section-title" }, documents.length < 50 ? "Documents" : "The 50 dearest documents"),
    documents.length
      ? table("By document", [{ name: "Document" }, number("Pages"), number("Time"), number("Models"), number("Run time")], documents)
      : h("p", { class: "muted" }, "What was read in this month has been deleted since; its cost is in the sums."),
  ];
}

/** Shows in `place` what `make` makes of the answer. */
async function show(place, path, make) {
  const done = waiting(place, "Counting…");
  place.setAttribute("aria-busy", "true");
  try {
    place.replaceChildren(...make(await call(path)));
  } catch (error) {
    place.replaceChildren(failure(error, { retry: () => show(place, path, make) }));
  } finally {
    done();
    place.setAttribute("aria-busy", "false");
  }
}

function start() {
  show(byId("usage"), "/v1/usage", (usage) => [
    list(facts(usage)),
    h("ul", { class: "rows plain", "aria-label": "This month" }, usage.lines.map((line) => row(line, usage))),
  ]);
  const month = byId("month");
  if (!month) return;
  month.max = month.value = new Date().toISOString().slice(0, 7);
  const load = () => month.value && month.validity.valid && show(byId("costs"), `/v1/usage/costs?month=${month.value}`, costs);
  month.addEventListener("change", load);
  load();
}

start();
