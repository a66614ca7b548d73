// A note as it stands beside what it corrects: below a card, a hit, a quoted passage.

import { direction } from "./direction.js";
import { h } from "./dom.js";
import { age } from "./format.js";

/** A note of `/corrections`, or of a hit's `corrected_by`. */
export const correctionQuote = (note) =>
  h(
    "blockquote",
    { class: "correction" },
    h("p", { dir: direction(note.text) }, note.text),
    h(
      "footer",
      {},
      h("a", { href: `/documents/${note.id}` }, note.of_document ? "Correction of the document" : "Correction"),
      ` by ${note.author}, ${age(note.created_at)}`,
    ),
  );
