// Where a chunk is: its address in the inspector, and what to call the place.

const pageBox = (chunk) => chunk.boxes.find((box) => box.kind === "page") ?? null;

/** The nearest title above a chunk; a numbered rule has none of its own. */
export const titleOf = (chunk) => [...(chunk.section?.path ?? [])].reverse().find((step) => step.title)?.title ?? null;

export function placeOf({ chunk, document: source, version }) {
  const box = pageBox(chunk);
  const page = box?.page ?? 1;
  return {
    box,
    page,
    href: `/documents/${source.id}?page=${page}&chunk=${chunk.id}`,
    image: box && `/v1/documents/${source.id}/pages/${page}/image`,
    name: source.name,
    version: version?.label ?? null,
    older: version ? !version.is_current : false,
  };
}
