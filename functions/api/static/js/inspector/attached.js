// What came with a document, what it came with, and the messages of its thread.

import { call } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { bytes, plural, words } from "../lib/format.js";

const day = (message) => (message.sent_at ? new Date(message.sent_at).toLocaleDateString() : "no date");

/** Shows them above the cards; of a document that came by itself nothing. */
export async function showAttached(state) {
  const { id, document: item } = state;
  const found = await call(`/v1/documents/${id}/attachments`);
  const thread = item.source_type === "mail" ? await call(`/v1/documents/${id}/thread`) : [];
  const parts = [];
  if (found.attached_to.length) parts.push(group("Came with", found.attached_to.map(carrier), true));
  if (found.attachments.length) parts.push(group(plural(found.attachments.length, "attachment"), found.attachments.map(attachment), true));
  if (thread.length > 1) parts.push(group(`${plural(thread.length, "message")} in this thread`, thread.map((one) => message(one, id)), false));
  byId("attached").hidden = parts.length === 0;
  byId("attached").replaceChildren(...parts);
}

const group = (title, items, open) =>
  h("details", { open }, h("summary", {}, title), h("ol", { class: "plain" }, items));

const carrier = (one) => h("li", {}, h("a", { href: `/documents/${one.id}` }, one.name));

function attachment(one) {
  const name = one.document_id ? h("a", { href: `/documents/${one.document_id}` }, one.name) : one.name;
  const status = one.status === "ready" ? bytes(one.size) : words(one.status);
  return h("li", {}, name, h("span", { class: "muted" }, ` ${status}`), one.error && h("p", { class: "muted" }, one.error));
}

function message(one, id) {
  const said = one.subject || "(no subject)";
  const here = one.document_id === id;
  const link = h("a", { href: `/documents/${one.document_id}?page=${one.part}`, "aria-current": here ? "true" : null }, said);
  return h("li", {}, link, h("span", { class: "muted" }, ` ${one.sender}, ${day(one)}`));
}
