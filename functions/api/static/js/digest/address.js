// Addresses within the page of a digest.

/** Of a file by its path, or of one of its views; without a path of a view of all. */
export function hrefOf(path, view = "text") {
  const asked = new URLSearchParams();
  if (path) asked.set("file", path);
  if (view !== "text") asked.set("view", view);
  return `?${asked}`;
}
