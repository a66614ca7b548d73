// A notebook as a file: made by the server, which takes a second or more, and saved.

import { postForFile } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { saveBlob } from "../lib/export.js";
import { failure, waiting } from "../lib/notice.js";

export const FORMS = [
  { form: "html", text: "HTML", note: "one page, pictures within" },
  { form: "pdf", text: "PDF", note: "to print" },
  { form: "crate", text: "JSON", note: "RO-Crate, with data" },
];

/** Saves version `revision` of the notebook `id` as `form`. */
export async function download(id, revision, form) {
  const place = byId("said");
  place.replaceChildren();
  const done = waiting(place, "Making the bundle: crops of every cited place are drawn …");
  try {
    const { blob, name } = await postForFile("/v1/bundles", { notebook_id: id, revision, form });
    saveBlob(blob, name);
    announce(`Saved as ${name}`);
    place.replaceChildren(h("p", { class: "muted", role: "status" }, `Saved as ${name}.`));
  } catch (error) {
    place.replaceChildren(failure(error, { compact: true, safe: "The notebook is as it was.", retry: () => download(id, revision, form) }));
  } finally {
    done();
  }
}
