// Making a key: what it may do and see, until when; and its secret, which is shown this once.

import { may } from "../../lib/account.js";
import { post } from "../../lib/api.js";
import { basesField } from "../../lib/bases_field.js";
import { h } from "../../lib/dom.js";
import { field, openForm, select } from "../../lib/form.js";
import { secretLine } from "../../lib/secret.js";

const SCOPES = [
  { value: "read", label: "read: search, ask, look at documents", least: "viewer" },
  { value: "write", label: "write: also upload, edit, delete documents", least: "editor" },
  { value: "admin", label: "admin: also members, access and the audit log", least: "admin" },
];
const ENDS = [
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: "", label: "never: revoke it yourself" },
];

/** Asks for what the key may do, makes it, and shows its secret. */
export async function createKey(bases) {
  const name = h("input", { name: "name", required: true, maxlength: 120, autocomplete: "off", "data-wrong": "Give it a name." });
  const scope = select({ name: "scope" }, SCOPES.filter(({ least }) => may(least)), "read");
  const ends = select({ name: "ends" }, ENDS, "90");
  const machine = h("input", { type: "checkbox", name: "machine" });
  const seen = basesField(bases);
  let made = null;
  const saved = await openForm({
    title: "New key",
    fields: [
      field("Name", name, "Where it is used, so that you know it again."),
      field("It may", scope),
      bases.length > 1 && seen.node,
      field("It ends", ends),
      may("admin") &&
        h("label", { class: "check" }, machine, h("span", {}, "A machine's key: it stays when you leave, and reads or writes only")),
    ],
    done: "Make the key",
    save: async () => {
      made = await post("/v1/keys", {
        name: name.value,
        scope: scope.value,
        knowledge_base_ids: seen.chosen(),
        expires_days: ends.value ? Number(ends.value) : null,
        machine: machine.checked,
      });
    },
  });
  if (saved) await showSecret(made);
}

function showSecret(key) {
  if (!key.secret) {
    const text = "The connection broke while it was being made, and a secret is told only once. Revoke this key and make another.";
    return openForm({ title: `${key.name} was made, its secret is lost`, fields: [h("p", {}, text)], done: "Close" });
  }
  return openForm({
    title: `${key.name}: copy its secret now`,
    fields: [
      h("p", {}, "It is shown this once and stored nowhere. Whoever has it acts with it."),
      secretLine(key.secret),
      h("p", { class: "muted" }, "A program sends it as ", h("code", {}, "Authorization: Bearer …"), "; the command line takes it as ", h("code", {}, "--token"), "."),
    ],
    done: "I have stored it",
  });
}
