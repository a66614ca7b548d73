// What other systems reported, by kind and time, and the files of the digest that state it.

import { keepInAddress } from "../lib/address.js";
import { call } from "../lib/api.js";
import { direction } from "../lib/direction.js";
import { h } from "../lib/dom.js";
import { emptiness, failure } from "../lib/notice.js";
import { hrefOf } from "./address.js";

const FILTERS = ["kind", "since", "until"];
const TIERS = { summary: "summary", description: "in full", index: "index" };
const valueOf = (value) => (value === true ? "yes" : value === false ? "no" : (value ?? "–"));

/** Days of the form as times: the last one counts whole. */
function askedOf(values) {
  const asked = new URLSearchParams();
  if (values.kind) asked.set("kind", values.kind);
  if (values.since) asked.set("since", `${values.since}T00:00:00Z`);
  if (values.until) asked.set("until", new Date(Date.parse(`${values.until}T00:00:00Z`) + 86_400_000).toISOString());
  return asked;
}

function eventItem(event) {
  const values = Object.entries(event.values).map(([name, value]) => `${name} ${valueOf(value)}`);
  const links = event.files.map((file) => h("li", {}, h("a", { href: hrefOf(file.path) }, h("bdi", {}, file.title), `, ${TIERS[file.tier]}`)));
  return h(
    "li",
    { class: "digest-event" },
    h("div", { class: "digest-version-head" }, h("span", { class: "digest-kind" }, event.kind), h("b", { dir: direction(event.subject) }, event.subject), h("time", { class: "muted", datetime: event.at }, `${event.at.slice(0, 16).replace("T", " ")} UTC`)),
    values.length > 0 && h("p", {}, values.join("; ")),
    h("p", { class: "muted" }, "Reported by ", h("bdi", {}, event.reporter || "somebody")),
    links.length ? h("ul", { class: "plain digest-event-files", "aria-label": "Stated in" }, links) : h("p", { class: "muted" }, "No file states it yet: the next update does, for the latest of each kind."),
  );
}

function filters(values, kinds, apply) {
  const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
  const input = (name, type, more = {}) => h("input", { type, name, value: values[name], ...more });
  const submit = (event) => {
    event.preventDefault();
    apply(Object.fromEntries(FILTERS.map((name) => [name, event.target.elements[name].value.trim()])));
  };
  return h(
    "form",
    { class: "digest-filters", onsubmit: submit },
    field("Kind", input("kind", "text", { list: "event-kinds", autocomplete: "off", maxlength: "60" })),
    h("datalist", { id: "event-kinds" }, kinds.map((kind) => h("option", { value: kind }))),
    field("From", input("since", "date")),
    field("To", input("until", "date")),
    h("button", { type: "submit", class: "button" }, "Show"),
  );
}

/** The pane: `knowledgeBase` is an id; filters stand in the address. */
export async function eventsView(knowledgeBase) {
  const list = h("ul", { class: "plain digest-events" });
  const below = h("div", { class: "digest-acts" });
  const asked = new URL(location.href).searchParams;
  let values = Object.fromEntries(FILTERS.map((name) => [name, asked.get(name) ?? ""]));
  const page = (cursor) => {
    const wish = askedOf(values);
    wish.set("knowledge_base_id", knowledgeBase);
    if (cursor) wish.set("cursor", cursor);
    return call(`/v1/events?${wish}`);
  };
  const show = (found) => {
    list.append(...found.items.map(eventItem));
    const more = () => page(found.next_cursor).then(show).catch((error) => below.replaceChildren(failure(error, { compact: true })));
    below.replaceChildren(...(found.next_cursor ? [h("button", { type: "button", class: "button small", onclick: more }, "Show more")] : list.childElementCount ? [] : [emptiness("No events", FILTERS.some((name) => values[name]) ? "None is of that kind and time." : "Nothing was reported: POST /v1/events, or autri event report.")]));
  };
  const apply = async (wanted) => {
    values = wanted;
    keepInAddress(Object.fromEntries(FILTERS.map((name) => [name, values[name]])));
    try {
      const found = await page();
      list.replaceChildren();
      show(found);
    } catch (error) {
      below.replaceChildren(failure(error, { compact: true }));
    }
  };
  const found = await page();
  show(found);
  const kinds = [...new Set(found.items.map((one) => one.kind))].sort();
  return h("article", { class: "digest-file" }, h("header", { class: "digest-head" }, h("h2", {}, "Events"), h("p", { class: "muted" }, "What other systems reported, the latest first. Times are UTC.")), filters(values, kinds, apply), list, below);
}
