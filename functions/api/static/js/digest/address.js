// Addresses within the page of a digest.

/** Of a file by its path, or of one of its views; without a path of a view of all. */
export function hrefOf(path, view = "text") {
  const asked = new URLSearchParams();
  if (path) asked.set("file", path);
  if (view !== "text") asked.set("view", view);
  return `?${asked}`;
}

const NUMBER = /-(\d+)\.md$/;

/** The title of `file`; where other topics have the same, with the number that its path has. */
export function nameOf(file, files) {
  const same = files.some((other) => other.title === file.title && other.tier === file.tier && other.id !== file.id);
  const number = same && NUMBER.exec(file.path)?.[1];
  return number ? `${file.title} (${number})` : file.title;
}
