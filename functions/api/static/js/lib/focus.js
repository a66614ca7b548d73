// The focus over a drawing anew: what is focused is found again by its name.

const nameOf = (node) => node?.getAttribute("aria-label") ?? node?.getAttribute("href");

/** The name of what is focused within one of `parts`, of a menu that of its button, which is there before it is opened;
 * empty where it has none, null where the focus is elsewhere. */
export function focusedName(...parts) {
  const focused = document.activeElement;
  if (!parts.some((part) => part?.contains(focused))) return null;
  return nameOf(focused.closest(".menu")?.querySelector(".menu-button") ?? focused) ?? "";
}

/** Focuses what bears `name` in `place`, or else its list; nothing where the focus is still somewhere. */
export function focusAgain(place, name) {
  if (name === null || document.activeElement !== document.body) return;
  const list = place.querySelector("ul") ?? place;
  const again = [...place.querySelectorAll("[aria-label], [href]")].find((node) => nameOf(node) === name);
  if (!again) list.tabIndex = -1;
  (again ?? list).focus();
}
