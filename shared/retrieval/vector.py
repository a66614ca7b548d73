"""`vector_search`: nearest by cosine over embeddings."""

from shared.ports import Vectors
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import Candidate, Filters, vector_candidates


def vector_search(
    connection: Connection, vector: Vectors, embedder_version: str, filters: Filters, limit: int, tracer: Tracer
) -> list[Candidate]:
    """The nearest chunks, nearest first, among those embedded by this embedder."""
    with tracer.step("vector_search"):
        found = vector_candidates(connection, vector, embedder_version, filters, limit)
    tracer.found("vector_search", "exact: every vector in scope", found)
    return found
