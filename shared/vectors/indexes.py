"""One HNSW index per large knowledge base and embedder, made and dropped while everything goes on.

Partial indexes on one table, and no partitions: docs/decisions/0019-vectors.md. Only the owner of the table may make
them, so this runs in maintenance with the owner's connection; which are needed is read from the table alone.
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

# Vectors from which a scan takes longer than the index, and below which an index is not worth its upkeep. Measured; the
# space between keeps a knowledge base at the border from getting and losing one over and over.
MAKE_FROM: Final = 10_000
DROP_BELOW: Final = 5_000
# Bytes that building holds per vector beside its numbers: neighbours at m = 16 and bookkeeping.
GRAPH_BYTES: Final = 700
BUILD_BYTES: Final = (64 << 20, 2 << 30)


@dataclass(frozen=True)
class Indexed:
    """A knowledge base's vectors of one embedder."""

    knowledge_base_id: UUID
    embedder_version: str
    vectors: int

    @property
    def name(self) -> str:
        return index_name(self.knowledge_base_id, self.embedder_version)

    def described(self) -> dict[str, Any]:
        return {"knowledge_base_id": str(self.knowledge_base_id), "embedder_version": self.embedder_version}


def index_name(knowledge_base_id: UUID, embedder_version: str) -> str:
    """The same as queries/vector_search.sql computes."""
    key = f"{knowledge_base_id}/{embedder_version}"
    return "chunk_vectors_" + hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()


def keep_vector_indexes(owner_dsn: str, make_from: int = MAKE_FROM, drop_below: int = DROP_BELOW) -> dict[str, Any]:
    """Drop what is broken or too small, make what is missing; whoever comes while another is at it leaves with `busy`.

    Readers and writers go on: both statements take a lock that conflicts with neither. A statement that is interrupted
    leaves an invalid index, which no query uses and which the next run makes anew.
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
    """Build in memory: a graph that does not fit is built many times slower."""
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
