// The digest of one knowledge base: its topics beside one file, or its health; the address says which.

import { all, call, post } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { age, plural } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { confirmed, emptiness, failure, waiting } from "../lib/notice.js";
import { attachPreview } from "../playground/preview.js";
import { hrefOf } from "./address.js";
import { eventsView } from "./events.js";
import { fileView } from "./file.js";
import { openImport } from "./folder.js";
import { healthView } from "./health.js";
import { historyView } from "./history.js";
import { treeView } from "./tree.js";

const { slug } = byId("main").dataset;
const place = byId("digest");
const state = { kb: null, status: null, files: [], model: null };
// Views of the whole digest, with what they are called.
const ALONE = { health: "Health", events: "Events" };
const base = () => `/v1/knowledge-bases/${state.kb.id}`;

/** What the address asks for: a file by its path, of that its text or history; or the health or the events of all. */
function wish() {
  const asked = new URL(location.href).searchParams;
  return { path: asked.get("file") ?? "index.md", view: asked.get("view") ?? "text" };
}

const LEAD = byId("digest-lead").textContent;

function lead() {
  if (!state.status.topics) return void (byId("digest-lead").textContent = LEAD);
  const { topics, statements, stale, uncited, updated_at: at, behind } = state.status;
  const parts = [plural(topics, "topic"), plural(statements, "statement"), stale && `${stale} stale`, uncited && `${uncited} without a source`, behind && "behind its documents", at && `updated ${age(at)}`];
  byId("digest-lead").textContent = parts.filter(Boolean).join(" · ");
}

const updateButton = (label) => h("button", { type: "button", class: "button primary", id: "digest-update", onclick: (event) => update(event.currentTarget).catch(trouble) }, label);

function headActions() {
  const act = (label, id, work, kind = "") => h("button", { type: "button", class: `button ${kind}`, id, onclick: work }, label);
  const edits = state.kb.may_write;
  byId("head-actions").replaceChildren(
    ...[
      state.status.topics > 0 && h("a", { class: "button", id: "digest-export", href: `${base()}/digest:export`, download: "" }, "Export"),
      state.status.topics > 0 && edits && act("Import…", "digest-import", () => openImport(base(), changed).catch(trouble)),
      state.status.topics > 0 && edits && (state.status.writes || state.model) && writingButton(),
      state.status.topics > 0 && edits && updateButton("Update"),
    ].filter(Boolean),
  );
}

/** After somebody's change: what stands there now, and that it is kept. */
async function changed() {
  byId("said").replaceChildren();
  await reload();
  byId("digest-pane")?.focus({ preventScroll: true });
  announce("Saved as a new version.");
}

const trouble = (error) => byId("said").replaceChildren(failure(error, { safe: "The digest is as it was.", compact: true }));

/** Who words the summaries: a model, of whose sentences those stay that the documents bear out, or the documents alone. */
function writingButton() {
  const writes = !state.status.writes;
  const said = writes ? `${state.model} writes the summaries from now on…` : "Reading what is new…";
  return h(
    "button",
    { type: "button", class: "button", id: "digest-writing", onclick: (event) => update(event.currentTarget, { write: writes }, said).catch(trouble) },
    writes ? `Have ${state.model} write` : "Quote only",
  );
}

async function update(button, wanted = {}, said = "Reading what is new…") {
  button.disabled = true;
  const done = waiting(byId("said"), said);
  try {
    const found = await post(`${base()}/digest:update`, wanted);
    await reload();
    byId("digest-update")?.focus({ preventScroll: true });
    const touched = found.added.length + found.changed.length + found.removed.length;
    const written = found.written ? ` ${plural(found.written, "summary", "summaries")} written.` : "";
    const told = !state.status.topics ? "There is nothing to read yet: add documents or notes." : touched || written ? `${plural(touched, "file")} changed.${written}` : "Nothing has changed since.";
    byId("said").replaceChildren(h("p", {}, found.more ? `${told} There is more to read: update again.` : told));
  } finally {
    done();
    button.disabled = false;
  }
}

async function reload() {
  [state.status, state.files] = await Promise.all([call(`${base()}/digest`), all(`${base()}/digest/files`)]);
  state.model ??= (await all("/v1/models").catch(() => [])).find((one) => one.usual && one.name !== "quotations")?.name ?? null;
  lead();
  headActions();
  await draw();
}

function nothing() {
  return emptiness(
    "There is no digest yet",
    "A digest says what the documents say, topic by topic: an index, summaries and descriptions, every statement with its source. It keeps itself up to date.",
    ...(state.kb.may_write ? [updateButton("Build it")] : []),
  );
}

async function draw() {
  if (!state.status.topics) return place.replaceChildren(nothing());
  const { path, view } = wish();
  const entry = state.files.find((file) => file.path === path);
  const pane = h("section", { class: "digest-pane", id: "digest-pane", tabindex: "-1", "aria-label": ALONE[view] ?? (entry?.title ?? "File") });
  place.replaceChildren(h("div", { class: "digest-desk" }, treeView(state.files, ALONE[view] ? "" : path, view, state.status.events), pane));
  try {
    pane.replaceChildren(await paneOf(entry, path, view));
  } catch (error) {
    pane.replaceChildren(failure(error, { safe: "The digest is as it was.", retry: draw }));
  }
}

async function paneOf(entry, path, view) {
  if (view === "health") return healthView(state.files);
  if (view === "events") return eventsView(state.kb.id);
  if (!entry) return emptiness(`There is no file “${path}”`, "It may have been merged into another, or split.", h("a", { class: "button", href: hrefOf("index.md") }, "To the index"));
  if (view === "history") return historyView(base(), entry, { files: state.files, mayWrite: state.kb.may_write, changed, sure: sureToRestore });
  const at = `${base()}/digest/files/${entry.id}`;
  const [file, sources] = await Promise.all([call(at), call(`${at}/sources`)]);
  return fileView(base(), file, sources, { files: state.files, mayWrite: state.kb.may_write, changed });
}

const sureToRestore = (version) =>
  confirmed(`Restore version ${version}?`, "What it said becomes a new version, as your edit. The versions between stay in the history.", { yes: "Restore", no: "Cancel", danger: false });

/** Links within the page change what is shown, without loading it anew. */
function go(event) {
  const link = event.target.closest?.('a[href^="?"]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  byId("said").replaceChildren();
  history.pushState(null, "", link.getAttribute("href"));
  draw().then(() => {
    byId("digest-pane")?.focus({ preventScroll: true });
    byId("digest-pane")?.scrollIntoView({ block: "nearest" });
    announce(byId("digest-pane")?.getAttribute("aria-label") ?? "");
  });
}

document.addEventListener("click", go);
addEventListener("popstate", draw);
attachPreview(byId("preview"), document);
openPageOf(slug, place, "Digest", async (kb) => {
  state.kb = kb;
  await reload();
  place.setAttribute("aria-busy", "false");
});
