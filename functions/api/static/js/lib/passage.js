// A passage as people hand it over: the link that the inspector copies, or its id.

const ID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const PASSAGE = new RegExp(`[?&]chunk=(${ID})|^\\s*(${ID})\\s*$`);

/** The id of the passage that `text` names; null where it names none. */
export function passageOf(text) {
  const found = PASSAGE.exec(text);
  return found ? (found[1] ?? found[2]) : null;
}
