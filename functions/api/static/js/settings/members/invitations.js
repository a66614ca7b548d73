// An invitation that nobody has accepted, and the sign-ins that wait for it.

import { may, onOneMachine, role as ownRole } from "../../lib/account.js";
import { call, post } from "../../lib/api.js";
import { announce, h } from "../../lib/dom.js";
import { age } from "../../lib/format.js";

/** `act(question, work, done)` asks before it does something; `load` draws the lists anew. */
export function invitationRow(one, act, load) {
  const mine = may("admin") && (one.role !== "owner" || ownRole === "owner");
  const said = h("span", { class: "row-error", role: "alert" });
  const again = async () => {
    said.textContent = "";
    try {
      await post(`/v1/invitations/${one.id}/resend`);
      announce(`Invitation sent to ${one.email} again`);
      await load();
    } catch (error) {
      said.textContent = error.detail || error.message;
    }
  };
  const back = () =>
    act(
      { title: `Take back the invitation of ${one.email}?`, fields: [h("p", {}, "Nobody can join with it any more.")], done: "Take it back", cancel: "Keep it" },
      () => call(`/v1/members/${one.id}`, { method: "DELETE" }),
      `Invitation of ${one.email} taken back`,
    );
  const button = (text, work) =>
    h("button", { type: "button", class: "button small", "aria-label": `${text}: ${one.email}`, onclick: work }, text);
  return h(
    "li",
    { class: "settings-row member-row" },
    h("div", { class: "row-title" }, h("b", {}, one.email), h("span", { class: "sub" }, `invited ${age(one.invited_at)}, has not signed in`), said),
    h("span", { class: "role-cell" }, one.role),
    h("span", { class: "row-actions" }, mine && !onOneMachine && button("Send again", again), mine && button("Take back", back)),
    (one.waiting ?? []).map((sign) => waitingPanel(one, sign, act)),
  );
}

/** Nobody has checked that the address belongs to whoever signed in: a person has to. */
function waitingPanel(invitation, sign, act) {
  const bind = () =>
    act(
      {
        title: `Is this sign-in ${invitation.email}?`,
        fields: [
          h("p", {}, "Anybody can claim an address that their provider does not check. Ask the person, by telephone or face to face, whether they have just signed in; not by that address."),
          facts(sign),
        ],
        done: "I have asked: let it join",
        cancel: "Not yet",
      },
      () => post(`/v1/invitations/${invitation.id}/bind`, { issuer: sign.issuer, subject: sign.subject }),
      `${invitation.email} has joined`,
    );
  return h(
    "div",
    { class: "waiting-sign-in" },
    h(
      "p",
      {},
      h("b", {}, "A sign-in waits. "),
      `Somebody signed in as ${sign.claimed_email} ${age(sign.last_seen_at)}, and their identity provider does not confirm that the address is theirs.`,
    ),
    facts(sign),
    may(invitation.role === "owner" ? "owner" : "admin") &&
      h("button", { type: "button", class: "button small", "aria-label": `Let the sign-in of ${invitation.email} join`, onclick: bind }, "Let it join…"),
  );
}

const facts = (sign) =>
  h("dl", { class: "facts-list" }, h("dt", {}, "Provider"), h("dd", {}, sign.issuer), h("dt", {}, "Subject"), h("dd", {}, sign.subject));
