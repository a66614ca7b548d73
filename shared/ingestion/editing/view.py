"""What the history shows of an edit: the chunks that it touched, before and after, in a few words each."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from shared.domain.edits import Edit, EditPiece, Regroup
from shared.domain.knowledge import Chunk
from shared.domain.operations import Skip
from shared.extraction.edits.replay import EditedPages
from shared.extraction.references import Resolver
from shared.store import library
from shared.store.connect import Connection

MAX_PIECES = 12
PIECE_CHARACTERS = 280


def references_of(chunk: Chunk) -> dict[int, list[str]]:
    """A chunk's fragment references by page, in order."""
    found: dict[int, list[str]] = {}
    for box in chunk.boxes:
        found.setdefault(box.page, []).extend(box.fragment_ids)
    return found


def chunks_on(connection: Connection, document_id: UUID, pages: Iterable[int]) -> list[Chunk]:
    """The chunks that touch any of these pages, in document order."""
    found = {c.id: c for page in pages for c in library.list_chunks(connection, document_id, None, None, page)}
    return sorted(found.values(), key=lambda chunk: chunk.ordinal)


def affected(chunks: Iterable[Chunk], edit: Edit) -> list[Chunk]:
    """The chunks that have a fragment that the edit names, or are on a page that the edit names as a whole."""
    named = {reference for change in edit.changes for reference in change.passage.fragment_ids}
    whole = {change.passage.page for change in edit.changes if not change.passage.fragment_ids}
    found: list[Chunk] = []
    for chunk in chunks:
        references = references_of(chunk)
        if whole & references.keys() or any(not named.isdisjoint(some) for some in references.values()):
            found.append(chunk)
    return found


def pieces(chunks: Sequence[Chunk], edited: EditedPages, edit: Edit) -> list[EditPiece]:
    """The affected chunks (of a table, only the chunk of the whole) and the skipped text of `edited`."""
    shown = [chunk for chunk in affected(chunks, edit) if chunk.chunk_type != "table_row"]
    found = [_piece(chunk) for chunk in shown] + [
        piece for page in edit.pages for piece in _skipped(edited, page, edit)
    ]
    return found[:MAX_PIECES]


def _piece(chunk: Chunk) -> EditPiece:
    section = (chunk.section.address or chunk.section.title) if chunk.section else None
    return EditPiece(chunk_type=chunk.chunk_type, text=_cut(chunk.content), section=section, flags=chunk.flags)


def _skipped(edited: EditedPages, page: int, edit: Edit) -> Iterable[EditPiece]:
    named = {r for change in edit.changes if isinstance(change, Regroup) for r in change.passage.fragment_ids}
    resolver = Resolver(edited.file(page))
    for operation in edited.operations(page).operations:
        if isinstance(operation, Skip) and not named.isdisjoint(operation.fragment_ids):
            text = " ".join(part.text for part in resolver.resolve_all(operation.fragment_ids))
            yield EditPiece(chunk_type="skipped", text=_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= PIECE_CHARACTERS else text[: PIECE_CHARACTERS - 1] + "…"
