// What was looked for instead of misspelt words; nothing where the query was read as it was written.

import { h } from "../lib/dom.js";

export function corrected({ corrections = {} }) {
  const words = Object.entries(corrections);
  return (
    words.length > 0 &&
    h(
      "p",
      { class: "corrected" },
      "Searched for ",
      words.map(([written, meant], at) => [at > 0 && ", ", h("b", {}, meant), " instead of ", h("i", {}, written)]),
      ". Put a word in quotation marks to search for it as written.",
    )
  );
}
