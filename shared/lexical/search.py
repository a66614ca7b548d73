"""Ranks by the lexical index: small scopes are scored completely, large knowledge bases by reading a bounded number of
postings.

Of a large knowledge base as many postings are read as the budget allows, strongest first, and the chunks read are
scored exactly. The plan's bound then says down to which rank the result is exact.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from psycopg import sql

from shared.filters.selection import Selection
from shared.lexical.phrases import VERIFIED_MAX, frequency, needed_vector, needed_words, with_phrases
from shared.lexical.plan import ReadingPlan, plan_reading
from shared.lexical.query import LexicalQuery
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.store.search import Candidate, Ranking

_SQL = load_queries("lexical_search")

# How many candidates are asked of the database per wanted one, as some will not pass the filters.
DEPTH_PER_RESULT = 3
DEPTH_MAX = 20_000

_SCANNED = "every selected chunk"


@dataclass(frozen=True)
class Limits:
    """Up to `scanned_chunks` chunks in scope, everything is scored. Beyond, posting lists with `first` postings in
    total are read; where the result is then not exact down to rank `exact_to_rank`, lists with up to `second`
    postings."""

    scanned_chunks: int = 20_000
    first: int = 5_000
    second: int = 15_000
    exact_to_rank: int = 10


LIMITS = Limits()


@dataclass(frozen=True)
class _Search:
    """The parameters of one search. `vector` and `needed` are sparse vector literals."""

    connection: Connection
    query: LexicalQuery
    selection: Selection
    limit: int
    limits: Limits
    vector: str
    needed: list[str] | None

    def values(self) -> Row:
        return self.selection.values() | {"vector": self.vector, "needed": self.needed}

    def rows(self, block: str, values: Row) -> list[Row]:
        selected, source = self.selection.condition("l"), self.selection.source("chunk_lexical", "l")
        statement = sql.SQL(_SQL[block]).format(selected=selected, source=source)
        return self.connection.execute(statement, self.values() | values).fetchall()


def lexical_candidates(
    connection: Connection, query: LexicalQuery, selection: Selection, limit: int, limits: Limits = LIMITS
) -> Ranking:
    """Returns candidates by BM25, best first, ties in document order. Chunks that share no term with the query are left
    out.

    A chunk that lacks one of the query's quoted phrases is left out too.
    """
    vector = query.vector()
    if vector is None:
        return Ranking([], "no term of the query is in scope", exact=True)
    if query.phrases:
        return _rank_phrases(_Search(connection, query, selection, VERIFIED_MAX, limits, vector.to_text(), []), limit)
    search = _Search(connection, query, selection, limit, limits, vector.to_text(), None)
    scanned, read = _split_by_size(search)
    return _rank_read(search, scanned, read) if read else Ranking(_candidates(_scan(search)), _SCANNED, exact=True)


def _rank_read(search: _Search, scanned: Sequence[UUID], read: Sequence[UUID]) -> Ranking:
    """Scores all chunks of `scanned` and the posting lists of `read`, and reads further lists where the result is not
    exact."""
    terms, histograms, limits = search.query.terms(), search.query.histograms, search.limits
    reading = plan_reading(terms, histograms, read, limits.first)
    found = _Found({row["chunk_id"]: row for row in _scan(search, scanned)}, True).joined(_read(search, reading.keys))
    ranking = found.ranked(reading, search.limit)
    wanted = min(search.limit, limits.exact_to_rank)
    if not ranking.exact and ranking.figures["exact_to_rank"] < wanted:
        # Reading further can only raise the score at that rank, so a bound at the present score is enough.
        enough = ranking.candidates[wanted - 1].score if len(ranking.candidates) >= wanted else 0.0
        further = plan_reading(terms, histograms, read, limits.second, enough)
        found = found.joined(_read(search, [key for key in further.keys if key not in reading.keys]))
        ranking = found.ranked(reading.joined(further), search.limit)
    return ranking


@dataclass(frozen=True)
class _Found:
    """Rows of selected chunks by chunk id; `complete` if all of the best chunks read are among them."""

    rows: dict[UUID, Row]
    complete: bool
    cut_off: bool = False

    def joined(self, other: "_Found") -> "_Found":
        return _Found(self.rows | other.rows, self.complete and other.complete, self.cut_off or other.cut_off)

    def ranked(self, reading: ReadingPlan, limit: int) -> Ranking:
        best = sorted(self.rows.values(), key=_order)[:limit]
        certified = sum(row["score"] >= reading.bound for row in best) if self.complete else 0
        exact = self.complete and (not reading.bound or certified == limit)
        figures = {
            "postings": reading.postings,
            "bound": round(reading.bound, 4),
            "last_score": round(best[-1]["score"], 4) if best else None,
            "exact_to_rank": len(best) if exact else certified,
        }
        return Ranking(_candidates(best), "the strongest postings of each term", exact=exact, figures=figures)


def _rank_phrases(search: _Search, limit: int) -> Ranking:
    """Ranks the chunks that have all words of the phrases, and leaves out those whose text lacks a phrase itself."""
    needed = needed_words(search.query)
    if not all(frequency(search.query, numbers) for numbers in needed):
        return Ranking([], "a word of the phrase is not in scope", exact=True)
    search = replace(search, needed=[needed_vector(numbers) for numbers in needed])
    scanned, read = _split_by_size(search)
    rows, complete, postings = _scan(search, scanned), True, 0
    if read:
        rarest = [term for term in search.query.terms() if not needed or term.number in needed[0]]
        reading = plan_reading(rarest, search.query.histograms, read, search.limits.second)
        found = _read(search, reading.keys)
        rows, postings = sorted([*rows, *found.rows.values()], key=_order)[:VERIFIED_MAX], reading.postings
        complete = not reading.bound and not found.cut_off
    kept = with_phrases(search.connection, rows, search.query.phrases, limit)
    exact = complete and (len(kept) == limit or len(rows) < VERIFIED_MAX)
    figures = {"postings": postings, "with_all_words": len(rows), "with_phrase": len(kept)}
    return Ranking(_candidates(kept), "texts of chunks with all words of the phrase", exact=exact, figures=figures)


def _split_by_size(search: _Search) -> tuple[list[UUID], list[UUID]]:
    """Returns (knowledge bases to scan, knowledge bases to read by posting lists); the latter is empty for small
    selections."""
    chunks, documents = search.query.chunks, search.selection.filters.documents
    if search.selection.listed is not None or sum(chunks.values()) <= search.limits.scanned_chunks:
        return list(chunks), []
    if documents is not None:
        row = search.connection.execute(_SQL["chunks_of_documents"], {"documents": list(documents)}).fetchone() or {}
        if row["chunks"] <= search.limits.scanned_chunks:
            return list(chunks), []
    scanned: list[UUID] = []
    left = search.limits.scanned_chunks // 2
    for base in sorted(chunks, key=lambda base: (chunks[base], base)):
        left -= chunks[base]
        if left >= 0:
            scanned.append(base)
    return scanned, [base for base in chunks if base not in scanned]


def _scan(search: _Search, bases: Sequence[UUID] | None = None) -> list[Row]:
    """Scores every selected chunk of `bases`; of all knowledge bases in scope when None."""
    if bases is not None and not bases:
        return []
    values = {"bases": None if bases is None else list(bases), "limit": search.limit}
    return search.rows("scanned", values)


def _read(search: _Search, keys: Collection[int]) -> _Found:
    """Scores the best chunks that have one of `keys` and returns the selected ones."""
    chunks, expected = sum(search.query.chunks.values()), search.selection.expected
    thinned = 1.0 if expected is None else max(1.0, chunks / expected)
    depth = min(DEPTH_MAX, round(DEPTH_PER_RESULT * search.limit * thinned))
    while True:
        rows = search.rows("read", {"keys": list(keys), "depth": depth, "limit": search.limit})
        cut_off = next(row["handed_out"] for row in rows if row["handed_out"] is not None) >= depth
        found = {row["chunk_id"]: row for row in rows if row["chunk_id"] is not None}
        complete = not cut_off or len(found) >= search.limit
        if complete or depth == DEPTH_MAX:
            return _Found(found, complete, cut_off)
        depth = DEPTH_MAX


def _candidates(rows: Sequence[Row]) -> list[Candidate]:
    return [Candidate(row["chunk_id"], row["document_id"], row["score"]) for row in rows]


def _order(row: Row) -> tuple[float, UUID, int]:
    return -row["score"], row["document_id"], row["ordinal"]
