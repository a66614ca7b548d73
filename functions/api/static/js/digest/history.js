// The versions of a file: who changed what, compared line by line, and restored.

import { all, call, post } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { age } from "../lib/format.js";
import { failure } from "../lib/notice.js";
import { fileHead } from "./file.js";

const SIGNS = { "+": "added", "-": "removed", "@": "place" };

/** A unified diff, each line with its sign in words for those who do not see the colours. */
export function diffView({ diff, added, removed }) {
  const lines = diff.split("\n").filter((line) => line && !line.startsWith("+++") && !line.startsWith("---"));
  const shown = lines.map((line) => h("span", { class: `diff-line ${SIGNS[line[0]] ?? "same"}` }, line, "\n"));
  return h("div", {}, h("p", { class: "muted" }, `${added} added, ${removed} removed`), h("pre", { class: "digest-diff", tabindex: "0", "aria-label": "What changed" }, shown.length ? shown : "No line differs."));
}

function versionItem(base, entry, version, { mayWrite, changed, sure, current }) {
  const place = h("div", { class: "digest-compared" });
  const say = (error) => place.replaceChildren(failure(error, { safe: "The digest is as it was.", compact: true }));
  const compare = async (from, to) => {
    const found = await call(`${base}/digest/files/${entry.id}/diff?former=${from}&later=${to}`);
    place.replaceChildren(diffView(found));
  };
  const restore = async () => {
    if (!(await sure(version.version))) return;
    await post(`${base}/digest/files/${entry.id}/restore`, { number: version.number });
    await changed();
  };
  const act = (label, work) => h("button", { type: "button", class: "button small", onclick: () => work().catch(say) }, label);
  return h(
    "li",
    { class: "digest-version" },
    h("div", { class: "digest-version-head" }, h("b", {}, version.version), h("span", {}, version.changed_by === "user" ? h("bdi", {}, version.author || "a person") : `the ${version.changed_by}`), h("time", { class: "muted", datetime: version.created_at, title: version.created_at }, age(version.created_at)), version.number === current && h("span", { class: "digest-sign" }, "current")),
    h("p", {}, version.change_summary),
    h(
      "div",
      { class: "digest-acts" },
      version.number > 1 && act("What changed", () => compare(version.number - 1, version.number)),
      version.number !== current && act("Compare with now", () => compare(version.number, current)),
      mayWrite && version.number !== current && act("Restore", restore),
    ),
    place,
  );
}

export async function historyView(base, entry, context) {
  const versions = await all(`${base}/digest/files/${entry.id}/versions`);
  const current = Math.max(...versions.map((one) => one.number));
  return h("article", { class: "digest-file" }, fileHead(entry, "history", context), h("ol", { class: "plain digest-versions" }, versions.map((one) => versionItem(base, entry, one, { ...context, current }))));
}
