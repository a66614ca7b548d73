"""Ranks by vectors that are held in memory and stored nowhere: those of an embedder that is only tried."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np

from shared.filters.selection import Selection
from shared.ports import Vectors
from shared.store.connect import Connection
from shared.store.search import Candidate, Ranking
from shared.vectors.search import vector_candidates

# More than there are: every selected chunk is wanted.
EVERY: Final = 10**9


@dataclass(frozen=True)
class UnstoredVectors:
    """A row of `vectors` for each chunk in `rows`. Which chunks may be ranked is asked of the stored vectors, of the
    embedder `serving` with `dimensions`: so that filters and versions count for both alike."""

    rows: dict[UUID, int]
    vectors: Vectors
    serving: str
    dimensions: int

    def rank(self, connection: Connection, query: Vectors, selection: Selection, limit: int) -> Ranking:
        """The nearest selected chunks by cosine similarity, best first."""
        anything = np.eye(1, self.dimensions, dtype=np.float32)[0]
        stored = vector_candidates(connection, {self.serving: anything}, selection, EVERY).candidates
        there = [one for one in stored if one.chunk_id in self.rows]
        scores = self.vectors[[self.rows[one.chunk_id] for one in there]] @ query if there else np.zeros(0)
        best = sorted(range(len(there)), key=lambda i: (-scores[i], there[i].document_id, there[i].chunk_id))[:limit]
        found = [Candidate(there[i].chunk_id, there[i].document_id, float(scores[i])) for i in best]
        return Ranking(found, "exact scan in memory", True, {"vectors": len(there)})
