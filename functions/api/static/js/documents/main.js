// The documents of one knowledge base: list, upload by button or by dropping anywhere, live ingestions; and what can be
// done with the knowledge base itself.

import { may, onOneMachine } from "../lib/account.js";
import { all, call } from "../lib/api.js";
import { announce, byId, h, keepChildren } from "../lib/dom.js";
import { bytes, count, plural } from "../lib/format.js";
import { focusAgain, focusedName } from "../lib/focus.js";
import { attachDialog, findBySlug, lockSign, noSuchBase } from "../lib/knowledge_base.js";
import { attachMenu } from "../lib/menu.js";
import { confirmed, emptiness, failure } from "../lib/notice.js";
import { checklist, stepsOf } from "../lib/onboarding.js";
import { accessDialog } from "./access.js";
import { chosenFiles } from "./folders.js";
import { IngestionList } from "./ingestions.js";
import { isRefused, refusals } from "./rows.js";
import { Shelf } from "./shelf.js";
import { openAddress, sourceList } from "./sources.js";
import { acceptDrops, upload } from "./upload.js";
import { showSuggestions } from "./versions.js";

const { slug } = byId("main").dataset;
const { formats } = byId("file-input").dataset;
const place = byId("documents");
// Files that are sent at the same time; of more than that, each is followed to its end before the next begins.
const AT_ONCE = 8;
let kb = null;
let ingestions = null;
let list = null;
let stepsShown = "";
let loading = null;
let next = null;

// What can be read, folded: it is a long list. One node, so that it stays open when the documents are loaded again.
const readable = h("details", { class: "readable" }, h("summary", {}, "Which files can be read?"), h("p", {}, `${formats}.`));

function emptyShelf() {
  if (!kb.may_write) return emptiness("Nothing here yet", "You may read this knowledge base; whoever may write to it uploads its documents.");
  return h(
    "div",
    { class: "drop-zone" },
    h("h2", {}, "Nothing here yet"),
    h("p", {}, "Drop files, folders or ZIP files anywhere on this page, or use “Upload files” above."),
    h("p", {}, "Each is read page by page; you can look inside while it runs."),
    readable,
  );
}

/** Loads one after the other, so that no older answer is drawn over a newer one; whoever asks meanwhile shares the next. */
function loadDocuments() {
  if (!loading) {
    loading = loadOnce().finally(() => {
      loading = null;
    });
    return loading;
  }
  next ??= loading.then(() => {
    next = null;
    return loadDocuments();
  });
  return next;
}

async function loadOnce() {
  const focused = focusedName(place, byId("suggestions"));
  try {
    const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
    showWays(documents.some((item) => item.chunks > 0));
    const shelf = documents.filter((item) => !isRefused(item));
    const refused = documents.filter(isRefused);
    list ??= new Shelf({ reload: loadDocuments, watch: follow, writable: kb.may_write });
    list.approvedOnly = kb.approved_only;
    list.show(shelf);
    const parts = shelf.length
      ? [
          list.node,
          kb.may_write &&
            h("div", { class: "drop-hint-line" }, h("p", {}, "Drop files, folders or ZIP files anywhere on this page to add them. A document’s name opens its pages with what was read of each."), readable),
        ]
      : [emptyShelf()];
    if (refused.length) parts.push(refusals(refused, loadDocuments, follow, kb.may_write));
    keepChildren(place, parts.filter(Boolean));
    await Promise.all([showSteps(shelf), showLeft(), showSources(), kb.may_write && showSuggestions(kb, loadDocuments)]);
    focusAgain(place, focused);
  } catch (error) {
    place.replaceChildren(failure(error, { retry: loadDocuments }));
  }
  place.setAttribute("aria-busy", "false");
}

/** Web pages, watched sites and folders that are sent. */
async function showSources() {
  const found = await sourceList(kb, follow, loadDocuments).catch((error) => failure(error, { compact: true }));
  keepChildren(byId("sources"), found ? [found] : []);
}

const follow = (id) => ingestions.watch(id);

/** What is added in other ways than by choosing files. */
function attachAdding() {
  const entry = (text, work) => h("button", { type: "button", class: "menu-item", onclick: () => menu.close() ?? work() }, text);
  const address = async () => {
    if (await openAddress(kb, follow)) await loadDocuments();
  };
  const menu = attachMenu(
    byId("add-menu"),
    "Add",
    h("div", {}, entry("A folder", () => byId("folder-input").click()), entry("A web page, or a site to watch", address)),
    "button",
  );
  byId("folder-input").addEventListener("change", (event) => {
    take(chosenFiles(event.target.files));
    event.target.value = "";
  });
}

/** How much is left to review, on the way there. */
async function showLeft() {
  const { chunks, pages } = await call(`/v1/knowledge-bases/${kb.id}/review/left`);
  const number = chunks + pages;
  document.querySelector("[data-tab=review]").replaceChildren("Review", ...(number ? [" ", h("b", { class: "count" }, count(number)), h("span", { class: "visually-hidden" }, " left to look at")] : []));
}

/** What is still to do for a first answer, while nothing much is here. */
async function showSteps(documents) {
  const chunks = documents.reduce((sum, item) => sum + item.chunks, 0);
  const ready = documents.find((item) => item.chunks > 0);
  const steps = await stepsOf({ bases: 1, documents: documents.length, chunks, slug, inspect: ready && `/documents/${ready.id}` });
  // What says the same stays, under a press and with the focus.
  const now = JSON.stringify(steps);
  if (now === stepsShown) return;
  stepsShown = now;
  byId("steps").replaceChildren(...(steps && kb.may_write ? [checklist(steps, () => byId("file-input").click())] : []));
}

/** Sends the files, a few at a time, so that a folder of thousands neither fills the page nor the line. Of many, one card
 * says how many have ended, and in the end which were not taken and why. */
async function take(files) {
  const left = [...files];
  const told = files.length > AT_ONCE ? ingestions.batch(files.length) : null;
  const send = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const name = next.path ?? next.file.name;
      const entry = ingestions.begin(name, next.file ? `${bytes(next.file.size)}, preparing` : "");
      const id = await upload(next, kb.id, entry);
      const followed = id ? ingestions.watch(id, entry) : null;
      if (!told) continue;
      await followed;
      told.ended(name, entry);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
}

function show() {
  document.title = `${kb.name} · autri`;
  byId("kb-name").replaceChildren(kb.name, ...(kb.restricted ? [lockSign()] : []));
  byId("upload").hidden = !kb.may_write;
  byId("kb-description").replaceChildren(kb.description, ...(kb.approved_only ? [" ", h("span", { class: "pill" }, "Only approved documents answer")] : []));
  showWays(kb.chunks > 0);
  byId("ask-link").dataset.kb = kb.slug;
  byId("ask-link").href = `/playground?kb=${encodeURIComponent(kb.slug)}`;
  byId("drop-hint").textContent = `into ${kb.name}`;
}

/** What can be done with something that has been read. */
function showWays(read) {
  byId("ask-link").hidden = !read;
}

async function remove() {
  const documents = await all(`/v1/documents?knowledge_base_id=${kb.id}`);
  const chunks = documents.reduce((sum, item) => sum + item.chunks, 0);
  const text = `Its ${plural(documents.length, "document")} with ${count(chunks)} chunks, and its traces and evaluations, go with it. This cannot be undone.`;
  if (!(await confirmed(`Delete ${kb.name}?`, text))) return;
  await call(`/v1/knowledge-bases/${kb.id}`, { method: "DELETE" });
  location.assign("/");
}

/** Whether only approved documents answer, after a question that says what that means. */
async function changeApproval() {
  const wish = !kb.approved_only;
  const [title, text, yes] = wish
    ? ["Let only approved documents answer?", "Search and answers leave out every document that nobody approved, from now on. They stay here and can be read, and you can take this back.", "Only approved ones"]
    : ["Let every document answer?", "Search and answers show documents that nobody approved too; those that were rejected stay left out.", "Every document"];
  if (!(await confirmed(title, text, { yes, no: "Leave it", danger: false }))) return;
  Object.assign(kb, await call(`/v1/knowledge-bases/${kb.id}`, { method: "PATCH", body: { approved_only: wish } }));
  announce(wish ? "Only approved documents answer now" : "Every document answers now");
  show();
  await loadDocuments();
}

/** The menu in which the knowledge base is renamed, kept to some, or deleted; for who may only read, who sees it. */
function attachKnowledgeBaseMenu() {
  const refused = (error) => place.prepend(failure(error, { compact: true }));
  // On one machine there is nobody to keep it from.
  const sharing = !onOneMachine && (may("admin") || kb.restricted);
  const openAccess = async () => {
    if (!(await accessDialog(kb))) return;
    Object.assign(kb, await call(`/v1/knowledge-bases/${kb.id}`));
    show();
  };
  const openRename = attachDialog("rename", async (wanted) => {
    kb = await call(`/v1/knowledge-bases/${kb.id}`, { method: "PATCH", body: wanted });
    show();
    announce(`It is called ${wanted.name} now`);
  });
  const entry = (text, work) => h("button", { type: "button", class: "menu-item", onclick: work }, text);
  const approval = entry("Only approved documents answer", () => menu.close() ?? changeApproval().then(say).catch(refused));
  const say = () => (approval.textContent = kb.approved_only ? "Every document answers" : "Only approved documents answer");
  say();
  const panel = h(
    "div",
    {},
    kb.may_write && entry("Rename or describe", () => menu.close() ?? openRename(kb)),
    sharing && entry("Who sees it", () => menu.close() ?? openAccess().catch(refused)),
    kb.may_write && approval,
    kb.may_write && entry("Delete knowledge base", () => menu.close() ?? remove().catch(refused)),
  );
  if (!panel.childElementCount) return;
  const menu = attachMenu(byId("kb-menu"), "More", panel, "button");
}

/** Deleted since the page was made, or seen by nobody on this machine. */
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
    take([...event.target.files].map((file) => ({ file, path: null })));
    event.target.value = "";
  });
  if (kb.may_write) attachAdding();
  document.addEventListener("note-saved", loadDocuments);
  if (kb.may_write) acceptDrops(byId("drop-veil"), take, (error) => place.prepend(failure(error, { compact: true })));
  await loadDocuments();
  await ingestions.resume(kb.id);
}

start();
