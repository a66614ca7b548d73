"""Creates and drops the HNSW indexes, one per large knowledge base and embedder, while reads and writes go on.

Partial indexes on one table instead of partitions: docs/decisions/0019-vectors.md. Only the table's owner may create
them, so this runs in maintenance with the owner's connection. Which indexes are needed is computed from the table
alone.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import DictRow

from shared.store.maintenance import INDEX_LOCK, locked
from shared.store.named_queries import load_queries

_SQL = load_queries("vector_indexes")

# Number of vectors from which an index is faster than a scan, and below which it is not worth its upkeep (measured).
# The gap keeps a knowledge base near the limit from having its index created and dropped repeatedly.
MAKE_FROM: Final = 10_000
DROP_BELOW: Final = 5_000
# Memory for building, in bytes per vector beside its components: neighbour lists at m = 16 and bookkeeping.
GRAPH_BYTES: Final = 700
BUILD_BYTES: Final = (64 << 20, 2 << 30)


@dataclass(frozen=True)
class Indexed:
    """The vectors of one knowledge base and embedder."""

    knowledge_base_id: UUID
    embedder_version: str
    vectors: int

    @property
    def name(self) -> str:
        return index_name(self.knowledge_base_id, self.embedder_version)

    def described(self) -> dict[str, Any]:
        return {"knowledge_base_id": str(self.knowledge_base_id), "embedder_version": self.embedder_version}


def index_name(knowledge_base_id: UUID, embedder_version: str) -> str:
    """The index's name, computed as in queries/vector_search.sql."""
    key = f"{knowledge_base_id}/{embedder_version}"
    return "chunk_vectors_" + hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()


def keep_vector_indexes(owner_dsn: str, make_from: int = MAKE_FROM, drop_below: int = DROP_BELOW) -> dict[str, Any]:
    """Drops invalid and too small indexes and creates missing ones; returns what was done, `busy` if another run is at
    it.

    Reads and writes go on, as both statements work concurrently. An interrupted statement leaves an invalid index,
    which no query uses and which the next run replaces.
    """
    with locked(owner_dsn, INDEX_LOCK) as connection:
        if connection is None:
            return {"made": [], "dropped": [], "kept": 0, "busy": True}
        counted = [Indexed(**row) for row in connection.execute(_SQL["counted"])]
        existing = {row["name"]: row["valid"] for row in connection.execute(_SQL["existing"])}
        kept = {one.name for one in counted if one.vectors >= drop_below and existing.get(one.name)}
        wanted = [one for one in counted if one.vectors >= make_from and one.name not in kept]
        for name in existing.keys() - kept:
            connection.execute(sql.SQL(_SQL["drop"]).format(name=sql.Identifier(name)))
        for one in wanted:
            _make(connection, one)
    return {
        "made": [one.described() for one in wanted],
        "dropped": sorted(existing.keys() - kept),
        "kept": len(kept),
        "busy": False,
    }


def _make(connection: psycopg.Connection[DictRow], one: Indexed) -> None:
    """Creates the index with enough memory for its graph: one that does not fit in memory is built many times
    slower."""
    key = {"base": one.knowledge_base_id, "version": one.embedder_version}
    row = connection.execute(_SQL["dimensions"], key).fetchone()
    if row is None:
        return
    low, high = BUILD_BYTES
    needed = min(high, max(low, one.vectors * (2 * row["dimensions"] + GRAPH_BYTES)))
    connection.execute("select set_config('maintenance_work_mem', %s, false)", (f"{needed >> 10}kB",))
    connection.execute(
        sql.SQL(_SQL["make"]).format(
            name=sql.Identifier(one.name),
            type=sql.SQL("halfvec({})").format(sql.Literal(row["dimensions"])),
            base=sql.Literal(one.knowledge_base_id),
            version=sql.Literal(one.embedder_version),
        )
    )
