"""`vector_search`: nearest by cosine over embeddings."""

from shared.ports import Vectors
from shared.retrieval.trace import Tracer
from shared.store.candidates import Candidate
from shared.store.connect import Connection
from shared.store.selection import Selection
from shared.store.vector_search import vector_candidates


def vector_search(
    connection: Connection, vector: Vectors, embedder_version: str, selection: Selection, limit: int, tracer: Tracer
) -> list[Candidate]:
    """The nearest chunks, nearest first, among those embedded by this embedder."""
    with tracer.step("vector_search"):
        found = vector_candidates(connection, {embedder_version: vector}, selection, limit)
    tracer.found("vector_search", found)
    return found.candidates
