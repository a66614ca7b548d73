"""Ranking by vectors."""

import numpy as np
from psycopg import sql

from shared.ports import Vectors
from shared.store.candidates import Candidate, Ranking
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.selection import Selection

_SQL = load_queries("vector_search")


def vector_candidates(
    connection: Connection, vector: Vectors, embedder_version: str, selection: Selection, limit: int
) -> Ranking:
    """Nearest first by cosine, over every selected vector of this embedder. Ties in document order."""
    query = sql.SQL(_SQL["nearest"]).format(selected=selection.condition("v"))
    values = selection.values() | {"vector": np.asarray(vector), "embedder_version": embedder_version, "limit": limit}
    found = [Candidate(**row) for row in connection.execute(query, values)]
    return Ranking(found, "every selected vector", exact=True)
