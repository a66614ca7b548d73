// The documents of one knowledge base: list, upload by button or by dropping anywhere, live ingestions; and what can be
// done with the knowledge base itself.

import { all, call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { bytes, count, plural } from "../lib/format.js";
import { attachDialog, findBySlug, noSuchBase } from "../lib/knowledge_base.js";
import { attachMenu } from "../lib/menu.js";
import { confirmed, failure } from "../lib/notice.js";
import { IngestionList } from "./ingestions.js";
import { rows } from "./rows.js";
import { acceptDrops, upload } from "./upload.js";
import { showSuggestions } from "./versions.js";

const { slug } = byId("main").dataset;
const { formats } = byId("file-input").dataset;
const place = byId("documents");
let kb = null;
let ingestions = null;

function emptyShelf() {
  return h(
    "div",
    { class: "drop-zone" },
    h("h2", {}, "Nothing here yet"),
    h("p", {}, `Drop ${formats} files anywhere on this page, or use “Upload files” above.`),
    h("p", {}, "Each is read page by page; you can look inside while it runs."),
  );
}

const nameOf = (node) => node?.getAttribute("aria-label") ?? node?.getAttribute("href");

/** What is focused among what is drawn anew; of a menu its button, which is there before it is opened. */
function focusedName() {
  const focused = document.activeElement;
  if (![place, byId("suggestions")].some((part) => part?.contains(focused))) return null;
  return nameOf(focused.closest(".menu")?.querySelector(".menu-button") ?? focused) ?? "";
}

/** The element of that name, or else the list; nothing where the focus went elsewhere meanwhile. */
function focusAgain(name) {
  if (name === null || document.activeElement !== document.body) return;
  const list = place.querySelector("ul") ?? place;
  const again = [...place.querySelectorAll("[aria-label], [href]")].find((node) => nameOf(node) === name);
  if (!again) list.tabIndex = -1;
  (again ?? list).focus();
}

async function loadDocuments() {
  const focused = focusedName();
  try {
    const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
    const list = documents.length
      ? [
          rows(documents, loadDocuments, (id) => ingestions.watch(id)),
          h("p", { class: "drop-hint-line" }, `Drop ${formats} files anywhere on this page to add them.`),
        ]
      : [emptyShelf()];
    place.replaceChildren(...list);
    await showSuggestions(kb, loadDocuments);
    focusAgain(focused);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: loadDocuments }));
  }
  place.setAttribute("aria-busy", "false");
}

async function take(files) {
  await Promise.all(
    [...files].map((file) => {
      const entry = ingestions.begin(file.name, `${bytes(file.size)}, preparing`);
      return upload(file, kb.id, entry).then((id) => id && ingestions.watch(id, entry));
    }),
  );
}

function show() {
  document.title = `${kb.name} · autri`;
  byId("kb-name").textContent = kb.name;
  byId("kb-description").textContent = kb.description;
  byId("ask-link").hidden = kb.chunks === 0;
  byId("ask-link").href = `/playground?kb=${encodeURIComponent(kb.slug)}`;
  byId("evaluation-link").hidden = kb.chunks === 0;
  byId("evaluation-link").href = `/kb/${encodeURIComponent(kb.slug)}/evaluation`;
  byId("drop-hint").textContent = `into ${kb.name}`;
}

async function remove() {
  const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
  const chunks = documents.reduce((sum, item) => sum + item.chunks, 0);
  const text = `Its ${plural(documents.length, "document")} with ${count(chunks)} chunks, and its traces and evaluations, go with it. This cannot be undone.`;
  if (!(await confirmed(`Delete ${kb.name}?`, text))) return;
  await call(`/v1/knowledge-bases/${kb.id}`, { method: "DELETE" });
  location.assign("/");
}

/** The menu in which the knowledge base is renamed or deleted. */
function attachKnowledgeBaseMenu() {
  const refused = (error) => place.prepend(failure(error, { compact: true }));
  const openRename = attachDialog("rename", async (wanted) => {
    kb = await call(`/v1/knowledge-bases/${kb.id}`, { method: "PATCH", body: wanted });
    show();
    announce(`It is called ${wanted.name} now`);
  });
  const entry = (text, work) => h("button", { type: "button", class: "menu-item", onclick: work }, text);
  const panel = h(
    "div",
    {},
    entry("Rename or describe", () => menu.close() ?? openRename(kb)),
    entry("Delete knowledge base", () => menu.close() ?? remove().catch(refused)),
  );
  const menu = attachMenu(byId("kb-menu"), "More", panel, "button");
}

function unknown() {
  byId("kb-name").textContent = "No such knowledge base";
  place.replaceChildren(noSuchBase(slug));
  place.setAttribute("aria-busy", "false");
}

async function start() {
  try {
    kb = await findBySlug(slug);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: start }));
    return;
  }
  if (!kb) {
    unknown();
    return;
  }
  show();
  attachKnowledgeBaseMenu();
  ingestions = new IngestionList(byId("ingestions"), loadDocuments);
  byId("file-input").addEventListener("change", (event) => {
    take(event.target.files);
    event.target.value = "";
  });
  acceptDrops(byId("drop-veil"), take);
  await loadDocuments();
  await ingestions.resume(kb.id);
}

start();
