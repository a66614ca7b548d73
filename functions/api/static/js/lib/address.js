// What a page's address keeps, so that it shows the same when it is loaded again, returned to, or sent to somebody.

/** Puts values into the address in place of those of these names; empty ones are left out, and a list is given each by
 * itself. */
export function keepInAddress(values) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    url.searchParams.delete(name);
    for (const one of [value].flat()) if (one) url.searchParams.append(name, one);
  }
  history.replaceState(history.state, "", url);
}

/** What the address has of these names, by name; "" for none. */
export function kept(...names) {
  const asked = new URL(location.href).searchParams;
  return Object.fromEntries(names.map((name) => [name, asked.get(name) ?? ""]));
}
