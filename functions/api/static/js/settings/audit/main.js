// The audit log: who did what, newest first, filtered by person, act and day. The filters are in the address.

import { all, call } from "../../lib/api.js";
import { byId, h } from "../../lib/dom.js";
import { emptiness, failure, waiting } from "../../lib/notice.js";
import { ACTS, said } from "./acts.js";

const place = byId("audit");
const form = byId("filters");
const NAMES = ["act", "person_id", "from", "to"];
const PAGE = 50;
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
let asked = 0;

const chosen = () => Object.fromEntries(NAMES.map((name) => [name, form.elements[name].value]).filter(([, value]) => value));

/** Midnight, where the person is, of the day or of the one after it. */
function midnight(day, later = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

function query() {
  const { from, to, ...wanted } = chosen();
  const parameters = new URLSearchParams(wanted);
  if (from) parameters.set("since", midnight(from));
  if (to) parameters.set("until", midnight(to, 1));
  return parameters;
}

function row(entry, names) {
  const who = entry.person || (entry.key_id ? "a machine" : "somebody who left");
  return h(
    "li",
    { class: "settings-row audit-row" },
    h("time", { datetime: entry.at, title: entry.at }, TIME.format(new Date(entry.at))),
    h("div", { class: "row-title" }, h("b", {}, said(entry.act)), h("span", { class: "sub" }, who, entry.key_id && entry.person && " by a key")),
    h("div", { class: "row-details" }, details(entry, names)),
  );
}

function details(entry, names) {
  const facts = Object.entries(entry.details).map(([name, value]) => [name.replaceAll("_", " "), typeof value === "object" ? JSON.stringify(value) : String(value)]);
  if (entry.knowledge_base_id) facts.unshift(["knowledge base", names.get(entry.knowledge_base_id) ?? entry.knowledge_base_id]);
  if (entry.subject_id && entry.subject_id !== entry.knowledge_base_id) facts.push([entry.subject_type.replaceAll("_", " "), names.get(entry.subject_id) ?? entry.subject_id]);
  if (entry.request_id) facts.push(["request", entry.request_id]);
  return h(
    "details",
    {},
    h("summary", {}, facts.slice(0, 2).map(([name, value]) => `${name}: ${value}`).join(", ") || "details"),
    h("dl", { class: "facts-list" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
  );
}

/** The next page behind `cursor`, below what `list` shows already. */
async function more(list, names, cursor) {
  const parameters = query();
  parameters.set("limit", PAGE);
  if (cursor) parameters.set("cursor", cursor);
  const page = await call(`/v1/audit?${parameters}`);
  list.append(...page.items.map((entry) => row(entry, names)));
  list.nextElementSibling?.remove();
  if (!page.next_cursor) return;
  const button = h("button", { type: "button", class: "button", id: "older" }, "Older");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const last = list.lastElementChild;
    try {
      await more(list, names, page.next_cursor);
      // The focus goes on where the button was.
      last.nextElementSibling?.querySelector("summary")?.focus();
    } catch (error) {
      button.replaceWith(failure(error, { compact: true }));
    }
  });
  list.after(button);
}

async function load(names) {
  const turn = (asked += 1);
  const parameters = query();
  const address = new URLSearchParams(chosen()).toString();
  history.replaceState(null, "", address ? `?${address}` : location.pathname);
  byId("csv").href = `/v1/audit?${new URLSearchParams([...parameters, ["format", "csv"]])}`;
  // What was asked before is turned over no more.
  byId("older")?.remove();
  const done = waiting(place, "Reading the log…");
  const list = h("ul", { class: "rows plain", "aria-label": "Entries" });
  const shown = h("div", { class: "audit-list" }, list);
  try {
    await more(list, names, null);
    if (turn !== asked) return;
    place.replaceChildren(list.children.length ? shown : emptiness("Nothing was done", "No entry matches. Take a filter away, or another day."));
  } catch (error) {
    if (turn === asked) place.replaceChildren(failure(error, { retry: () => load(names) }));
  } finally {
    done();
    place.setAttribute("aria-busy", "false");
  }
}

function fill(members) {
  const person = form.elements.person_id;
  person.append(...members.map((one) => h("option", { value: one.id }, one.name || one.email)));
  form.elements.act.append(
    ...ACTS.map(({ kind, label, acts }) =>
      h("optgroup", { label }, h("option", { value: kind }, `${label}: all`), acts.map((act) => h("option", { value: act }, said(act)))),
    ),
  );
  const address = new URL(location.href).searchParams;
  for (const name of NAMES) form.elements[name].value = address.get(name) ?? "";
}

async function start() {
  try {
    const [members, bases, keys] = await Promise.all(["members", "knowledge-bases", "keys"].map((list) => all(`/v1/${list}`)));
    fill(members);
    const names = new Map([...bases, ...keys].map((one) => [one.id, one.name]));
    for (const one of members) names.set(one.id, one.email);
    form.addEventListener("change", () => load(names));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => load(names)));
    await load(names);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: start }));
    place.setAttribute("aria-busy", "false");
  }
}

start();
