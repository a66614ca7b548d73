"""One hit where several would say the same: repeated passages of a document, and a table beside its own rows.

Passages repeat when their words are equal in order; case, spaces and punctuation do not count. Numbers do, and so does
every word: in a rule book "front" and "rear", "must" and "must not" are the whole difference. Copies in other documents
stay, because each cites its own page.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.retrieval.trace import Dropped
from shared.store.search import FoundChunk

_WORD = re.compile(r"\w+")


def consolidate(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk]
) -> tuple[dict[UUID, float], list[Dropped]]:
    """(what is kept with its score, best first; what was dropped and for which chunk).

    A row is preferred to its table and takes the table's place where that is the better one: the row is what the
    query is about, and the inspector shows the table around it.
    """
    rows, dropped = _prefer_rows(list(scores), chunks)
    kept: dict[UUID, float] = {}
    first: dict[tuple[UUID, str], UUID] = {}
    for place, row in rows:
        words = (chunks[row].chunk.document_id, _words(chunks[row].chunk.content))
        standing = first.setdefault(words, row)
        if standing == row:
            kept[row] = scores[place]
        else:
            dropped.append(Dropped(chunk_id=row, reason="near_duplicate", kept=standing))
    return kept, dropped


def _prefer_rows(
    ordered: Sequence[UUID], chunks: Mapping[UUID, FoundChunk]
) -> tuple[list[tuple[UUID, UUID]], list[Dropped]]:
    """(pairs of the place taken and the chunk that takes it; dropped tables)."""
    best_row: dict[UUID, UUID] = {}
    for chunk_id in ordered:
        chunk = chunks[chunk_id].chunk
        if chunk.chunk_type == "table_row" and chunk.table_id:
            best_row.setdefault(chunk.table_id, chunk_id)
    places: dict[UUID, UUID] = {}
    dropped: list[Dropped] = []
    for chunk_id in ordered:
        chunk = chunks[chunk_id].chunk
        row = best_row.get(chunk.table_id) if chunk.table_id and chunk.chunk_type == "table" else None
        if row is not None:
            dropped.append(Dropped(chunk_id=chunk_id, reason="table_of_row", kept=row))
        places.setdefault(row or chunk_id, chunk_id)
    return [(place, chunk_id) for chunk_id, place in places.items()], dropped


def _words(content: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", content).lower())) or content
