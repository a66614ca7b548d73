// What changed from one version of a document to another: counts that filter, and a list that can be read from top to
// bottom, each change with links to where it stands in either version.

import { call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { count, plural, versionName } from "../lib/format.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { emptiness, failure, waiting } from "../lib/notice.js";
import { article } from "./item.js";

const AT_ONCE = 40;
const { documentId: a, otherId: b } = byId("main").dataset;
const place = byId("items");
let diff = null;
let shown = "all";
let current = -1;

const differs = (item) => item.status !== "unchanged";
const flagged = (flag) => (item) => item.flags.includes(flag);

// The kinds of change that the list can be narrowed to, in the order of what matters most.
const FILTERS = [
  { name: "all", label: "All changes", passes: differs },
  { name: "meaning", label: "More than wording", passes: (item) => item.status === "changed" && item.meaning === "changed" },
  { name: "numbers", label: "Numbers", passes: (item) => ["numbers", "units"].some((flag) => item.flags.includes(flag)) },
  { name: "modality", label: "Must, should, may", passes: flagged("modality") },
  { name: "negation", label: "Not, never", passes: flagged("negation") },
  { name: "limits", label: "Limits", passes: flagged("limits") },
  { name: "added", label: "Added", passes: (item) => item.status === "added" },
  { name: "removed", label: "Removed", passes: (item) => item.status === "removed" },
  { name: "moved", label: "Moved", passes: (item) => item.moved },
  { name: "wording", label: "Small wording changes", passes: (item) => item.meaning === "same" },
  { name: "unchanged", label: "Unchanged", passes: (item) => !differs(item) },
];

const filterOf = (name) => FILTERS.find((filter) => filter.name === name);

/** What the two versions are called on the page: by their labels, and by their files where those are the same. */
function labelsOf(one, two) {
  const same = versionName(one) === versionName(two);
  return Object.fromEntries(
    [one, two].map((side) => [side.id, same ? side.name.replace(/\.[a-z]{2,5}$/i, "") : versionName(side)]),
  );
}

const label = (side) => diff.labels[side.id];

/** With its file, where the label is not the file's name already. */
const named = (side) => (side.name.startsWith(label(side)) ? side.name : `${label(side)} (${side.name})`);

function wanted() {
  return diff.items.filter(filterOf(shown).passes);
}

/** Draws the list bit by bit: the next changes when the end comes near. */
function draw() {
  const items = wanted();
  current = -1;
  if (!items.length) {
    place.replaceChildren(emptiness("Nothing here", "No section changed in this way. Choose another filter above."));
    return;
  }
  const list = h("div", { class: "diff-items" });
  const end = h("button", { type: "button", class: "button diff-more" }, "Show more");
  let drawn = 0;
  const more = () => {
    list.append(...items.slice(drawn, drawn + AT_ONCE).map((item) => article(item, diff)));
    drawn += AT_ONCE;
    end.hidden = drawn >= items.length;
  };
  end.addEventListener("click", more);
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && !end.hidden && more(), {
    rootMargin: "600px",
  }).observe(end);
  more();
  place.replaceChildren(list, end);
}

function choose(name, say = true) {
  shown = name;
  for (const button of byId("filters").children)
    button.setAttribute("aria-pressed", String(button.dataset.filter === name));
  const address = new URL(location.href);
  if (name === "all") address.searchParams.delete("show");
  else address.searchParams.set("show", name);
  history.replaceState(null, "", address);
  draw();
  if (say) announce(`${filterOf(name).label}: ${plural(wanted().length, "section")}`);
}

function filters() {
  byId("filters").replaceChildren(
    ...FILTERS.map((filter) => {
      const number = diff.items.filter(filter.passes).length;
      return h(
        "button",
        {
          type: "button",
          class: `pill diff-filter ${filter.name}`,
          "aria-pressed": "false",
          data: { filter: filter.name },
          disabled: number === 0 && filter.name !== "all",
          onclick: () => choose(filter.name),
        },
        filter.label,
        h("b", {}, count(number)),
      );
    }),
  );
}

function head() {
  const name = diff.b.version.logical_document_name;
  document.title = `${name}: ${label(diff.a)} → ${label(diff.b)} · autri`;
  byId("diff-name").textContent = name;
  byId("diff-versions").textContent = `${named(diff.a)} → ${named(diff.b)}`;
  const links = { swap: [`/documents/${b}/diff/${a}`, "Swap"] };
  links["open-a"] = [`/documents/${a}`, `Open ${label(diff.a)}`];
  links["open-b"] = [`/documents/${b}`, `Open ${label(diff.b)}`];
  for (const [id, [href, text]] of Object.entries(links)) {
    byId(id).href = href;
    byId(id).textContent = text;
    byId(id).hidden = false;
  }
  const by = diff.vectors ? "number, title, words and vectors" : "number, title and words (they have no vectors of one embedder)";
  byId("note").textContent = `Sections are matched by ${by}. A small wording change is one of articles, punctuation, spelling or a plural: every other word is the same. Anything else may change what is said. Changed numbers, limits, negations and obligations are marked.`;
}

function step(by) {
  const items = [...place.querySelectorAll(".diff-item")];
  if (!items.length) return;
  current = Math.min(Math.max(current + by, 0), items.length - 1);
  items[current].focus();
  items[current].scrollIntoView({ block: "nearest" });
}

/** Where it stands now; where it stood when it is gone. */
function open(item) {
  (item.querySelector("a.place-b") ?? item.querySelector("a.place-a"))?.click();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (event.key === "j") step(1);
  if (event.key === "k") step(-1);
  if (event.key === "Enter" && event.target.matches(".diff-item")) open(event.target);
});
place.addEventListener("focusin", (event) => {
  const item = event.target.closest(".diff-item");
  if (item) current = [...place.querySelectorAll(".diff-item")].indexOf(item);
});

async function start() {
  const done = waiting(place, "Comparing the two versions…");
  try {
    diff = await call(`/v1/documents/${a}/diff/${b}`);
    diff.labels = labelsOf(diff.a, diff.b);
    head();
    filters();
    const asked = new URLSearchParams(location.search).get("show");
    choose(FILTERS.some((filter) => filter.name === asked) ? asked : "all", false);
    // Without the name of its knowledge base the way leads to all of them.
    await call(`/v1/documents/${b}`)
      .then((item) => showCrumb(item.knowledge_base_id))
      .catch((error) => console.warn(error));
  } catch (error) {
    place.replaceChildren(failure(error, { retry: start, next: { href: "/", label: "All knowledge bases" } }));
    byId("diff-name").textContent = "Differences";
  } finally {
    done();
    place.setAttribute("aria-busy", "false");
  }
}

start();
