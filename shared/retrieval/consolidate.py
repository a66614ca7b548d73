"""Removes repetitions from the ranked chunks: repeated passages, a table beside its own rows, a heading beside a
passage of its section.

Two passages are repetitions when their words are equal in order; case, spaces and punctuation do not count. Numbers and
every single word do count: in a rule book "front" and "rear", "must" and "must not" are the whole difference. Copies in
other documents stay, because each cites its own page; not so those in the same file in another knowledge base, whose
pages are the same.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from uuid import UUID

from shared.domain.knowledge import Chunk, OtherPlace
from shared.domain.operations import ChunkType
from shared.domain.trace import Dropped, DropReason
from shared.store.search import FoundChunk

# Chunk types that may replace their section's heading: they carry content of their own.
PASSAGES: frozenset[ChunkType] = frozenset({"text", "list", "table_row", "code", "formula", "structured"})
_Whole = tuple[DropReason, UUID, int | None]
_WORD = re.compile(r"\w+")


def consolidate(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk]
) -> tuple[dict[UUID, float], list[Dropped]]:
    """Returns (scores of the chunks kept, best first; the chunks dropped, each with its reason and the chunk kept
    instead).

    A table row is preferred to its table and takes the table's rank where that is the better one: the row matches the
    query, and the inspector shows the table around it. In the same way the best passage of a section replaces the
    section's heading if both are on one page; the passage carries the heading in its path.
    """
    rows, dropped = _prefer_parts(list(scores), chunks)
    kept: dict[UUID, float] = {}
    first: dict[tuple[str, str], UUID] = {}
    for place, row in rows:
        words = (chunks[row].source_hash, _words(chunks[row].chunk.content))
        standing = first.setdefault(words, row)
        if standing == row:
            kept[row] = scores[place]
        else:
            dropped.append(Dropped(chunk_id=row, reason="near_duplicate", kept=standing))
    return kept, dropped


def other_places(dropped: Sequence[Dropped], chunks: Mapping[UUID, FoundChunk]) -> dict[UUID, list[OtherPlace]]:
    """For each chunk kept, where else it is: what was dropped for it in other knowledge bases, one place in each."""
    places: dict[UUID, dict[UUID, OtherPlace]] = {}
    for one in dropped:
        if one.reason == "near_duplicate" and one.kept is not None:
            found, kept = chunks[one.chunk_id], chunks[one.kept].chunk
            base = found.chunk.knowledge_base_id
            if base != kept.knowledge_base_id:
                place = OtherPlace(
                    chunk_id=found.chunk.id,
                    document=found.document,
                    knowledge_base_id=base,
                    knowledge_base=found.knowledge_base,
                )
                places.setdefault(kept.id, {}).setdefault(base, place)
    return {kept: list(by_base.values()) for kept, by_base in places.items()}


def _prefer_parts(
    ordered: Sequence[UUID], chunks: Mapping[UUID, FoundChunk]
) -> tuple[list[tuple[UUID, UUID]], list[Dropped]]:
    """Returns (pairs of the chunk replaced and the chunk that takes its rank; the dropped tables and headings)."""
    best: dict[_Whole, UUID] = {}
    for chunk_id in ordered:
        for whole in _wholes_with(chunks[chunk_id].chunk):
            best.setdefault(whole, chunk_id)
    places: dict[UUID, UUID] = {}
    dropped: list[Dropped] = []
    for chunk_id in ordered:
        whole = _whole_of(chunks[chunk_id].chunk)
        part = best.get(whole) if whole else None
        if whole and part:
            dropped.append(Dropped(chunk_id=chunk_id, reason=whole[0], kept=part))
        places.setdefault(part or chunk_id, chunk_id)
    return [(place, chunk_id) for chunk_id, place in places.items()], dropped


def _whole_of(chunk: Chunk) -> _Whole | None:
    """The whole that a chunk represents: a table for a table chunk, a section's page for a heading or for a figure
    without words; None for any other chunk."""
    if chunk.chunk_type == "table" and chunk.table_id:
        return "table_of_row", chunk.table_id, None
    wordless = chunk.chunk_type == "figure" and not chunk.content.strip()
    if (chunk.chunk_type == "heading" or wordless) and chunk.section:
        return "heading_of_passage", chunk.section.id, chunk.first_page
    return None


def _wholes_with(chunk: Chunk) -> list[_Whole]:
    """The wholes that a chunk is part of, and whose rank it may take: its table, or its section's heading on the same
    page."""
    found: list[_Whole] = []
    if chunk.chunk_type == "table_row" and chunk.table_id:
        found.append(("table_of_row", chunk.table_id, None))
    if chunk.chunk_type in PASSAGES and chunk.section:
        found.append(("heading_of_passage", chunk.section.id, chunk.first_page))
    return found


def _words(content: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", content).lower())) or content
