// The organization's data: exported, or deleted for good with a certificate.

import { may, onOneMachine } from "../../lib/account.js";
import { all, call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { plural } from "../../lib/format.js";
import { emptiness, failure } from "../../lib/notice.js";
import { deleteTyped } from "./deleting.js";
import { showErasures } from "./erasures.js";
import { exportButton, showExports } from "./exports.js";
import { showImports } from "./imports.js";

const place = byId("bases");

async function remove(base) {
  const done = await deleteTyped({
    title: `Delete ${base.name}?`,
    what: base.documents
      ? `${plural(base.documents, "document")} with ${plural(base.chunks, "chunk")}, traces and stored files are gone for good. Export it first if you may need it again.`
      : "It holds no document. Traces that name it are gone with it, for good.",
    slug: base.slug,
    work: () => call(`/v1/knowledge-bases/${base.id}`, { method: "DELETE" }),
  });
  if (!done) return;
  announce(`${base.name} deleted`);
  await load();
  byId("bases-title").focus();
}

function row(base) {
  const mine = may("editor") && base.may_write;
  return h(
    "li",
    { class: "settings-row data-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, base.name, base.restricted && h("span", { class: "tag" }, "restricted")),
      h("span", { class: "sub" }, h("code", {}, base.slug), `, ${plural(base.documents, "document")}, ${plural(base.chunks, "chunk")}`, may("editor") && !mine && "; you may read it and not change it"),
    ),
    h(
      "span",
      { class: "row-actions" },
      may("admin") && exportButton(base),
      mine && h("button", { type: "button", class: "button small danger", "aria-label": `Delete ${base.name}`, onclick: () => remove(base) }, "Delete…"),
    ),
  );
}

async function load() {
  try {
    const bases = await all("/v1/knowledge-bases");
    place.replaceChildren(
      bases.length
        ? h("ul", { class: "rows plain", "aria-label": "Knowledge bases" }, bases.map(row))
        : emptiness("No knowledge base", "There is nothing to export or delete."),
    );
    if (may("admin") && !onOneMachine) showExports(bases);
    if (may("admin")) showErasures();
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

async function erase() {
  const { slug, name } = byId("erase").dataset;
  const done = await deleteTyped({
    title: `Delete ${name} for good?`,
    what: "Members, keys, every knowledge base, traces and files are gone at once, for everybody. Nobody can take it back.",
    slug,
    work: () => post("/v1/organization/erase", { slug }),
  });
  // It is not there any more: the next page says where its reader belongs now.
  if (done) location.assign("/");
}

byId("export-all")?.replaceWith(exportButton(null));
if (byId("import")) showImports(load);
byId("erase")?.addEventListener("click", erase);
load();
