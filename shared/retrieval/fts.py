"""`fts_search`: lexical ranking, BM25 over index text and keywords."""

from shared.retrieval.trace import Tracer
from shared.store import lexical
from shared.store.candidates import Candidate, Ranking
from shared.store.connect import Connection
from shared.store.lexical_search import lexical_candidates
from shared.store.selection import Selection


def fts_search(connection: Connection, query: str, selection: Selection, limit: int, tracer: Tracer) -> list[Candidate]:
    """Chunks that share a term with the query, best first; empty when no term of it is in scope."""
    with tracer.step("fts_search"):
        vector = lexical.query_vector(connection, query)
        found = (
            lexical_candidates(connection, vector, selection, limit)
            if vector
            else Ranking([], "no term of the query is in scope", exact=True)
        )
    tracer.found("fts_search", found)
    return found.candidates
