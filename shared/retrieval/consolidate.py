"""One hit where several would say the same: repeated passages, a table beside its rows, a heading beside its passage.

Passages repeat when their words are equal in order; case, spaces and punctuation do not count. Numbers do, and so does
every word: in a rule book "front" and "rear", "must" and "must not" are the whole difference. Copies in other documents
stay, because each cites its own page.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.domain.knowledge import Chunk
from shared.domain.operations import ChunkType
from shared.retrieval.trace import Dropped, DropReason
from shared.store.search import FoundChunk

# What stands under a heading and says something by itself.
PASSAGES: frozenset[ChunkType] = frozenset({"text", "list", "table_row", "code", "formula", "structured"})
_Whole = tuple[DropReason, UUID, int | None]
_WORD = re.compile(r"\w+")


def consolidate(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk]
) -> tuple[dict[UUID, float], list[Dropped]]:
    """(what is kept with its score, best first; what was dropped and for which chunk).

    A row is preferred to its table and takes the table's place where that is the better one: the row is what the
    query is about, and the inspector shows the table around it. So is a section's best passage on the heading's
    page to the heading, which the passage carries in its path.
    """
    rows, dropped = _prefer_parts(list(scores), chunks)
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


def _prefer_parts(
    ordered: Sequence[UUID], chunks: Mapping[UUID, FoundChunk]
) -> tuple[list[tuple[UUID, UUID]], list[Dropped]]:
    """(pairs of the place taken and the chunk that takes it; dropped tables and headings)."""
    best: dict[_Whole, UUID] = {}
    for chunk_id in ordered:
        for whole in _part_of(chunks[chunk_id].chunk):
            best.setdefault(whole, chunk_id)
    places: dict[UUID, UUID] = {}
    dropped: list[Dropped] = []
    for chunk_id in ordered:
        whole = _stands_for(chunks[chunk_id].chunk)
        part = best.get(whole) if whole else None
        if whole and part:
            dropped.append(Dropped(chunk_id=chunk_id, reason=whole[0], kept=part))
        places.setdefault(part or chunk_id, chunk_id)
    return [(place, chunk_id) for chunk_id, place in places.items()], dropped


def _stands_for(chunk: Chunk) -> _Whole | None:
    """The table that a chunk is, or the section's page that it heads."""
    if chunk.chunk_type == "table" and chunk.table_id:
        return "table_of_row", chunk.table_id, None
    if chunk.chunk_type == "heading" and chunk.section:
        return "heading_of_passage", chunk.section.id, chunk.first_page
    return None


def _part_of(chunk: Chunk) -> list[_Whole]:
    """The tables and headed pages whose place a chunk may take."""
    found: list[_Whole] = []
    if chunk.chunk_type == "table_row" and chunk.table_id:
        found.append(("table_of_row", chunk.table_id, None))
    if chunk.chunk_type in PASSAGES and chunk.section:
        found.append(("heading_of_passage", chunk.section.id, chunk.first_page))
    return found


def _words(content: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", content).lower())) or content
