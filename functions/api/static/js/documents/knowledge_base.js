// What can be done with the knowledge base itself: another name or description, or delete it.

import { all, call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";
import { failure } from "../lib/notice.js";
import { confirmed } from "./confirm.js";

async function remove(kb) {
  const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
  const chunks = documents.reduce((sum, item) => sum + item.chunks, 0);
  const text = `Its ${plural(documents.length, "document")} with ${count(chunks)} chunks, and its traces and evaluations, go with it. This cannot be undone.`;
  if (!(await confirmed(`Delete ${kb.name}?`, text))) return;
  await call(`/v1/knowledge-bases/${kb.id}`, { method: "DELETE" });
  location.assign("/");
}

function openRename(kb) {
  const form = byId("rename-form");
  form.elements.name.value = kb.name;
  form.elements.description.value = kb.description;
  byId("rename-error").textContent = "";
  byId("rename-dialog").showModal();
}

async function rename(kb, changed) {
  const { name, description } = Object.fromEntries(new FormData(byId("rename-form")));
  if (!name.trim()) {
    byId("rename-error").textContent = "Give it a name.";
    return;
  }
  try {
    const body = { name: name.trim(), description: description.trim() };
    changed(await call(`/v1/knowledge-bases/${kb.id}`, { method: "PATCH", body }));
    byId("rename-dialog").close();
    announce(`It is called ${body.name} now`);
  } catch (error) {
    byId("rename-error").textContent = error.detail || error.title || error.message;
  }
}

/** `current` gives the knowledge base as it is, `changed` takes it as it has become. */
export function attachKnowledgeBaseMenu(current, changed) {
  const refused = (error) => byId("documents").prepend(failure(error, { compact: true }));
  const entry = (text, work) => h("button", { type: "button", class: "menu-item", onclick: work }, text);
  const panel = h(
    "div",
    {},
    entry("Rename or describe", () => menu.close() ?? openRename(current())),
    entry("Delete knowledge base", () => menu.close() ?? remove(current()).catch(refused)),
  );
  const menu = attachMenu(byId("kb-menu"), "More", panel, "button");
  byId("rename-cancel").addEventListener("click", () => byId("rename-dialog").close());
  byId("rename-form").addEventListener("submit", (event) => {
    event.preventDefault();
    rename(current(), changed);
  });
}
