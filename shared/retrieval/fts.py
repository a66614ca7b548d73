"""`fts_search`: lexical ranking, BM25 over content, its context and keywords."""

from shared.filters.selection import Selection
from shared.lexical.query import LexicalQuery, read_query
from shared.lexical.search import lexical_candidates
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import Candidate


def fts_search(
    connection: Connection, query: str | LexicalQuery, selection: Selection, limit: int, tracer: Tracer
) -> list[Candidate]:
    """Returns the chunks that share a term with the query, best first; empty when no term of it occurs in scope.

    `"quoted phrases"` must occur as written; `recharg*` matches every word with that prefix. A query that has been
    parsed already (`read_query`) is not parsed again.
    """
    with tracer.step("fts_search"):
        read = read_query(connection, query) if isinstance(query, str) else query
        found = lexical_candidates(connection, read, selection, limit)
    tracer.corrected(read.corrections)
    tracer.found("fts_search", found)
    return found.candidates
