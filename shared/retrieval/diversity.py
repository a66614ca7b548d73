"""Diversifies the first hits: each further hit from the same page or document has its score lowered, so that other
places come up unless it is much better.

The greedy form of maximal marginal relevance (Carbonell & Goldstein 1998), with the page or section that a passage is
cited by in place of a similarity. The factors: docs/decisions/0021-context-of-passages.md.
"""

import heapq
import math
from collections import Counter
from collections.abc import Collection, Mapping
from types import MappingProxyType
from uuid import UUID

from shared.domain.knowledge import Chunk
from shared.store.search import FoundChunk

REPEATED_PLACE = 0.5
REPEATED_DOCUMENT = 0.95

_Place = tuple[UUID | int | None, ...]


def diversify(
    scores: Mapping[UUID, float],
    chunks: Mapping[UUID, FoundChunk],
    exempt: Collection[UUID] = (),
    lifts: Mapping[UUID, float] = MappingProxyType({}),
) -> dict[UUID, float]:
    """Returns the lowered scores, best first: times 0.5 for every better hit of the same place, times 0.95 for every
    better hit of the same document.

    A place is a page, or a section with an address of its own on that page, so that two rules printed side by side do
    not lower each other. The factor of the document applies only where the hits come from several documents. `exempt`
    chunks keep their scores: passages of a section that the query asked for belong together. So does the part of a
    score that `lifts` has, so that what contains a code stays before what does not.
    """
    several = len({chunks[chunk_id].chunk.document_id for chunk_id in scores}) > 1
    cited = {c: {} if c in exempt else _repetition_factors(chunks[c].chunk, several) for c in scores}
    led: Counter[_Place] = Counter()
    waiting = [(-score, rank, chunk_id) for rank, (chunk_id, score) in enumerate(scores.items())]
    heapq.heapify(waiting)
    ordered: dict[UUID, float] = {}
    while waiting:
        negative, rank, chunk_id = heapq.heappop(waiting)
        lift = lifts.get(chunk_id, 0.0)
        factor = math.prod(factor ** led[place] for place, factor in cited[chunk_id].items())
        score = lift + (scores[chunk_id] - lift) * factor
        if score < -negative:  # a better hit of the same place has been taken since this score was computed
            heapq.heappush(waiting, (-score, rank, chunk_id))
        else:
            ordered[chunk_id] = score
            led.update(cited[chunk_id].keys())
    return ordered


def _repetition_factors(chunk: Chunk, several_documents: bool) -> dict[_Place, float]:
    """The chunk's places, each with the factor that a repetition of it costs."""
    places: dict[_Place, float] = {(chunk.document_id,): REPEATED_DOCUMENT} if several_documents else {}
    page = chunk.first_page
    if page is not None:
        addressed = chunk.section.id if chunk.section and chunk.section.address else None
        places[chunk.document_id, page, addressed] = REPEATED_PLACE
    return places
