// What can be done with the knowledge base itself: another name or description, or delete it.

import { all, call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { attachDialog } from "../lib/knowledge_base.js";
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

/** `current` gives the knowledge base as it is, `changed` takes it as it has become. */
export function attachKnowledgeBaseMenu(current, changed) {
  const refused = (error) => byId("documents").prepend(failure(error, { compact: true }));
  const openRename = attachDialog("rename", async (wanted) => {
    changed(await call(`/v1/knowledge-bases/${current().id}`, { method: "PATCH", body: wanted }));
    announce(`It is called ${wanted.name} now`);
  });
  const entry = (text, work) => h("button", { type: "button", class: "menu-item", onclick: work }, text);
  const panel = h(
    "div",
    {},
    entry("Rename or describe", () => menu.close() ?? openRename(current())),
    entry("Delete knowledge base", () => menu.close() ?? remove(current()).catch(refused)),
  );
  const menu = attachMenu(byId("kb-menu"), "More", panel, "button");
}
