"""`hybrid_search`: full text and vectors, fused by weighted reciprocal rank."""

from dataclasses import dataclass
from uuid import UUID

from shared.domain.knowledge import IndexName
from shared.ports import Vectors
from shared.retrieval.fts import fts_search
from shared.retrieval.fuse import fuse
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import vector_search
from shared.store.connect import Connection
from shared.store.search import Filters


@dataclass(frozen=True)
class EmbeddedQuery:
    """A query as text and as a vector of the embedder `embedder_version`."""

    text: str
    vector: Vectors
    embedder_version: str


def hybrid_search(
    connection: Connection, query: EmbeddedQuery, filters: Filters, limit: int, tracer: Tracer
) -> dict[UUID, float]:
    """Fused scores, best first."""
    lexical = fts_search(connection, query.text, filters, limit, tracer)
    nearest = vector_search(connection, query.vector, query.embedder_version, filters, limit, tracer)
    weights: dict[IndexName, float] = {"fts_search": 1.0, "vector_search": 1.0}
    for index in tracer.body.indexes:
        index.weight = weights[index.name]
    with tracer.step("fuse"):
        rankings: dict[IndexName, list[UUID]] = {
            "fts_search": [c.chunk_id for c in lexical],
            "vector_search": [c.chunk_id for c in nearest],
        }
        return fuse(rankings, weights)
