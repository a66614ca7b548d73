// The document's date in the bar on top: where it was read, and for editors a form that changes it.

import { call } from "../lib/api.js";
import { announce, byId, h } from "../lib/dom.js";
import { confidence } from "../lib/format.js";
import { attachMenu } from "../lib/menu.js";

const PARTS = { day: { day: "numeric", month: "short", year: "numeric" }, month: { month: "long", year: "numeric" }, year: { year: "numeric" } };
const FROM = {
  title_page: "Read on its first page",
  file_name: "Read from its name",
  metadata: "When the file was made, by its own account",
  edited: "Set by a person",
};

/** No more exact than it was read: of `May 2025` no day is shown. */
function shown(item) {
  if (!item.document_date) return "no date";
  const format = new Intl.DateTimeFormat("en-GB", { ...PARTS[item.document_date_unit], timeZone: "UTC" });
  return format.format(Date.parse(item.document_date));
}

function origin(item) {
  const { document_date_source: source, document_date_text: text } = item;
  if (!item.document_date)
    return source === "edited"
      ? "A person said that it has no date."
      : "Nothing says a date: what is recent counts from the day when it came in.";
  const sure = source === "edited" ? "" : `, confidence ${confidence(item.document_date_confidence)}`;
  return `${FROM[source]}${text ? `: “${text}”` : ""}${sure}.`;
}

function form(state, done) {
  const { document: item } = state;
  const field = h("input", { type: "date", name: "date", required: true, min: "1900-01-01", value: item.document_date ?? "", "aria-label": "Date of the document" });
  const said = h("p", { class: "form-error", role: "alert" });
  const save = async (day) => {
    said.textContent = "";
    try {
      state.document = await call(`/v1/documents/${item.id}`, { method: "PATCH", body: { document_date: day } });
      announce(day ? `Dated ${shown(state.document)}` : "It has no date now");
      done();
    } catch (error) {
      said.textContent = error.detail || error.message;
    }
  };
  const submit = (event) => {
    event.preventDefault();
    save(field.value);
  };
  const none = h("button", { type: "button", class: "button small", onclick: () => save(null) }, "No date");
  return h(
    "form",
    { class: "date-form", onsubmit: submit },
    field,
    h("button", { class: "button small primary" }, "Save"),
    item.document_date && none,
    said,
  );
}

/** Shows it, again whenever the document is loaded again; while somebody is typing the form stays. */
export function documentDate(state) {
  const place = byId("date-menu");
  const show = () => {
    const panel = h(
      "div",
      { class: "date-panel" },
      h("p", {}, origin(state.document)),
      state.editable && form(state, () => show().button.focus()),
    );
    return attachMenu(place, shown(state.document), panel);
  };
  state.on("document", () => place.contains(document.activeElement) || show());
  show();
}
