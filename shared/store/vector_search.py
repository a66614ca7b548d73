"""Ranking by vectors: exact where that is fast, by the HNSW index of a large knowledge base elsewhere.

Every knowledge base is read by itself or together with the other small ones, and the answers are merged. How, and from
which figures, is in docs/decisions/0019-vectors.md.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import numpy as np
from psycopg import sql

from shared.ports import Vectors
from shared.store.candidates import Candidate, Ranking
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.selection import Selection

_SQL = load_queries("vector_search")

EF_SEARCH: Final = 200
# Rows that an index scan may look at before it gives up: enough for 100 of a selection that a fiftieth passes.
SCANNED_MAX: Final = 20_000
# Read beyond what is wanted, so that an order that is only nearly right is put right before it is cut.
SPARE: Final = 20
# pgvector takes no more.
EF_SEARCH_MAX: Final = 1_000
# The nearest of a large knowledge base on which a filter is tried, and the share that must pass for the index to be
# the faster way to a hundred candidates.
SAMPLE: Final = 200
SAMPLE_SHARE_MIN: Final = 0.03
# Chunks that are ranked one by one where few pass a filter.
LISTED_MAX: Final = 10_000

Row = dict[str, Any]


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
            selected=selection.condition("v"),
        )


@dataclass(frozen=True)
class _Part:
    """What was read of some knowledge bases of one embedder."""

    version: str
    plan: str
    exact: bool
    rows: list[Row]
    figures: Row


def vector_candidates(
    connection: Connection, queries: Mapping[str, Vectors], selection: Selection, limit: int
) -> Ranking:
    """Nearest first by cosine over the selected chunks of every knowledge base in scope; ties in document order.

    `queries` holds the query's vector per embedder version; the first serves knowledge bases without vectors so far.
    Knowledge bases that another version serves are left out, and named in the figures.
    """
    serving = connection.execute(_SQL["serving"], {"default": next(iter(queries))}).fetchall()
    parts: list[_Part] = []
    for version, vector in queries.items():
        bases = [row for row in serving if row["embedder_version"] == version]
        large = [row for row in bases if row["indexed"] and selection.chunk_ids is None]
        small = [row["knowledge_base_id"] for row in bases if row not in large]
        query = _Query(version, vector, limit)
        parts += [_exact(connection, query, small, selection)] if small else []
        parts += [_search_large(connection, query, row["knowledge_base_id"], selection) for row in large]
    left_out = [str(row["knowledge_base_id"]) for row in serving if row["embedder_version"] not in queries]
    return _merge(parts, left_out, limit)


def _search_large(connection: Connection, query: _Query, base: UUID, selection: Selection) -> _Part:
    """By the index, unless a filter passes so few that ranking those one by one is faster."""
    if not _narrows(selection):
        return _approximate(connection, query, base, selection, {})
    sample = _sample(connection, query, base, selection)
    if sample["sample_selected"] < SAMPLE_SHARE_MIN * sample["sample"]:
        listed = _list_by_filters(connection, base, selection)
        if len(listed) <= LISTED_MAX:
            return _exact(connection, query, [base], replace(selection, chunk_ids=listed), sample)
    return _approximate(connection, query, base, selection, sample)


def _narrows(selection: Selection) -> bool:
    filters = selection.filters
    return any(given is not None for given in (filters.types, filters.documents, filters.where))


def _sample(connection: Connection, query: _Query, base: UUID, selection: Selection) -> Row:
    """How many of the nearest pass: the share near the query, which is the one that decides."""
    statement = query.indexed("sample", base, selection)
    with _planned_for_index(connection, SAMPLE):
        row = connection.execute(statement, query.values(selection) | {"sample": SAMPLE}).fetchone()
    return {"sample": row["looked_at"], "sample_selected": row["selected"]} if row else {}


def _list_by_filters(connection: Connection, base: UUID, selection: Selection) -> tuple[UUID, ...]:
    """Up to one more than LISTED_MAX chunks that types and documents leave, narrowed by the rest of the selection."""
    rest = replace(selection, filters=replace(selection.filters, types=None))
    values = rest.values() | selection.filters.values() | {"base": base, "listed_max": LISTED_MAX}
    statement = sql.SQL(_SQL["listed_by_filters"]).format(selected=rest.condition("v"))
    with _planned_for_index(connection, EF_SEARCH):
        return tuple(row["chunk_id"] for row in connection.execute(statement, values))


def _exact(
    connection: Connection, query: _Query, bases: Sequence[UUID], selection: Selection, figures: Row | None = None
) -> _Part:
    statement = sql.SQL(_SQL["exact"]).format(selected=selection.condition("v"))
    rows = connection.execute(statement, query.values(selection) | {"knowledge_bases": list(bases)}).fetchall()
    listed = {} if selection.chunk_ids is None else {"listed": len(selection.chunk_ids)}
    plan = "exact scan" if selection.chunk_ids is None else "exact over the listed chunks"
    return _Part(query.version, plan, True, rows, {"knowledge_bases": len(bases), **listed, **(figures or {})})


def _approximate(connection: Connection, query: _Query, base: UUID, selection: Selection, figures: Row) -> _Part:
    """By HNSW; exactly where that finds fewer than are wanted, because more may match."""
    fetched = query.limit + SPARE
    values = query.values(selection) | {"fetched": fetched}
    with _planned_for_index(connection, max(EF_SEARCH, 2 * query.limit)):
        rows = connection.execute(query.indexed("indexed", base, selection), values).fetchall()
    if len(rows) >= query.limit:
        figures = {**figures, "knowledge_bases": 1, "scanned_max": SCANNED_MAX}
        return _Part(query.version, "hnsw", False, rows, figures)
    return _exact(connection, query, [base], selection, {**figures, "hnsw_found": len(rows)})


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
    found = [Candidate(row["chunk_id"], row["score"]) for _, _, row in placed[:limit]]
    figures: Row = {"parts": [{"plan": part.plan, "embedder_version": part.version, **part.figures} for part in parts]}
    if left_out:
        figures["left_out"] = left_out
    plan = " and ".join(dict.fromkeys(part.plan for part in parts)) or "nothing to search"
    return Ranking(found, plan, all(part.exact for part in parts) and not left_out, figures)
