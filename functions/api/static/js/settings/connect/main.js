// Assistants: the line to paste for each, and those that are connected.

import { may, onOneMachine, user } from "../../lib/account.js";
import { all, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { openForm } from "../../lib/form.js";
import { age } from "../../lib/format.js";
import { copyButton, emptiness, failure } from "../../lib/notice.js";
import { waysOf } from "./ways.js";

const place = byId("connected");
const HOUR_MS = 3_600_000;
let bases = [];
let people = new Map();

function way({ name, how, text }) {
  return h(
    "li",
    { class: "connect-way" },
    h("div", { class: "connect-head" }, h("b", {}, name), h("span", { class: "muted" }, how)),
    h("div", { class: "connect-line" }, h("pre", { tabindex: 0, "aria-label": `For ${name}` }, h("code", {}, text)), copyButton(text, `Copy the line for ${name}`)),
  );
}

function seen({ knowledge_base_ids: ids }) {
  if (!ids) return "all that its owner sees";
  return ids.map((id) => bases.find((base) => base.id === id)?.name ?? "a deleted one").join(", ");
}

function used({ last_used_at: last }) {
  if (!last) return "never used";
  return Date.now() - Date.parse(last) < HOUR_MS ? "used within the hour" : `used ${age(last)}`;
}

/** In one word whether it is connected, and why not. */
function ended(one) {
  if (one.revoked_at) return "disconnected";
  return one.expires_at && Date.parse(one.expires_at) <= Date.now() ? "expired" : "";
}

async function end(one) {
  const saved = await openForm({
    title: `Disconnect ${one.client_name}?`,
    fields: [h("p", {}, "It is refused from its next request on. To use it again, connect it anew.")],
    done: "Disconnect",
    cancel: "Keep it",
    danger: true,
    save: () => post(`/v1/connections/${one.id}/end`),
  });
  if (!saved) return;
  announce(`${one.client_name} disconnected`);
  await load();
}

function row(one) {
  const word = ended(one);
  const whose = one.user_id === user ? "yours" : (people.get(one.user_id) ?? "of somebody else");
  return h(
    "li",
    { class: `settings-row key-row${word ? " ended" : ""}` },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, one.client_name, word && h("span", { class: "tag" }, word)),
      h("span", { class: "sub" }, `${whose}, connected ${age(one.created_at)}`),
    ),
    h("div", { class: "row-facts" }, h("b", {}, one.scope), h("span", {}, seen(one))),
    h("div", { class: "row-facts" }, h("span", {}, used(one))),
    h(
      "span",
      { class: "row-actions" },
      !word && h("button", { type: "button", class: "button small", "aria-label": `Disconnect ${one.client_name}`, onclick: () => end(one) }, "Disconnect"),
    ),
  );
}

async function load() {
  try {
    const [found, shelves, members] = await Promise.all([
      all("/v1/connections"),
      all("/v1/knowledge-bases"),
      may("admin") ? all("/v1/members") : [],
    ]);
    bases = shelves;
    people = new Map(members.map((one) => [one.id, one.name || one.email]));
    const sorted = found.reverse().sort((one, other) => Boolean(ended(one)) - Boolean(ended(other)));
    place.replaceChildren(
      found.length
        ? h("ul", { class: "rows plain", "aria-label": "Connected assistants" }, sorted.map(row))
        : emptiness("None yet", "What you connect with a line above, and allow in the page that it opens, is listed here."),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

byId("ways").replaceChildren(...waysOf(byId("main").dataset, onOneMachine).map(way));
load();
