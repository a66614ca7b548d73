// Where documents come from beside uploads: web pages by their address, sites that are watched, and the folders,
// mailboxes and buckets that a program sends.

import { all, call, post } from "../lib/api.js";
import { announce, h, keepChildren } from "../lib/dom.js";
import { field, openForm, select } from "../lib/form.js";
import { age, count, inBrowser, plural } from "../lib/format.js";
import { confirmed, failure } from "../lib/notice.js";

const KINDS = {
  pages: "Web pages",
  sitemap: "Sitemap",
  feed: "Feed",
  folder: "Folder",
  mailbox: "Mailbox",
  bucket: "Bucket",
};
const ONCE = "page";
const WISHES = [
  { value: ONCE, label: "This page, once" },
  { value: "sitemap", label: "The pages of this sitemap, watched" },
  { value: "feed", label: "The pages of this feed, watched" },
];
const LISTED = 200;
// Paths divided by spaces or commas, each from the root of the site.
const PATHS = "[\\s,]*([\\/*][^\\s,]*([\\s,]+|$))*";
const LOOK_EVERY_MS = 2000;
const LOOKED_FOR_MS = 600_000;

const patterns = (text) => text.split(/[\s,]+/).filter(Boolean);
const UNITS = { folder: "file", bucket: "file", mailbox: "message" };
const unit = (kind) => UNITS[kind] ?? "page";
const isWatched = ({ kind }) => kind === "sitemap" || kind === "feed";

/** Asks for an address; fetches it, or watches it from now on. `follow` is called with the run that has begun. Resolves
 * to whether something was added. */
export function openAddress(kb, follow) {
  const url = h("input", { inputmode: "url", pattern: "\\s*[Hh][Tt][Tt][Pp][Ss]?://.+", name: "url", required: true, maxlength: 1000, autocomplete: "off", placeholder: "https://", "data-wrong": "Write an address that begins with https:// or http://." });
  const wish = select({ name: "wish" }, WISHES, ONCE);
  const paths = { autocomplete: "off", pattern: PATHS, "data-wrong": "A path begins with / or *, as /guide/*: leave out https:// and the name of the site." };
  const only = h("input", { ...paths, name: "include", placeholder: "/guide/* /news/*" });
  const not = h("input", { ...paths, name: "exclude", placeholder: "/guide/old/* *.xml" });
  const limit = h("input", { inputmode: "numeric", pattern: "[1-9][0-9]{0,3}", name: "limit", value: 200, required: true, "data-wrong": "Say how many pages at most, up to 5,000." });
  const delay = h("input", { inputmode: "numeric", pattern: "0*([1-9]|[12][0-9]|30)", name: "delay", value: 2, required: true, "data-wrong": "Say how many seconds pass between two pages, from 1 to 30." });
  const every = select({ name: "every" }, [{ value: "1", label: "Every hour" }, { value: "24", label: "Every day" }, { value: "168", label: "Every week" }], "24");
  const watching = h(
    "div",
    { hidden: true },
    field("Only paths like", only, "Divided by spaces, * stands for anything; nothing means every page of the site’s list."),
    field("Not paths like", not, "These are left out, whatever stands above."),
    h("div", { class: "note-row" }, field("Looked at", every), field("Pages at most", limit), field("Seconds between two pages", delay, "1 to 30; longer where the site asks for it.")),
  );
  const wait = h("p", { class: "muted", role: "status" });
  wish.addEventListener("change", () => {
    watching.hidden = wish.value === ONCE;
  });
  const save = async () => {
    wait.textContent = wish.value === ONCE ? "Fetching it; a slow site takes up to half a minute." : "";
    try {
      const wanted = { knowledge_base_id: kb.id, url: url.value.trim() };
      if (wish.value === ONCE) await fetchPage(wanted, follow);
      else await post("/v1/watches", { ...wanted, kind: wish.value, include: patterns(only.value), exclude: patterns(not.value), every_hours: Number(every.value), limit: Number(limit.value), delay_seconds: Number(delay.value) });
    } finally {
      wait.textContent = "";
    }
  };
  const fields = [field("Address", url, "Of a page or file, a sitemap (sitemap.xml), or a feed (RSS, Atom)."), field("What to add", wish), watching, wait];
  return openForm({ title: "Add from the web", fields, done: "Add", save });
}

/** Has the server fetch a page anew; what has changed becomes the next version. */
async function fetchPage(wanted, follow) {
  const found = await post("/v1/pages:fetch", wanted);
  announce(found.outcome === "same" ? `${found.url} is here as it is there` : `${found.url} is read`);
  if (found.ingestion_id) follow(found.ingestion_id);
  return found;
}

// The list and its rows as they were made: a row that says the same stays, and what is opened in another stays open.
const list = h("ul", { class: "plain rows" });
const section = h("section", { class: "sources", "aria-labelledby": "sources-title" }, h("h2", { id: "sources-title" }, "Sources"), list);
let rows = new Map();

function kept(source, kb, follow, reload) {
  const shown = JSON.stringify([source, told(source)]);
  const known = rows.get(source.id);
  if (known?.shown === shown) return known;
  const node = row(source, kb, follow, reload);
  const opened = known?.node.querySelector("details[open]");
  if (opened) node.querySelector("details").replaceWith(opened);
  return { shown, node };
}

/** The list of sources; null where there is none. `follow` as above, `reload` is called when one has gone. */
export async function sourceList(kb, follow, reload) {
  const found = await all(`/v1/sources?knowledge_base_id=${kb.id}`);
  rows = new Map(found.map((one) => [one.id, kept(one, kb, follow, reload)]));
  keepChildren(list, [...rows.values()].map(({ node }) => node));
  return found.length ? section : null;
}

function row(source, kb, follow, reload) {
  const name = source.kind === "pages" ? "Fetched by their address" : source.name;
  const details = h("details", {}, h("summary", {}, `${unit(source.kind)[0].toUpperCase()}${unit(source.kind).slice(1)}s`), h("div", {}));
  details.addEventListener("toggle", () => details.open && fill(details.lastElementChild, source, kb, follow), { once: true });
  return h(
    "li",
    { class: "source-row" },
    h("span", { class: "pill" }, KINDS[source.kind]),
    h("span", { class: "source-name" }, h("b", {}, name), h("small", { class: "muted" }, told(source)), isWatched(source) && h("small", { class: "muted" }, bounds(source.settings)), source.error && h("small", { class: "trouble" }, inBrowser(source.error))),
    kb.may_write && source.kind !== "pages" && h("span", { class: "source-acts" }, isWatched(source) && lookButton(source, reload), h("button", { type: "button", class: "button small", "aria-label": `${isWatched(source) ? "Stop watching" : "Forget"} ${source.name}`, onclick: (event) => remove(source, event.currentTarget, reload) }, isWatched(source) ? "Stop" : "Forget")),
    details,
  );
}

/** How many files it has, when it was looked at, and what that look found. */
function told({ files, kind, looked_at: looked, due_at: dueAt, result, settings }) {
  const many = plural(files, unit(kind));
  const found = Object.entries(result ?? {}).filter(([, number]) => number).map(([what, number]) => `${count(number)} ${what}`);
  const rhythm = isWatched({ kind }) ? `every ${plural(settings.every_hours, "hour")}` : "";
  const last = looked ? `looked at ${age(looked)}${found.length ? `: ${found.join(", ")}` : ""}` : rhythm ? "not looked at yet" : "";
  const due = looked && dueAt && new Date(dueAt) <= new Date() ? "to be looked at next" : "";
  return [many, rhythm, last, due].filter(Boolean).join(" · ");
}

/** Which pages of a site are fetched, and how fast. */
function bounds({ include, exclude, limit, delay_seconds: delay }) {
  const paths = [include.length && `only ${include.join(" ")}`, exclude.length && `not ${exclude.join(" ")}`];
  return [...paths, `${plural(limit, "page")} at most`, `${plural(delay, "second")} between two`].filter(Boolean).join(" · ");
}

/** Says something at the end of a button's row, in the place of what was said there before. */
function sayBelow(button, node) {
  const row = button.closest(".source-row");
  row?.querySelector(".source-said")?.remove();
  row?.append(node);
}

/** Has a site looked at before its time; what the look has found is shown when it has ended. */
function lookButton(source, reload) {
  const look = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    button.textContent = "Looking…";
    announce(`${source.name} is looked at`);
    try {
      await post(`/v1/watches/${source.id}/look`);
      if (await looked(source, button)) {
        announce(`${source.name} has been looked at`);
        await reload();
      } else sayBelow(button, h("small", { class: "muted source-said", role: "status" }, "It is looked at as soon as the deployment has time: within a day. What is found is shown here then."));
    } catch (error) {
      sayBelow(button, h("div", { class: "source-said" }, failure(error, { compact: true })));
    }
    button.disabled = false;
    button.textContent = "Look now";
  };
  return h("button", { type: "button", class: "button small", "aria-label": `Look at ${source.name} now`, onclick: look }, "Look now");
}

/** Resolves to whether the look has ended while its button was on the page. */
async function looked(source, button) {
  const until = Date.now() + LOOKED_FOR_MS;
  while (button.isConnected && Date.now() < until) {
    const now = await call(`/v1/sources/${source.id}`);
    if (now.looked_at !== source.looked_at) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return false;
}

async function remove(source, button, reload) {
  const watched = isWatched(source);
  const text = `Its ${plural(source.files, "document")} stay here; ${watched ? "they are not fetched again" : "what is sent from it next time is matched by its bytes alone"}.`;
  if (!(await confirmed(watched ? "Stop watching this site?" : "Forget this source?", text, { yes: watched ? "Stop watching" : "Forget it", no: "Leave it", danger: false }))) return;
  try {
    await call(`/v1/sources/${source.id}`, { method: "DELETE" });
    await reload();
  } catch (error) {
    sayBelow(button, h("div", { class: "source-said" }, failure(error, { compact: true })));
  }
}

/** The files or pages of a source, with what became of each. */
async function fill(place, source, kb, follow) {
  try {
    const { items } = await call(`/v1/sources/${source.id}/items?limit=${LISTED}`);
    const line = (item) =>
      h(
        "li",
        {},
        item.document_id ? h("a", { href: `/documents/${item.document_id}` }, item.path) : h("span", {}, item.path),
        h("small", { class: item.error ? "trouble" : "muted" }, (!item.gone_at && inBrowser(item.error)) || state(item)),
        source.kind === "pages" && kb.may_write && again(item, kb, follow),
      );
    const more = source.files > items.length ? `and ${count(source.files - items.length)} more` : "";
    place.replaceChildren(h("ul", { class: "plain source-items" }, items.map(line)), more && h("p", { class: "muted" }, more));
  } catch (error) {
    place.replaceChildren(failure(error, { compact: true }));
  }
}

const state = (item) => (item.gone_at ? `${item.error ? "not there any more" : "not listed any more"}, since ${age(item.gone_at)}${item.document_id ? "; kept here" : ""}` : [item.status, item.checked_at && `looked at ${age(item.checked_at)}`].filter(Boolean).join(", "));

function again(item, kb, follow) {
  const said = h("small", { class: "muted", role: "status" });
  const fetchIt = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    said.textContent = "fetching…";
    try {
      const found = await fetchPage({ knowledge_base_id: kb.id, url: item.path }, follow);
      said.textContent = found.outcome === "same" ? "the same as before" : "changed: it is read";
    } catch (error) {
      said.textContent = inBrowser(error.detail || error.message);
    }
    button.disabled = false;
  };
  return h("span", { class: "source-again" }, said, h("button", { type: "button", class: "button small", "aria-label": `Fetch ${item.path} again`, onclick: fetchIt }, "Fetch again"));
}
