// An exported folder taken back: what would become of it is shown before anything is changed.

import { post } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { openForm } from "../lib/form.js";

const AT_ONCE = 800_000;
const REASONS = {
  changed_since: "Changed here since the export",
  gone: "Not here any more",
  not_a_statement: "Titles, headings and entries are not taken: they follow from the statements",
  refused: "Not taken",
  unknown_file: "No such file here",
  unreadable: "Not read",
};

async function read(input) {
  const files = [...input.files].filter((file) => file.name.endsWith(".md") && file.name !== "README.md");
  return Promise.all(files.map(async (file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, content: await file.text() })));
}

/** Files in parts that a request may hold. */
function* parts(files) {
  let [part, size] = [[], 0];
  for (const file of files) {
    const length = new Blob([JSON.stringify(file)]).size;
    if (part.length && size + length > AT_ONCE) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(file);
    size += length;
  }
  if (part.length) yield part;
}

async function send(base, files, dry) {
  const made = { files: [], conflicts: [], unchanged: 0 };
  for (const part of parts(files)) {
    const found = await post(`${base}/digest:import`, { files: part, dry_run: dry });
    made.files.push(...found.files);
    made.conflicts.push(...found.conflicts);
    made.unchanged += found.unchanged;
  }
  return made;
}

function outcome({ files, conflicts, unchanged }) {
  const edits = (file) => [file.changed && `${file.changed} changed`, file.added && `${file.added} added`, file.removed && `${file.removed} taken out`].filter(Boolean).join(", ");
  return h(
    "div",
    { class: "digest-outcome" },
    h("p", {}, files.length ? `${plural(files.length, "file")} with edits, ${unchanged} as they are.` : "Nothing differs from what stands here."),
    files.length > 0 && h("ul", { class: "plain" }, files.map((file) => h("li", {}, h("code", {}, file.path), ` · ${edits(file)}`))),
    conflicts.length > 0 && h("h3", {}, `${plural(conflicts.length, "line")} that will not be taken`),
    conflicts.length > 0 && h("ul", { class: "plain" }, conflicts.map((one) => h("li", {}, h("code", {}, one.path), ` · ${REASONS[one.reason]}${one.detail ? `: ${one.detail}` : ""}`, one.sent && h("q", {}, one.sent), one.standing && h("span", { class: "muted" }, " here: ", h("q", {}, one.standing))))),
  );
}

/** Asks for the folder, shows what would be done, and does it. */
export async function openImport(base, changed) {
  const input = h("input", { type: "file", name: "folder", webkitdirectory: true, multiple: true, required: true, data: { wrong: "Choose the folder." } });
  let files = [];
  let found = null;
  const chosen = await openForm({
    title: "Import a folder",
    fields: [h("p", { class: "muted" }, "The folder that Export gave, with your changes. Statements that you changed become your edits; nothing is changed before you have seen what."), h("label", { class: "field" }, h("span", {}, "Folder"), input)],
    done: "Look at it",
    save: async () => {
      files = await read(input);
      if (!files.length) throw new Error("The folder holds no Markdown files of a digest.");
      found = await send(base, files, true);
    },
  });
  if (!chosen) return;
  if (!found.files.length) {
    await openForm({ title: "Nothing to take", fields: [outcome(found)], done: "Close" });
    return;
  }
  const taken = await openForm({ title: "Take these edits?", fields: [outcome(found)], done: "Take them", save: async () => (found = await send(base, files, false)) });
  if (!taken) return;
  await changed();
  if (found.conflicts.length) await openForm({ title: "Taken, but for these", fields: [outcome(found)], done: "Close" });
}
