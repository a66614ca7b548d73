// Members of the organization, who is invited, and the sign-ins that wait for an administrator.

import { may, onOneMachine, RANKS, role as ownRole, user } from "../../lib/account.js";
import { all, call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { field, openForm, select } from "../../lib/form.js";
import { age } from "../../lib/format.js";
import { failure } from "../../lib/notice.js";
import { invitationRow } from "./invitations.js";

const place = byId("members");
const WHAT = {
  owner: "everything, owners too",
  admin: "members, keys, access, audit log",
  editor: "documents and edits",
  viewer: "read and ask",
};

/** The roles that this person may give: owners alone decide about owners. */
const given = () => [...RANKS].reverse().filter((name) => name !== "owner" || ownRole === "owner");
const options = () => given().map((name) => ({ value: name, label: `${name}: ${WHAT[name]}` }));
const called = (member) => member.name || member.email;

/** Asks, does it, and draws the list anew; what is refused is said where it was asked. */
async function act(question, work, done) {
  const saved = await openForm({ ...question, danger: true, save: work });
  if (!saved) return;
  announce(done);
  await load();
}

function leave() {
  const text = "You see nothing of this organization from your next click on. Your keys end with it; what you uploaded stays.";
  const work = async () => {
    await call(`/v1/members/${user}`, { method: "DELETE" });
    location.assign("/");
  };
  return openForm({ title: "Leave this organization?", fields: [h("p", {}, text)], done: "Leave", danger: true, save: work });
}

function remove(member) {
  const text = "They are refused from their next request on, and their keys with them. What they uploaded stays.";
  const work = () => call(`/v1/members/${member.id}`, { method: "DELETE" });
  return act({ title: `Remove ${member.email}?`, fields: [h("p", {}, text)], done: "Remove" }, work, `${member.email} removed`);
}

function roleChooser(member) {
  const said = h("span", { class: "row-error", role: "alert" });
  const chooser = select(
    { "aria-label": `Role of ${member.email}` },
    given().map((name) => ({ value: name, label: name })),
    member.role,
  );
  chooser.addEventListener("change", async () => {
    said.textContent = "";
    try {
      await call(`/v1/members/${member.id}`, { method: "PATCH", body: { role: chooser.value } });
      announce(`${member.email} is ${chooser.value} now`);
      // One's own role decides what this page offers.
      if (member.id === user) location.reload();
      else await load();
    } catch (error) {
      chooser.value = member.role;
      said.textContent = error.detail || error.message;
    }
  });
  return h("span", { class: "role-cell" }, chooser, said);
}

function row(member, owners) {
  const me = member.id === user;
  const onlyOwner = member.role === "owner" && owners === 1;
  const mine = may("admin") && (member.role !== "owner" || ownRole === "owner") && !onlyOwner;
  const end = me
    ? !onlyOwner && !onOneMachine && h("button", { type: "button", class: "button small", onclick: leave }, "Leave")
    : mine &&
      h(
        "button",
        { type: "button", class: "button small", "aria-label": `Remove ${member.email}`, onclick: () => remove(member) },
        "Remove",
      );
  return h(
    "li",
    { class: "settings-row member-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, called(member), me && h("span", { class: "tag" }, "you")),
      h("span", { class: "sub" }, member.name && `${member.email}, `, `joined ${age(member.created_at)}`),
    ),
    mine
      ? roleChooser(member)
      : h("span", { class: "role-cell" }, member.role, onlyOwner && h("small", {}, "the only owner: stays until there is another")),
    h("span", { class: "row-actions" }, end),
  );
}

function listOf(label, rows) {
  return h("ul", { class: "rows plain", "aria-label": label }, rows);
}

function invite() {
  const email = h("input", { type: "email", name: "email", required: true, maxlength: 254, autocomplete: "off", "data-wrong": "Write an e-mail address." });
  const role = select({ name: "role" }, options(), "viewer");
  return openForm({
    title: "Invite somebody",
    fields: [
      field("E-mail", email, "Whoever signs in with this address, confirmed by your identity provider, joins."),
      field("Role", role),
    ],
    done: "Send the invitation",
    save: async () => {
      const made = await post("/v1/invitations", { email: email.value, role: role.value });
      announce(`${made.email} invited`);
      await load();
    },
  });
}

async function load() {
  try {
    const [everybody, invitations] = await Promise.all([
      all("/v1/members"),
      may("admin") ? all("/v1/invitations") : [],
    ]);
    const joined = everybody.filter((one) => !one.invited_at);
    const invited = may("admin") ? invitations : everybody.filter((one) => one.invited_at);
    const owners = joined.filter((one) => one.role === "owner").length;
    place.replaceChildren(
      listOf("Members", joined.map((one) => row(one, owners))),
      ...(invited.length
        ? [h("h2", { class: "section-title" }, "Invited"), listOf("Invited", invited.map((one) => invitationRow(one, act, load)))]
        : []),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

byId("invite")?.addEventListener("click", invite);
load();
