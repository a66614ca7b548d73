// What else can be done with a document: rename it, fetch its file, save its chunks, say what it is a version of.

import { call, post } from "../lib/api.js";
import { announce, h } from "../lib/dom.js";
import { FORMATS, exportChunks } from "../lib/export.js";
import { field, openForm, select } from "../lib/form.js";
import { attachMenu } from "../lib/menu.js";

function rename(item, reload) {
  const name = h("input", { type: "text", name: "name", required: true, maxlength: 255, value: item.name, autocomplete: "off" });
  return openForm({
    title: "Rename the document",
    fields: [field("Name", name, "The file itself stays as it is; hits and citations bear the new name.")],
    done: "Save",
    save: async () => {
      await call(`/v1/documents/${item.id}`, { method: "PATCH", body: { name: name.value.trim() } });
      announce("Renamed");
      reload();
    },
  });
}

/** Any two can be linked: what nobody suggested, too. */
function link(item, others, reload) {
  const options = others.map((other) => ({ value: other.id, label: other.name }));
  const which = select({ name: "version_of", required: true }, options, options[0]?.value);
  const label = h("input", { type: "text", name: "label", maxlength: 80, autocomplete: "off", value: item.version.label ?? "" });
  return openForm({
    title: `${item.name} is a version of …`,
    fields: [
      field("Document", which, "The newest version is the current one; you can change that, and unlink it again."),
      field("Called", label, "Such as 2026 or rev. B. It may stay empty."),
    ],
    done: "Link",
    save: async () => {
      await post(`/v1/documents/${item.id}/link`, { version_of: which.value, label: label.value.trim() || null });
      announce(`${item.name} linked`);
      reload();
    },
  });
}

/** Approves or rejects the document, or takes that back. */
function review(item, state, reload) {
  const note = h("input", { type: "text", name: "note", maxlength: 500, autocomplete: "off" });
  const said = { approved: "approved", rejected: "rejected: it answers nothing", unreviewed: "not reviewed any more" };
  const save = async () => {
    await call(`/v1/documents/${item.id}/review`, { method: "PUT", body: { state, note: note.value.trim() || null } });
    announce(`${item.name} is ${said[state]}`);
    reload();
  };
  if (state === "unreviewed") return save();
  const hint = state === "approved" ? "It answers also where a knowledge base lets only approved documents answer." : "It stays here and can be read; search and answers leave it out until you take this back.";
  return openForm({
    title: state === "approved" ? `Approve ${item.name}` : `Reject ${item.name}`,
    fields: [h("p", { class: "muted" }, hint), field("Note, if you like", note)],
    done: state === "approved" ? "Approve" : "Reject",
    danger: state === "rejected",
    save,
  });
}

/** The menu of one row. `others` are documents that it may be a version of; `problem(error)` says what went wrong. */
export function rowMenu(item, others, { reload, problem, writable }) {
  const root = h("span", { class: "menu row-menu" });
  const entry = (text, work) =>
    h("button", { type: "button", class: "menu-item", onclick: () => menu.close() ?? work().catch(problem) }, text);
  const panel = h(
    "div",
    {},
    writable && entry("Rename…", () => rename(item, reload)),
    h("a", { class: "menu-item", href: `/v1/documents/${item.id}/source`, download: "", onclick: () => menu.close() }, "Download the file"),
    item.chunks > 0 && Object.keys(FORMATS).map((format) => entry(`Chunks as ${format}`, () => exportChunks([item], format))),
    item.chunks > 0 && h("a", { class: "menu-item", href: askHref([item]) }, "Ask this document"),
    item.chunks > 0 && h("a", { class: "menu-item", href: `/documents/${item.id}/summary` }, "Experiment summary"),
    writable && item.published_at && item.review !== "approved" && entry("Approve…", () => review(item, "approved", reload)),
    writable && item.published_at && item.review !== "rejected" && entry("Reject…", () => review(item, "rejected", reload)),
    writable && item.review !== "unreviewed" && entry("Take the review back", () => review(item, "unreviewed", reload)),
    writable && item.published_at && others.length > 0 && entry("Link as a version of…", () => link(item, others, reload)),
  );
  const menu = attachMenu(root, "⋯", panel, "icon-button");
  menu.button.setAttribute("aria-label", `More for ${item.name}`);
  return root;
}

/** The page that asks `documents` alone. */
export function askHref(documents) {
  const chosen = new URLSearchParams({ doc: documents.map((item) => item.id).join(",") });
  const { kb } = document.getElementById("ask-link").dataset;
  return `/playground?kb=${encodeURIComponent(kb ?? "")}&${chosen}`;
}
