// Groups of the identity provider, and what their people are at least.

import { all, call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { field, openForm, select } from "../../lib/form.js";
import { emptiness, failure } from "../../lib/notice.js";
import { GRANTED } from "./roles.js";

const place = byId("groups");

function give() {
  const group = h("input", { type: "text", name: "group", required: true, maxlength: 128, autocomplete: "off", spellcheck: "false", "data-wrong": "Write the group as your identity provider names it." });
  const role = select({ name: "role" }, GRANTED, "viewer");
  return openForm({
    title: "Give a group a role",
    fields: [
      field("Group", group, "As the sign-in names it: of Entra the group's object id, of Cognito its name."),
      field("Its people are at least", role),
    ],
    done: "Give it",
    save: async () => {
      const made = await post("/v1/group-roles", { group: group.value.trim(), role: role.value });
      announce(`${made.group}: ${made.role}`);
      await load();
    },
  });
}

async function remove(one) {
  const saved = await openForm({
    title: `Take the role of ${one.group} away?`,
    fields: [h("p", {}, `Its people are what they are without it, from their next request on: nobody is ${one.role} by this group any more. They stay members.`)],
    done: "Take it away",
    cancel: "Keep it",
    danger: true,
    save: () => call(`/v1/group-roles/${one.id}`, { method: "DELETE" }),
  });
  if (!saved) return;
  announce(`${one.group} gives no role any more`);
  await load();
  byId("add-group").focus();
}

function row(one) {
  return h(
    "li",
    { class: "settings-row data-row" },
    h("div", { class: "row-title" }, h("b", {}, one.group), h("span", { class: "sub" }, `at least ${one.role}`)),
    h(
      "span",
      { class: "row-actions" },
      h("button", { type: "button", class: "button small", "aria-label": `Remove the role of ${one.group}`, onclick: () => remove(one) }, "Remove"),
    ),
  );
}

async function load() {
  try {
    const groups = await all("/v1/group-roles");
    place.replaceChildren(
      groups.length
        ? h("ul", { class: "rows plain", "aria-label": "Groups" }, groups.map(row))
        : emptiness("No group has a role", "Until one has, everybody has the role that they were given under Members."),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

export function showGroups() {
  byId("add-group").addEventListener("click", give);
  return load();
}
