"""Decides which hits are expected places, at the level that the gold names and independently of ids, which may
change."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from uuid import UUID

from shared.domain.evaluation import FoundPlace, GoldPlace, IndexResult, Level
from shared.domain.knowledge import Hit
from shared.evaluation.quotes import contains_quote, content_hash

# How many of the first hits a result stores for display.
SHOWN = 5

Documents = Mapping[str, frozenset[UUID]]


def place_hits(hits: Sequence[Hit], expected: Sequence[GoldPlace], level: Level, documents: Documents) -> IndexResult:
    """The rank of every expected place among the distinct chunks, pages or documents of `hits`, in their order.

    A place is found once, and one hit may count for several places: two quotes may be in one chunk.
    """
    ranks: list[int | None] = [None] * len(expected)
    for rank, (hit, page) in enumerate(_ranked(hits, level), start=1):
        for i, place in enumerate(expected):
            if ranks[i] is None and _is_at(hit, page, place, level, documents):
                ranks[i] = rank
    return IndexResult(
        ranks=ranks,
        document_ranks=_document_ranks(hits, expected, documents),
        found=[_shown(hit, expected, level, documents) for hit in hits[:SHOWN]],
    )


def distinct(expected: Sequence[GoldPlace], level: Level, documents: Documents) -> list[GoldPlace]:
    """Each place once at the given level, with the highest grade: two pages of a document are one document."""
    found: dict[Hashable, GoldPlace] = {}
    for place in expected:
        key = _counted(place, level, documents)
        if key not in found or found[key].grade < place.grade:
            found[key] = place
    return list(found.values())


def _counted(place: GoldPlace, level: Level, documents: Documents) -> Hashable:
    document = _meant(place.document, documents)
    if level == "document":
        return document
    return (document, place.page) if level == "page" else (document, place.page, place.quote, place.content_hash)


def _meant(name: str, documents: Documents) -> Hashable:
    """The documents that a name matches, so that names of the same documents are equal; the name itself where it
    matches none."""
    return documents[name] or name


def pages_of(hit: Hit) -> list[int]:
    return list(dict.fromkeys(box.page for box in hit.chunk.boxes))


def _ranked(hits: Sequence[Hit], level: Level) -> Iterator[tuple[Hit, int | None]]:
    """The hits with their ranks among what is counted at this level: distinct chunks, (document, page) pairs or
    documents."""
    seen: set[Hashable] = set()
    for hit in hits:
        pages: Sequence[int | None] = pages_of(hit) if level == "page" else [None]
        for page in pages:
            key = (hit.chunk.id if level == "chunk" else hit.document.id, page)
            if key not in seen:
                seen.add(key)
                yield hit, page


def _is_at(hit: Hit, page: int | None, place: GoldPlace, level: Level, documents: Documents) -> bool:
    if hit.document.id not in documents[place.document]:
        return False
    if level == "chunk":
        return _is_chunk(hit, place)
    return level == "document" or page == place.page


def _is_chunk(hit: Hit, place: GoldPlace) -> bool:
    """Whether the hit has the same content; or the quote, on the right page where one is named."""
    if place.content_hash and place.content_hash == content_hash(hit.chunk.content):
        return True
    on_page = place.page is None or place.page in pages_of(hit)
    return bool(place.quote) and on_page and contains_quote(hit.chunk.content, place.quote or "")


def _document_ranks(hits: Sequence[Hit], expected: Sequence[GoldPlace], documents: Documents) -> list[int | None]:
    wanted = {_meant(place.document, documents): place.document for place in expected}
    return [
        next((rank for rank, hit in enumerate(hits, start=1) if hit.document.id in documents[name]), None)
        for name in wanted.values()
    ]


def _shown(hit: Hit, expected: Sequence[GoldPlace], level: Level, documents: Documents) -> FoundPlace:
    pages = pages_of(hit)
    right = any(
        _is_at(hit, page, place, level, documents)
        for place in expected
        for page in (pages if level == "page" else [None])
    )
    return FoundPlace(
        chunk_id=hit.chunk.id,
        document=hit.document.name,
        document_id=hit.document.id,
        page=pages[0] if pages else None,
        right=right,
    )
