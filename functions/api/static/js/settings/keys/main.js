// API keys: what they may do, when they were used last, making and revoking them.

import { may, user } from "../../lib/account.js";
import { all, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { openForm } from "../../lib/form.js";
import { age, plural } from "../../lib/format.js";
import { emptiness, failure } from "../../lib/notice.js";
import { createKey } from "./create.js";

const place = byId("keys");
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
let bases = [];
let people = new Map();

function until(iso) {
  const days = Math.ceil((Date.parse(iso) - Date.now()) / DAY_MS);
  return days > 60 ? `ends ${iso.slice(0, 10)}` : `ends in ${plural(days, "day")}`;
}

/** It is noted to the hour. */
function used({ last_used_at: last }) {
  if (!last) return "never used";
  return Date.now() - Date.parse(last) < HOUR_MS ? "used within the hour" : `used ${age(last)}`;
}

/** In one word whether the key is in force, and why not. */
function stateOf(key) {
  if (key.revoked_at) return { word: "revoked", when: age(key.revoked_at) };
  if (key.expires_at && Date.parse(key.expires_at) <= Date.now()) return { word: "expired", when: age(key.expires_at) };
  return null;
}

function whose(key) {
  if (!key.user_id) return "a machine's";
  return key.user_id === user ? "yours" : (people.get(key.user_id) ?? "of somebody who left");
}

function seen(key) {
  if (!key.knowledge_base_ids) return key.user_id ? "all that its owner sees" : "all that is open to everybody";
  const names = key.knowledge_base_ids.map((id) => bases.find((base) => base.id === id)?.name ?? "a deleted one");
  return names.join(", ");
}

async function revoke(key) {
  const saved = await openForm({
    title: `Revoke ${key.name}?`,
    fields: [h("p", {}, "Whatever uses it is refused from its next request on. A revoked key never works again.")],
    done: "Revoke",
    cancel: "Keep it",
    danger: true,
    save: () => post(`/v1/keys/${key.id}/revoke`),
  });
  if (!saved) return;
  announce(`${key.name} revoked`);
  await load();
}

function row(key) {
  const ended = stateOf(key);
  return h(
    "li",
    { class: `settings-row key-row${ended ? " ended" : ""}` },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, key.name, ended && h("span", { class: "tag" }, ended.word)),
      h("span", { class: "sub" }, h("code", {}, `${key.prefix}…`), ` ${whose(key)}, made ${age(key.created_at)}`),
    ),
    h("div", { class: "row-facts" }, h("b", {}, key.scope), h("span", {}, seen(key))),
    h(
      "div",
      { class: "row-facts" },
      h("span", {}, used(key)),
      h("span", {}, ended ? `${ended.word} ${ended.when}` : key.expires_at ? until(key.expires_at) : "no end"),
    ),
    h(
      "span",
      { class: "row-actions" },
      !ended &&
        h(
          "button",
          { type: "button", class: "button small", "aria-label": `Revoke ${key.name}`, onclick: () => revoke(key) },
          "Revoke",
        ),
    ),
  );
}

function none() {
  return emptiness(
    "No key yet",
    "A program presents a key instead of signing in. It may do what you choose, and no more than you may.",
    h("button", { type: "button", class: "button primary", onclick: create }, "Make a key"),
  );
}

async function create() {
  await createKey(bases);
  await load();
}

async function load() {
  try {
    const [keys, shelves, members] = await Promise.all([
      all("/v1/keys"),
      all("/v1/knowledge-bases"),
      may("admin") ? all("/v1/members") : [],
    ]);
    bases = shelves;
    people = new Map(members.map((one) => [one.id, one.name || one.email]));
    // Those in force first, the newest of them on top.
    const sorted = keys.reverse().sort((one, other) => Boolean(stateOf(one)) - Boolean(stateOf(other)));
    byId("create").hidden = keys.length === 0;
    place.replaceChildren(keys.length ? h("ul", { class: "rows plain", "aria-label": "Keys" }, sorted.map(row)) : none());
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

byId("create").addEventListener("click", create);
load();
