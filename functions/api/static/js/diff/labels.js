// What the two versions are called on the page: by their labels, and by their files where those are the same.

const own = (side) => side.version.label ?? `v${side.version.index}`;

export function labelsOf(a, b) {
  const same = own(a) === own(b);
  return Object.fromEntries([a, b].map((side) => [side.id, same ? side.name.replace(/\.[a-z]{2,5}$/i, "") : own(side)]));
}
