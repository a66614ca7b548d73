// Webhooks: where what is told, whether it arrives, trying, rotating and removing.

import { all, call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { openForm } from "../../lib/form.js";
import { age, plural } from "../../lib/format.js";
import { emptiness, failure } from "../../lib/notice.js";
import { createWebhook, EVENTS, rotate } from "./create.js";

const place = byId("webhooks");
const SHOWN = 20;
let bases = [];

const button = (label, name, act) => h("button", { type: "button", class: "button small", "aria-label": `${label}: ${name}`, onclick: act }, label);

/** How it goes, in words. */
function stateOf(webhook) {
  if (webhook.disabled_at) return `nothing arrived for days: disabled ${age(webhook.disabled_at)}`;
  if (webhook.failing_since) return `nothing has arrived since ${age(webhook.failing_since)}; it is tried again`;
  return webhook.delivered_at ? `arrived last ${age(webhook.delivered_at)}` : "nothing told yet";
}

/** What became of one delivery, in words. */
function answerOf(one) {
  if (one.state === "delivered") return `arrived (${one.status})`;
  const why = one.error ?? "not tried yet";
  if (one.state === "failed") return `given up: ${why}`;
  return one.attempts ? `${why} Next attempt ${one.due_at.slice(0, 16).replace("T", " ")} UTC.` : "on its way";
}

async function change(act, said) {
  try {
    await act();
    announce(said);
    await load();
  } catch (error) {
    await openForm({ title: "That did not work", fields: [h("p", {}, error.detail || error.message)], done: "Close" });
  }
}

async function remove(webhook) {
  const saved = await openForm({
    title: "Remove this webhook?",
    fields: [h("p", {}, h("code", {}, webhook.url), " is told nothing more, not even what waits.")],
    done: "Remove",
    cancel: "Keep it",
    danger: true,
    save: () => call(`/v1/webhooks/${webhook.id}`, { method: "DELETE" }),
  });
  if (!saved) return;
  announce("Webhook removed");
  await load();
}

function toldRow(webhook, one) {
  const again = () => change(() => post(`/v1/webhooks/${webhook.id}/deliveries/${one.id}/again`), "Sent again");
  return h(
    "tr",
    {},
    h("td", {}, age(one.created_at)),
    h("td", {}, h("code", {}, one.event)),
    h("td", {}, answerOf(one)),
    h("td", {}, !webhook.disabled_at && (one.attempts > 0 || one.state !== "waiting") && button("Send again", one.event, again)),
  );
}

/** What it was told, read when it is opened. */
function told(webhook) {
  const list = h("div", {});
  const open = async () => {
    if (!node.open) return;
    try {
      const { items } = await call(`/v1/webhooks/${webhook.id}/deliveries?limit=${SHOWN}`);
      const head = h("tr", {}, ["when", "event", "what became of it"].map((name) => h("th", { scope: "col" }, name)), h("td", {}));
      const table = h("table", {}, h("thead", {}, head), h("tbody", {}, items.map((one) => toldRow(webhook, one))));
      list.replaceChildren(items.length ? h("div", { class: "usage-table", tabindex: "0", role: "region", "aria-label": "Deliveries" }, table) : h("p", { class: "muted" }, "Nothing within the last 30 days."));
    } catch (error) {
      list.replaceChildren(failure(error, { compact: true, retry: open }));
    }
  };
  const summary = webhook.waiting ? `What it was told; ${plural(webhook.waiting, "delivery", "deliveries")} still to arrive` : "What it was told";
  const node = h("details", { class: "webhook-told", ontoggle: open }, h("summary", {}, summary), list);
  return node;
}

function row(webhook) {
  const id = webhook.id;
  const words = EVENTS.filter(([event]) => webhook.events.includes(event)).map(([, text]) => text);
  const both = webhook.former_secret_until && `both secrets sign until ${webhook.former_secret_until.slice(0, 16).replace("T", " ")} UTC`;
  const tag = webhook.disabled_at ? "disabled" : webhook.failing_since ? "failing" : null;
  return h(
    "li",
    { class: "settings-row webhook-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, webhook.url, tag && h("span", { class: "tag bad" }, tag)),
      h("span", { class: "sub" }, `${bases.find((base) => base.id === webhook.knowledge_base_id)?.name ?? ""}, made ${age(webhook.created_at)}`),
    ),
    h("div", { class: "row-facts" }, h("span", {}, `told when ${words.join(", or ")}`), h("span", {}, stateOf(webhook)), both && h("span", {}, both)),
    h(
      "span",
      { class: "row-actions" },
      webhook.disabled_at
        ? button("Enable", webhook.url, () => change(() => post(`/v1/webhooks/${id}/enable`), "Webhook enabled"))
        : button("Test", webhook.url, () => change(() => post(`/v1/webhooks/${id}/test`), "A test is on its way")),
      button("Rotate secret", webhook.url, async () => {
        await rotate(webhook);
        await load();
      }),
      button("Remove", webhook.url, () => remove(webhook)),
    ),
    told(webhook),
  );
}

function none() {
  if (!bases.length) return emptiness("No knowledge base yet", "A webhook is told what happens in a knowledge base. Make one first.");
  return emptiness(
    "No webhook yet",
    "Your program is told what happens, and need not ask again and again.",
    h("button", { type: "button", class: "button primary", onclick: create }, "Make a webhook"),
  );
}

async function create() {
  await createWebhook(bases);
  await load();
}

async function load() {
  try {
    const [webhooks, shelves] = await Promise.all([all("/v1/webhooks"), all("/v1/knowledge-bases")]);
    bases = shelves;
    byId("create").hidden = webhooks.length === 0;
    place.replaceChildren(webhooks.length ? h("ul", { class: "rows plain", "aria-label": "Webhooks" }, webhooks.map(row)) : none());
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

byId("create").addEventListener("click", create);
load();
