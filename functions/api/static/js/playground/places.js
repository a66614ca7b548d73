// Where a chunk is: its address in the inspector, and what to call the place.

const pageBox = (chunk) => chunk.boxes.find((box) => box.kind === "page") ?? null;

export function placeOf({ chunk, document: source, version }) {
  const box = pageBox(chunk);
  const page = box?.page ?? 1;
  return {
    box,
    page,
    href: `/documents/${source.id}?page=${page}&chunk=${chunk.id}`,
    image: box && `/v1/documents/${source.id}/pages/${page}/image`,
    name: version?.logical_document_name ?? source.name,
    version: version?.label ?? null,
    older: version ? !version.is_current : false,
  };
}
