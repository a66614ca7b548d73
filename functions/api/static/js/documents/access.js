// Who sees a knowledge base: everybody of the organization, or named members who read or write.

import { may } from "../lib/account.js";
import { all, call } from "../lib/api.js";
import { announce, h } from "../lib/dom.js";
import { openForm, select } from "../lib/form.js";

const EVERYBODY = "Everybody of the organization sees it; editors may change it.";
const NAMED = "Named members alone see it, and owners and admins.";
const above = (member) => member.role === "owner" || member.role === "admin";

/** Shows who sees `kb`, and lets owners and admins change it; resolves to whether they have. */
export async function accessDialog(kb) {
  const [access, members] = await Promise.all([call(`/v1/knowledge-bases/${kb.id}/access`), all("/v1/members")]);
  return may("admin") ? change(kb, access, members) : show(kb, access);
}

function show(kb, access) {
  const rows = access.members.map((one) => h("li", {}, one.name || one.email, h("small", {}, one.may_write && one.role !== "viewer" ? "reads and writes" : "reads")));
  const fields = [h("p", {}, access.restricted ? NAMED : EVERYBODY), rows.length > 0 && h("ul", { class: "plain access-list" }, rows)];
  return openForm({ title: `Who sees ${kb.name}`, fields, done: "Close" }).then(() => false);
}

/** One select a member; owners and admins are not chosen, as they see everything. */
function chooserOf(member, access) {
  const now = access.members.find((one) => one.id === member.id);
  const options = [
    { value: "", label: "does not see it" },
    { value: "read", label: "reads" },
    // A viewer's role lets nobody write, whatever is said here.
    ...(member.role === "viewer" ? [] : [{ value: "write", label: "reads and writes" }]),
  ];
  const chosen = !now ? "" : now.may_write && member.role !== "viewer" ? "write" : "read";
  return select({ "aria-label": `What ${member.email} may`, data: { member: member.id } }, options, chosen);
}

function change(kb, access, members) {
  const named = members.filter((one) => !above(one));
  const choosers = named.map((one) => chooserOf(one, access));
  const list = h(
    "ul",
    { class: "plain access-list", hidden: !access.restricted },
    named.map((one, i) => h("li", {}, h("span", {}, one.name || one.email, one.invited_at && h("span", { class: "tag" }, "invited")), choosers[i])),
    named.length === 0 && h("li", { class: "muted" }, "There are only owners and admins so far, who see everything."),
  );
  const radio = (value, text, checked) =>
    h("label", { class: "check" }, h("input", { type: "radio", name: "access", value, checked }), h("span", {}, text));
  const restricted = (form) => form.elements.access.value === "named";
  const choice = h(
    "fieldset",
    { class: "choices", onchange: (event) => event.target.name === "access" && list.toggleAttribute("hidden", event.target.value !== "named") },
    h("legend", { class: "visually-hidden" }, "Who sees it"),
    radio("all", EVERYBODY, !access.restricted),
    radio("named", NAMED, access.restricted),
  );
  return openForm({
    title: `Who sees ${kb.name}`,
    fields: [choice, list, h("p", { class: "muted" }, "It holds from everybody's next request on, for search and answers too.")],
    done: "Save",
    save: async (form) => {
      const chosen = choosers.filter((one) => one.value).map((one) => ({ user_id: one.dataset.member, may_write: one.value === "write" }));
      const body = { restricted: restricted(form), members: restricted(form) ? chosen : [] };
      await call(`/v1/knowledge-bases/${kb.id}/access`, { method: "PUT", body });
      announce(body.restricted ? `${kb.name} is restricted` : `Everybody sees ${kb.name}`);
    },
  });
}
