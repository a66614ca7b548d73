// Which way a text reads. `dir="auto"` goes by its first letter, which in a rule that begins with its number is Latin.

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;

/** The `dir` of an element that holds `text`: "rtl" where most of its letters are, else the browser decides. */
export function direction(text) {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return 2 * (text.match(RIGHT_TO_LEFT)?.length ?? 0) > letters ? "rtl" : "auto";
}

/** The same with the browser's decision made: the first letter's. `dir="auto"` does not look into children with a `dir`. */
export function decidedDirection(text) {
  const [first = ""] = text.match(/\p{L}/u) ?? [];
  return direction(text) === "rtl" || first.match(RIGHT_TO_LEFT) ? "rtl" : "ltr";
}
