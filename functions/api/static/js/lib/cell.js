// Where a printed cell is seen: at its passage, or in its row of a sheet where that is none.

export function address({ document_id: id, page, chunk_id: chunk, box }) {
  const row = chunk || box?.kind !== "sheet" ? null : /[0-9]+/.exec(box.range)[0];
  return `/documents/${id}?page=${page ?? 1}${chunk ? `&chunk=${chunk}` : ""}${row ? `&row=${row}` : ""}`;
}
