"""`fts_search`: lexical ranking, BM25 over index text and keywords."""

from shared.retrieval.trace import Tracer
from shared.store import lexical
from shared.store.connect import Connection
from shared.store.search import Candidate, Filters, lexical_candidates


def fts_search(connection: Connection, query: str, filters: Filters, limit: int, tracer: Tracer) -> list[Candidate]:
    """Chunks that share a term with the query, best first; empty when no term of it is in scope."""
    with tracer.step("fts_search"):
        vector = lexical.query_vector(connection, query)
        found = lexical_candidates(connection, vector, filters, limit) if vector else []
    tracer.found("fts_search", "exact: every chunk in scope", found)
    return found
