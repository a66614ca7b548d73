"""`hybrid_search`: full text and vectors, fused by weighted reciprocal rank; sections that the query names lead.

The vector index weighs as much as the words of the query are missing from the passages that full text likes best. Where
the passages have all of them, full text knows what was asked for; where they have few (other words for the same thing,
misspelt ones), it is guessing. Chosen on two collections: docs/decisions/0007-fusion-weights.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.ports import Vectors
from shared.retrieval.fts import fts_search
from shared.retrieval.fuse import fuse
from shared.retrieval.named import named_chunks
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import vector_search
from shared.store.candidates import Candidate
from shared.store.connect import Connection
from shared.store.lexical import shares_of_terms, term_rarities
from shared.store.selection import Selection

JUDGED_PASSAGES = 3
VECTOR_SCALE = 0.75
VECTOR_WEIGHTS = (0.1, 5.0)


@dataclass(frozen=True)
class EmbeddedQuery:
    """A query as text and as a vector of the embedder `embedder_version`."""

    text: str
    vector: Vectors
    embedder_version: str


def hybrid_search(
    connection: Connection, query: EmbeddedQuery, selection: Selection, limit: int, tracer: Tracer
) -> dict[UUID, float]:
    """Fused scores, best first. The weights and the figure behind them are in the trace."""
    lexical = fts_search(connection, query.text, selection, limit, tracer)
    nearest = vector_search(connection, query.vector, query.embedder_version, selection, limit, tracer)
    named = named_chunks(connection, query.text, selection.filters, tracer)
    with tracer.step("fuse"):
        share = _share_of_query(connection, query.text, lexical)
        weights = _weights(vector_weight(share), named)
        rankings: dict[IndexName, list[UUID]] = {
            "fts_search": [c.chunk_id for c in lexical],
            "vector_search": [c.chunk_id for c in nearest],
        }
        if named:
            rankings["lookup_section"] = named
        fused = fuse(rankings, weights)
    tracer.body.notes["share_of_query_in_best_passages"] = round(share, 4)
    for index in tracer.body.indexes:
        index.weight = weights[index.name]
    return fused


def vector_weight(share: float) -> float:
    """Weight of the vector index beside full text's 1: the odds that a word of the query is missing, scaled."""
    low, high = VECTOR_WEIGHTS
    return high if share <= 0 else min(high, max(low, VECTOR_SCALE * (1 - share) / share))


def _weights(vectors: float, named: Sequence[UUID]) -> dict[IndexName, float]:
    """A section that the query names counts as much as both indexes together."""
    weights: dict[IndexName, float] = {"fts_search": 1.0, "vector_search": vectors}
    if named:
        weights["lookup_section"] = 1.0 + vectors
    return weights


def _share_of_query(connection: Connection, text: str, lexical: Sequence[Candidate]) -> float:
    best = [c.chunk_id for c in lexical[:JUDGED_PASSAGES]]
    return fmean(shares_of_terms(connection, term_rarities(connection, text), best)) if best else 0.0
