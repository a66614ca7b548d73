"""Ranking by vectors: exact where that is fast, by the HNSW index of a large knowledge base elsewhere.

Every knowledge base is read by itself or together with the other small ones, and the answers are merged. How, and from
which figures, is in docs/decisions/0019-vectors.md.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from psycopg import sql

from shared.filters.selection import Selection
from shared.ports import Vectors
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.search import Candidate, Ranking

_SQL = load_queries("vector_search")

EF_SEARCH: Final = 200
# Rows that an index scan may look at before it gives up: enough for 100 of a selection that a fiftieth passes.
SCANNED_MAX: Final = 20_000
# Read beyond what is wanted, so that an order that is only nearly right is put right before it is cut.
SPARE: Final = 20
# pgvector takes no more.
EF_SEARCH_MAX: Final = 1_000


@dataclass(frozen=True)
class _Query:
    """A query in one embedder's space, and how many chunks are wanted."""

    version: str
    vector: Vectors
    limit: int

    def values(self, selection: Selection) -> Row:
        own: Row = {"version": self.version, "vector": np.asarray(self.vector), "limit": self.limit}
        return selection.values() | own

    def indexed(self, block: str, base: UUID, selection: Selection) -> sql.Composed:
        """The block with its literals: the planner must recognise the predicate of the base's index."""
        return sql.SQL(_SQL[block]).format(
            type=sql.SQL("halfvec({})").format(sql.Literal(len(self.vector))),
            base=sql.Literal(base),
            version=sql.Literal(self.version),
            selected=_condition_per_row(selection),
        )


def _condition_per_row(selection: Selection) -> sql.Composable:
    """The selection's condition. Where there is no filter, written for the few rows that an index hands over: looking
    up their documents is cheaper than collecting all that are current, however many documents there are."""
    filters = selection.filters
    if selection.listed is None and (filters.types, filters.documents, filters.where) == (None, None, None):
        return sql.SQL(_SQL["served"])
    return selection.condition("v")


@dataclass(frozen=True)
class _Part:
    """What was read of some knowledge bases of one embedder."""

    version: str
    plan: str
    exact: bool
    rows: list[Row]
    figures: Row


def vector_candidates(
    connection: Connection,
    queries: Mapping[str, Vectors],
    selection: Selection,
    limit: int,
    embed_as: Callable[[str], Vectors | None] = lambda _: None,
) -> Ranking:
    """Nearest first by cosine over the selected chunks of every knowledge base in scope; ties in document order.

    `queries` holds the query's vector per embedder version; the first serves knowledge bases without vectors so far.
    `embed_as` makes that of another version where it can; knowledge bases of the rest are left out, and named in the
    figures.
    """
    serving = connection.execute(_SQL["serving"], {"default": next(iter(queries))}).fetchall()
    others = {row["embedder_version"] for row in serving} - queries.keys()
    made = {version: vector for version in sorted(others) if (vector := embed_as(version)) is not None}
    queries = {**queries, **made}
    parts: list[_Part] = []
    for version, vector in queries.items():
        bases = [row for row in serving if row["embedder_version"] == version]
        large = [row for row in bases if row["indexed"] and selection.listed is None]
        small = [row["knowledge_base_id"] for row in bases if row not in large]
        query = _Query(version, vector, limit)
        parts += [_exact(connection, query, small, selection)] if small else []
        parts += [_approximate(connection, query, row["knowledge_base_id"], selection) for row in large]
    left_out = [str(row["knowledge_base_id"]) for row in serving if row["embedder_version"] not in queries]
    return _merge(parts, left_out, limit)


def _exact(
    connection: Connection, query: _Query, bases: Sequence[UUID], selection: Selection, figures: Row | None = None
) -> _Part:
    statement = sql.SQL(_SQL["exact"]).format(source=selection.source("chunk_vectors", "v"))
    rows = connection.execute(statement, query.values(selection) | {"knowledge_bases": list(bases)}).fetchall()
    plan = "exact scan" if selection.listed is None else "exact over the listed chunks"
    return _Part(query.version, plan, True, rows, {"knowledge_bases": len(bases), **(figures or {})})


def _approximate(connection: Connection, query: _Query, base: UUID, selection: Selection) -> _Part:
    """By HNSW; exactly where that finds fewer than are wanted, because more may match."""
    fetched = query.limit + SPARE
    values = query.values(selection) | {"fetched": fetched}
    with _planned_for_index(connection, max(EF_SEARCH, 2 * query.limit)):
        rows = connection.execute(query.indexed("indexed", base, selection), values).fetchall()
    if len(rows) >= query.limit:
        return _Part(query.version, "hnsw", False, rows, {"knowledge_bases": 1, "scanned_max": SCANNED_MAX})
    return _exact(connection, query, [base], selection, {"hnsw_found": len(rows)})


@contextmanager
def _planned_for_index(connection: Connection, ef_search: int) -> Generator[None]:
    """Settings for statements that read an HNSW index; a statement that fails takes them back with its transaction."""
    values = {"ef_search": str(min(ef_search, EF_SEARCH_MAX)), "scanned_max": str(SCANNED_MAX)}
    connection.execute(_SQL["approximate"], values)
    yield
    connection.execute(_SQL["ordinary"])


def _merge(parts: Sequence[_Part], left_out: Sequence[str], limit: int) -> Ranking:
    """Best first. Cosines of different embedders do not compare, so rankings of different versions take turns."""
    rankings: dict[str, list[Row]] = {}
    for part in parts:
        rankings.setdefault(part.version, []).extend(part.rows)
    placed: list[tuple[int, int, Row]] = []
    for turn, rows in enumerate(rankings.values()):
        rows.sort(key=lambda row: (-row["score"], row["document_id"], row["ordinal"]))
        placed += [(rank, turn, row) for rank, row in enumerate(rows[:limit])]
    placed.sort(key=lambda place: place[:2])
    found = [Candidate(row["chunk_id"], row["document_id"], row["score"]) for _, _, row in placed[:limit]]
    figures: Row = {"parts": [{"plan": part.plan, "embedder_version": part.version, **part.figures} for part in parts]}
    if left_out:
        figures["left_out"] = left_out
    plan = " and ".join(dict.fromkeys(part.plan for part in parts)) or "nothing to search"
    return Ranking(found, plan, all(part.exact for part in parts) and not left_out, figures)
