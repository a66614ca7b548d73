"""The first hits say different things: what stands where a better hit already leads gives way unless it is much better.

The greedy form of maximal marginal relevance (Carbonell & Goldstein 1998), with the place a passage is cited by instead
of a similarity. The factors: docs/decisions/0021-context-of-passages.md.
"""

import heapq
import math
from collections import Counter
from collections.abc import Collection, Mapping
from uuid import UUID

from shared.domain.knowledge import Chunk
from shared.store.search import FoundChunk

REPEATED_PLACE = 0.5
REPEATED_DOCUMENT = 0.85

_Place = tuple[UUID | int | None, ...]


def diversify(
    scores: Mapping[UUID, float], chunks: Mapping[UUID, FoundChunk], exempt: Collection[UUID] = ()
) -> dict[UUID, float]:
    """Scores times .5 for every better hit of the same place, and .85 for every one of the same document; best first.

    A place is a page, or a section with an address of its own: two rules that stand side by side do not push one
    another down. A question about several documents finds each of them; where there is but one, it counts for nothing.
    `exempt` keep their scores: passages of a section that was asked for belong together.
    """
    several = len({chunks[chunk_id].chunk.document_id for chunk_id in scores}) > 1
    cited = {c: {} if c in exempt else _cited_by(chunks[c].chunk, several) for c in scores}
    led: Counter[_Place] = Counter()
    waiting = [(-score, rank, chunk_id) for rank, (chunk_id, score) in enumerate(scores.items())]
    heapq.heapify(waiting)
    ordered: dict[UUID, float] = {}
    while waiting:
        negative, rank, chunk_id = heapq.heappop(waiting)
        score = scores[chunk_id] * math.prod(factor ** led[place] for place, factor in cited[chunk_id].items())
        if score < -negative:  # a better one of its place led meanwhile
            heapq.heappush(waiting, (-score, rank, chunk_id))
        else:
            ordered[chunk_id] = score
            led.update(cited[chunk_id].keys())
    return ordered


def _cited_by(chunk: Chunk, several_documents: bool) -> dict[_Place, float]:
    """The chunk's places, each with what a repetition of it counts."""
    places: dict[_Place, float] = {(chunk.document_id,): REPEATED_DOCUMENT} if several_documents else {}
    page = chunk.first_page
    if page is not None:
        addressed = chunk.section.id if chunk.section and chunk.section.address else None
        places[chunk.document_id, page, addressed] = REPEATED_PLACE
    return places
