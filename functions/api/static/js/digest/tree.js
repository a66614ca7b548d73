// The topics of a digest as its indexes list them, each with its two files and what is not well with them.

import { h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { hrefOf, nameOf } from "./address.js";

const link = (file, label, path) => h("a", { class: "digest-link", href: hrefOf(file.path), "aria-current": file.path === path ? "true" : null, title: file.path }, h("bdi", {}, label));

/** Signs of a file: statements that are stale, and that people wrote. */
export function signs({ stale, by_people: people }) {
  return [
    stale > 0 && h("span", { class: "digest-sign stale", title: `${plural(stale, "statement")} stale` }, `${stale} stale`),
    people > 0 && h("span", { class: "digest-sign people", title: `${plural(people, "statement")} of people` }, "edited"),
  ];
}

function topicItem(files, path, all) {
  const [first] = files;
  const name = nameOf(first, all);
  const other = files.find((file) => file.tier === "description" && file !== first);
  return h(
    "li",
    {},
    h("span", { class: "digest-topic" }, link(first, name, path), signs({ stale: files.reduce((sum, one) => sum + one.stale, 0), by_people: files.reduce((sum, one) => sum + one.by_people, 0) })),
    other && h("a", { class: "digest-more", href: hrefOf(other.path), "aria-current": other.path === path ? "true" : null, "aria-label": `${name}, in full` }, "in full"),
  );
}

function indexItem(index, files, path) {
  const below = files.filter((file) => file.tier === "index" && file.parent_id === index.id);
  const own = files.filter((file) => file.parent_id === index.id && file.topic_id);
  const topics = Map.groupBy ? Map.groupBy(own, (file) => file.topic_id) : grouped(own);
  const ordered = [...topics.values()].map((pair) => pair.sort((a, b) => (a.tier < b.tier ? 1 : -1)));
  const list = h("ul", { class: "plain digest-list" }, below.map((one) => indexItem(one, files, path)), ordered.map((pair) => topicItem(pair, path, files)));
  return h("li", {}, link(index, index.parent_id ? index.title : "Index", path), list);
}

function grouped(files) {
  const found = new Map();
  for (const file of files) found.set(file.topic_id, [...(found.get(file.topic_id) ?? []), file]);
  return found;
}

export function treeView(files, path, view, events) {
  const tops = files.filter((file) => file.tier === "index" && !file.parent_id);
  const sick = files.filter((file) => file.stale || file.uncited || file.size > file.limit).length;
  return h(
    "nav",
    { class: "digest-tree", "aria-label": "Topics" },
    h("a", { class: "digest-link health", href: hrefOf("", "health"), "aria-current": view === "health" ? "true" : null }, "Health", sick > 0 && h("span", { class: "digest-sign stale" }, plural(sick, "file"))),
    (events > 0 || view === "events") && h("a", { class: "digest-link health", href: hrefOf("", "events"), "aria-current": view === "events" ? "true" : null }, "Events", h("span", { class: "digest-sign" }, count(events))),
    h("ul", { class: "plain digest-list" }, tops.map((one) => indexItem(one, files, path))),
  );
}
