"""Ranking by the lexical index."""

from pgvector import SparseVector
from psycopg import sql

from shared.store.candidates import Candidate, Ranking
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.selection import Selection

_SQL = load_queries("lexical_search")


def lexical_candidates(connection: Connection, vector: SparseVector, selection: Selection, limit: int) -> Ranking:
    """Best first by BM25; chunks that share no term with the query are left out. Ties in document order."""
    query = sql.SQL(_SQL["ranked"]).format(selected=selection.condition("l"))
    values = selection.values() | {"vector": vector.to_text(), "limit": limit}
    found = [Candidate(**row) for row in connection.execute(query, values)]
    return Ranking(found, "every selected chunk", exact=True)
