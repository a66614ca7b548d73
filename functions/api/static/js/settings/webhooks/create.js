// Making a webhook, and another secret for one: each is shown this once.

import { post } from "../../lib/api.js";
import { h } from "../../lib/dom.js";
import { field, openForm, select } from "../../lib/form.js";
import { secretLine } from "../../lib/secret.js";

export const EVENTS = [
  ["document.ready", "a document is ready"],
  ["document.failed", "a document failed or was refused"],
  ["evaluation.below_floor", "an evaluation falls below a floor"],
];
const OVERLAPS = [
  { value: "24", label: "for a day" },
  { value: "168", label: "for a week" },
  { value: "0", label: "not at all: it has leaked" },
];

/** Asks where what is told, makes the webhook, and shows its secret. */
export async function createWebhook(bases) {
  const base = select({ name: "base" }, bases.map(({ id, name }) => ({ value: id, label: name })), bases[0].id);
  const url = h("input", { type: "url", name: "url", required: true, maxlength: 1000, placeholder: "https://", autocomplete: "off", "data-wrong": "Give an address that begins with https://." });
  const boxes = EVENTS.map(([value]) => h("input", { type: "checkbox", name: "event", value, checked: true }));
  let made = null;
  const saved = await openForm({
    title: "New webhook",
    fields: [
      field("Knowledge base", base),
      field("Address", url, "https, on the public internet. Redirects are not followed."),
      h(
        "fieldset",
        { class: "choices" },
        h("legend", {}, "It is told when"),
        boxes.map((box, i) => h("label", { class: "check" }, box, h("span", {}, EVENTS[i][1]))),
      ),
    ],
    done: "Make the webhook",
    save: async () => {
      const events = boxes.filter((box) => box.checked).map((box) => box.value);
      if (!events.length) throw new Error("Tick what it is told.");
      made = await post("/v1/webhooks", { knowledge_base_id: base.value, url: url.value, events });
    },
  });
  if (saved) await showSecret(made, "It is told from now on.");
}

/** Asks for how long both secrets sign, and shows the new one. */
export async function rotate(webhook) {
  const overlap = select({ name: "overlap" }, OVERLAPS, "24");
  let made = null;
  const saved = await openForm({
    title: "Another secret?",
    fields: [
      h("p", {}, "Whatever is sent carries a signature by each secret that is in force, so that the receiver can change over in between."),
      field("The one so far signs as well", overlap),
    ],
    done: "Make another secret",
    save: async () => {
      made = await post(`/v1/webhooks/${webhook.id}/rotate`, { overlap_hours: Number(overlap.value) });
    },
  });
  if (saved) await showSecret(made, "The receiver takes either while both sign.");
}

function showSecret(webhook, text) {
  if (!webhook.secret) {
    const lost = "The connection broke while it was being made, and a secret is told only once. Make another one.";
    return openForm({ title: "The secret is lost", fields: [h("p", {}, lost)], done: "Close" });
  }
  return openForm({
    title: "Copy the secret now",
    fields: [
      h("p", {}, "It is shown this once. With it the receiver checks that what arrives comes from here. ", text),
      secretLine(webhook.secret),
      h("p", { class: "muted" }, "Signatures are those of the Standard Webhooks specification: ", h("code", {}, "webhook-signature: v1,…"), "."),
    ],
    done: "I have stored it",
  });
}
