"""Ranks by vectors: exactly where that is fast, by the HNSW index in large knowledge bases.

Each large knowledge base is searched by itself, the small ones together, and the results are merged. The design and the
measurements behind it: docs/decisions/0019-vectors.md.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from psycopg import sql

from shared.filters.selection import Selection, list_chunks, share_of_scope
from shared.ports import Vectors
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.search import Candidate, Ranking

_SQL = load_queries("vector_search")

# Candidates at a time: with 200, one question of fifty loses half of its ten nearest, on real passages.
EF_SEARCH: Final = 400
# Where a filter follows the clusters, the search reaches what passes from afar and meets its near and far ones mixed:
# it chooses from at least so many hits then.
FILTERED_LEAST: Final = 100
# Rows that an index scan may visit before it gives up: enough for 100 hits where one row in fifty passes the filters.
SCANNED_MAX: Final = 20_000
# pgvector's own limits: beyond them it gives back what it has put aside instead, which looks like hits and is not the
# nearest. So they lie where no scan of SCANNED_MAX rows comes to: as many vertices of the graph, and times `work_mem`.
VISITED_MAX: Final = 200_000
MEMORY: Final = 16
# A filtered scan gives up sooner, and what passes is ranked exactly: a scan that goes far misses clusters, however many
# candidates it takes. It may read so many times the rows that it needs where what passes lies evenly, or one for so
# many that pass, which takes a third of the time of ranking them all.
EVENLY: Final = 4
PASSING_PER_VISIT: Final = 8
# Rows read beyond the limit: the index's order is approximate and is corrected before the list is cut.
SPARE: Final = 20
# Where of so many nearest chunks less than a third of the filter's share pass, what passes lies in other clusters: the
# graph finds it late and badly (recall@10 .83 where 3 % of 500,000 pass). Up to LISTED_MAX are listed and ranked then.
# Of a filter that a larger share of the scope passes the scan itself says whether it comes to enough.
PROBED: Final = 200
SMALL_SHARE: Final = 0.05
NEAR_SHARE: Final = 1 / 3
LISTED_MAX: Final = 100_000
# pgvector's maximum
EF_SEARCH_MAX: Final = 1_000


@dataclass(frozen=True)
class _Query:
    """A query vector in one embedder's space, and how many chunks are wanted."""

    version: str
    vector: Vectors
    limit: int

    def values(self, selection: Selection) -> Row:
        own: Row = {"version": self.version, "vector": np.asarray(self.vector), "limit": self.limit}
        return selection.values() | own

    def indexed(self, block: str, base: UUID, selection: Selection) -> sql.Composed:
        """The SQL block with literal values: the planner must recognise the predicate of the knowledge base's partial
        index."""
        return sql.SQL(_SQL[block]).format(
            type=sql.SQL("halfvec({})").format(sql.Literal(len(self.vector))),
            base=sql.Literal(base),
            version=sql.Literal(self.version),
            selected=_condition_per_row(selection),
            served=sql.SQL(_SQL["served"]),
        )


def _is_filtered(selection: Selection) -> bool:
    filters = selection.filters
    return selection.listed is not None or (filters.types, filters.documents, filters.where) != (None, None, None)


def _condition_per_row(selection: Selection) -> sql.Composable:
    """The selection's SQL condition for index scans. Without filters it looks up the document of each row, which for
    the few rows of an index scan is cheaper than collecting all current documents first."""
    return selection.condition("v") if _is_filtered(selection) else sql.SQL(_SQL["served"])


@dataclass(frozen=True)
class _Part:
    """The result for some knowledge bases of one embedder."""

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
    """Returns the nearest selected chunks of all knowledge bases in scope by cosine similarity; ties in document order.

    `queries` has the query's vector per embedder version; the first also serves knowledge bases without vectors.
    `embed_as` makes the vector of another version; knowledge bases for which it returns None are left out and named in
    the ranking's figures.
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
    """Searches by HNSW, and exactly where that comes to fewer than are wanted, because nearer ones may match."""
    filtered = _is_filtered(selection)
    fetched = max(query.limit, FILTERED_LEAST if filtered else 0) + SPARE
    share = share_of_scope(connection, selection) if filtered else None
    if share is not None and _lies_elsewhere(connection, query, base, selection, share):
        listed = list_chunks(connection, selection, LISTED_MAX)
        if listed.listed is not None:
            return _exact(connection, query, [base], listed, {"far": True, **listed.figures})
    scanned_max = _scanned_max(selection, share, fetched)
    with _planned_for_index(connection, max(EF_SEARCH, 2 * query.limit)):
        values = query.values(selection) | {"fetched": fetched, "scanned_max": scanned_max}
        rows = connection.execute(query.indexed("indexed", base, selection), values).fetchall()
    found = rows[0]["found"] if rows else 0
    if found >= (fetched if filtered else query.limit):
        return _Part(query.version, "hnsw", False, rows, {"knowledge_bases": 1, "scanned_max": scanned_max})
    listed = list_chunks(connection, selection, LISTED_MAX) if filtered else selection
    figures = {"hnsw_found": found, "scanned_max": scanned_max}
    return _exact(connection, query, [base], listed, {**figures, **listed.figures})


def _scanned_max(selection: Selection, share: float | None, fetched: int) -> int:
    """How many rows a scan for `fetched` hits may visit, where `share` of all chunks pass the filter."""
    if not share or selection.expected is None:
        return SCANNED_MAX
    return min(SCANNED_MAX, round(max(EVENLY * fetched / share, selection.expected / PASSING_PER_VISIT)))


def _lies_elsewhere(connection: Connection, query: _Query, base: UUID, selection: Selection, share: float) -> bool:
    """Whether hardly any of the chunks nearest to the query pass the filter, although more of all do; False where too
    many pass to be listed, or so many that the index comes to them soon."""
    if selection.expected is None or selection.expected > 2 * LISTED_MAX or share > SMALL_SHARE:
        return False
    with _planned_for_index(connection, EF_SEARCH):
        statement = query.indexed("nearest_selected", base, selection)
        (row,) = connection.execute(statement, query.values(selection) | {"looked_at": PROBED}).fetchall()
    return row["selected"] < NEAR_SHARE * row["looked_at"] * share


@contextmanager
def _planned_for_index(connection: Connection, ef_search: int) -> Generator[None]:
    """Sets the planner options for statements that read an HNSW index; a failing statement resets them with its
    transaction."""
    values = {"ef_search": str(min(ef_search, EF_SEARCH_MAX)), "visited_max": str(VISITED_MAX), "memory": str(MEMORY)}
    connection.execute(_SQL["approximate"], values)
    yield
    connection.execute(_SQL["ordinary"])


def _merge(parts: Sequence[_Part], left_out: Sequence[str], limit: int) -> Ranking:
    """Merges the parts, best first. Cosines of different embedders are not comparable, so their rankings are
    interleaved."""
    rankings: dict[str, list[Row]] = {}
    for part in parts:
        rankings.setdefault(part.version, []).extend(part.rows)
    placed: list[tuple[int, int, Candidate]] = []
    for turn, (version, rows) in enumerate(rankings.items()):
        rows.sort(key=lambda row: (-row["score"], row["document_id"], row["ordinal"]))
        best = [Candidate(row["chunk_id"], row["document_id"], row["score"], version) for row in rows[:limit]]
        placed += [(rank, turn, candidate) for rank, candidate in enumerate(best)]
    placed.sort(key=lambda place: place[:2])
    found = [candidate for _, _, candidate in placed[:limit]]
    figures: Row = {"parts": [{"plan": part.plan, "embedder_version": part.version, **part.figures} for part in parts]}
    if left_out:
        figures["left_out"] = left_out
    plan = " and ".join(dict.fromkeys(part.plan for part in parts)) or "nothing to search"
    return Ranking(found, plan, all(part.exact for part in parts) and not left_out, figures)
