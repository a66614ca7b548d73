// What is not well with a digest: stale statements, statements without a source, files over or near their limit.

import { h } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { emptiness } from "../lib/notice.js";
import { hrefOf, nameOf } from "./address.js";

const NEAR = 0.9;

const list = (title, text, files, said, all) =>
  files.length > 0 && h("section", { class: "digest-ill" }, h("h3", {}, title), h("p", { class: "muted" }, text), h("ul", { class: "plain digest-lines" }, files.map((file) => h("li", { class: "digest-entry" }, h("a", { href: hrefOf(file.path) }, h("bdi", {}, nameOf(file, all))), h("span", { class: "muted" }, h("code", {}, file.path), " · ", said(file))))));

export function healthView(files) {
  const stale = files.filter((file) => file.stale).sort((a, b) => b.stale - a.stale);
  const uncited = files.filter((file) => file.uncited).sort((a, b) => b.uncited - a.uncited);
  const over = files.filter((file) => file.size > file.limit);
  const near = files.filter((file) => file.size <= file.limit && file.size > NEAR * file.limit).sort((a, b) => b.size / b.limit - a.size / a.limit);
  const size = (file) => `${count(file.size)} of ${count(file.limit)}`;
  const parts = [
    list("Stale", "What these statements stand on was superseded, corrected or deleted. The next update writes them anew or takes them out.", stale, (file) => `${file.stale} of ${file.statements} statements`, files),
    list("Without a source", "People wrote these, and nothing here bears them out.", uncited, (file) => `${file.uncited} of ${file.statements} statements`, files),
    list("Over the limit", "The next update splits them.", over, size, files),
    list("Near the limit", "They are split when they grow.", near, size, files),
  ].filter(Boolean);
  const head = h("header", { class: "digest-head" }, h("h2", {}, "Health"));
  return h("article", { class: "digest-file" }, head, parts.length ? parts : emptiness("All is well", "Every statement has a source that is current, and every file is within its limit."));
}
