"""Writes the lexical index: per chunk a row of BM25 impacts and keys, per document its share of the term statistics.

Formulas: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the inverse
document frequency of Lucene, ln(1 + (N - n + .5) / (n + .5)), which is never negative. An impact is BM25 without the
inverse document frequency. The pivot is the length that BM25 normalises chunk lengths by; it follows the mean length of
the knowledge base's chunks, so that not every new document changes every row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from shared.lexical.fields import Weighed, WeightedTerms, weigh_chunks
from shared.lexical.keys import IMPACT_MAX, base_number, keys_of
from shared.lexical.profiles import profile_documents
from shared.lexical.statistics import fold_shares
from shared.lexical.tokenizer import TERM_SPACE, term_number, tokenizer_version
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("lexical")

K1 = IMPACT_MAX - 1
B = 0.75
# Of a chunk with more different terms than this, the most frequent are kept; pgvector stores 16,000 at most.
TERMS_PER_CHUNK = 4000
# The pivot moves when mean length / pivot leaves this range; within it, no loss of quality was measured.
PIVOT_DRIFT = (0.5, 1.5)
ROWS_PER_BATCH = 500
# How many documents with an old pivot or tokenizer version a call indexes again beside its own.
DOCUMENTS_FOLLOWING = 20


@dataclass(frozen=True)
class _Base:
    """A knowledge base as its rows are written: its id, its number within keys, and its pivot length in words."""

    id: UUID
    pivot: float

    @property
    def number(self) -> int:
        return base_number(self.id)


class _Share(NamedTuple):
    """A document's chunks that are to be indexed, with their terms."""

    document_id: UUID
    language: str
    chunks: Sequence[Row]
    terms: Sequence[WeightedTerms]


def index_chunks(connection: Connection, knowledge_base_id: UUID, document_id: UUID) -> int:
    """Brings the index up to date with a document's chunks; returns how many chunks were indexed.

    Idempotent. Two runs for one document wait for each other, those of different documents do not. A deleted chunk's
    rows are deleted with it, and its counts are subtracted from the statistics by the next call.
    """
    connection.execute(_SQL["lock_document"], {"document_id": document_id})
    indexed = _index(connection, knowledge_base_id, [document_id])
    if fold_shares(connection, knowledge_base_id):
        follow_mean_length(connection, knowledge_base_id)
    return indexed


def reindex_stale(connection: Connection, knowledge_base_id: UUID, documents: int = DOCUMENTS_FOLLOWING) -> int:
    """Indexes up to `documents` documents again whose rows have an old tokenizer version or pivot; returns how many.

    0 means that the knowledge base is up to date. Documents that another transaction is indexing are skipped. Called by
    maintenance; also folds the shares that publishing and deletions left.
    """
    fold_shares(connection, knowledge_base_id)
    done = _reindex(connection, knowledge_base_id, documents)
    if done:
        fold_shares(connection, knowledge_base_id)
    return done


def index_unseen(
    connection: Connection,
    knowledge_base_id: UUID,
    document_ids: Sequence[UUID],
    weighed: Mapping[UUID, Weighed] | None = None,
) -> None:
    """Builds the index of documents that no other transaction sees yet, and all of their statistics.

    `weighed` are the terms of new ones, as far as they are known.
    The pivot stays what it is. A lock per document would be one too many: nobody else can index them, and a server has
    room for some thousands of locks.
    """
    known = connection.execute(_SQL["get_pivot"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    # Where there is no pivot yet the first document gives it, as where each comes by itself.
    first = 0 if known else 1
    for some in (document_ids[:first], document_ids[first:]):
        if some:
            _index(connection, knowledge_base_id, some, weighed)
    fold_shares(connection, knowledge_base_id, len(document_ids))


def follow_name(connection: Connection, document_id: UUID) -> None:
    """Rebuilds the document's profile after a change of its name; waits for a transaction that is indexing the
    document."""
    connection.execute(_SQL["lock_document"], {"document_id": document_id})
    profile_documents(connection, [document_id])


def impact(count: float, length: float, pivot: float) -> float:
    """Returns the BM25 score, without inverse document frequency, of a term that occurs `count` times in a chunk of
    `length` words."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / pivot))


def _index(
    connection: Connection,
    knowledge_base_id: UUID,
    document_ids: Sequence[UUID],
    weighed: Mapping[UUID, Weighed] | None = None,
    *,
    recount: bool = False,
) -> int:
    """Writes the rows and the shares of documents that are locked, or that nobody else sees. With `recount` the shares
    are computed again in any case. Returns how many chunks were indexed."""
    values: Row = {"document_ids": list(document_ids), "version": tokenizer_version()}
    stale: dict[UUID, list[Row]] = {document_id: [] for document_id in document_ids}
    for row in connection.execute(_SQL["stale_chunks"], values).fetchall():
        stale[row["document_id"]].append(row)
    shares: list[_Share] = []
    for counted in connection.execute(_SQL["counted_chunks"], values).fetchall():
        rows = stale[counted["document_id"]]
        if rows or recount or counted["present"] != counted["counted"]:
            known = len(rows) < counted["chunks"] and counted["language"]
            own = (weighed or {}).get(counted["document_id"])
            own = own or (Weighed(known, {}) if known else weigh_chunks(rows))
            shares.append(_Share(counted["document_id"], own.language, rows, [own.find(row) for row in rows]))
    chunks = [row for share in shares for row in share.chunks]
    if chunks:
        base = _base(connection, knowledge_base_id, [t.length for share in shares for t in share.terms])
        _store(connection, base, chunks, [t for share in shares for t in share.terms])
    if shares:
        _store_shares(connection, knowledge_base_id, shares)
        profile_documents(connection, [share.document_id for share in shares])
    return len(chunks)


def _reindex(connection: Connection, knowledge_base_id: UUID, documents: int) -> int:
    values: Row = {"knowledge_base_id": knowledge_base_id, "version": tokenizer_version(), "limit": documents}
    done = 0
    for row in connection.execute(_SQL["stale_documents"], values).fetchall():
        document = {"document_id": row["document_id"]}
        if (connection.execute(_SQL["try_lock_document"], document).fetchone() or {"locked": False})["locked"]:
            _index(connection, knowledge_base_id, [row["document_id"]], recount=True)
            done += 1
    return done


def _store(connection: Connection, base: _Base, chunks: Sequence[Row], terms: Sequence[WeightedTerms]) -> None:
    for start in range(0, len(chunks), ROWS_PER_BATCH):
        some = slice(start, start + ROWS_PER_BATCH)
        impacts = [_impacts(t, base.pivot) for t in terms[some]]
        values: Row = {
            "pivot": base.pivot,
            "version": tokenizer_version(),
            "ids": [c["id"] for c in chunks[some]],
            "hashes": [c["source_hash"] for c in chunks[some]],
            "lengths": [round(t.length) for t in terms[some]],
            "impacts": [_sparse_text(pairs) for pairs in impacts],
            "keys": [_array_text(keys_of(base.number, pairs)) for pairs in impacts],
        }
        connection.execute(_SQL["store_chunks"], values)


def _base(connection: Connection, knowledge_base_id: UUID, lengths: Sequence[float]) -> _Base:
    """Returns the knowledge base with its pivot; where it has none yet, the mean of `lengths` becomes its pivot."""
    base: Row = {"knowledge_base_id": knowledge_base_id, "pivot": max(1.0, sum(lengths) / len(lengths))}
    connection.execute(_SQL["fix_pivot"], base)
    return _Base(knowledge_base_id, (connection.execute(_SQL["get_pivot"], base).fetchone() or {})["pivot"])


def _impacts(terms: WeightedTerms, pivot: float) -> list[tuple[int, float]]:
    """Returns (term number, impact) sorted by number, rounded as they are stored."""
    kept = sorted(terms.counts.items(), key=lambda pair: -pair[1])[:TERMS_PER_CHUNK]
    values = {term_number(t): float(f"{impact(count, terms.length, pivot):.5g}") for t, count in kept}
    return sorted(values.items())


def _sparse_text(pairs: Sequence[tuple[int, float]]) -> str:
    """A sparsevec literal; its indices count from 1."""
    return "{" + ",".join(f"{i + 1}:{v:.5g}" for i, v in pairs) + "}/" + str(TERM_SPACE)


def _array_text(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _store_shares(connection: Connection, knowledge_base_id: UUID, shares: Sequence[_Share]) -> None:
    """Computes the documents' shares of the statistics from their rows and stores them."""
    removed = connection.execute(_SQL["remove_shares"], {"document_ids": [share.document_id for share in shares]})
    before = {row["document_id"]: dict(zip(row["words"], row["word_terms"], strict=True)) for row in removed}
    rows: list[Row] = []
    for share in shares:
        words = before.get(share.document_id, {})
        words |= {word: term_number(term) for t in share.terms for word, term in t.words.items()}
        named = {"words": list(words), "word_terms": list(words.values())}
        rows.append({"document_id": str(share.document_id), "language": share.language, **named})
    values: Row = {"shares": Jsonb(rows), "number": base_number(knowledge_base_id), "version": tokenizer_version()}
    connection.execute(_SQL["store_shares"], values)


def follow_mean_length(connection: Connection, knowledge_base_id: UUID) -> None:
    """Moves the pivot when the mean length has drifted too far from it, and indexes some documents again that have an
    old one.

    Until all have been indexed, their scores differ little: the pivot changes an impact by a factor of 2 at most.
    """
    base: Row = {"knowledge_base_id": knowledge_base_id}
    totals = connection.execute(_SQL["base_totals"], base).fetchone() or {}
    row = connection.execute(_SQL["get_pivot"], base).fetchone()
    if row is None or not totals["chunks"]:
        return
    mean = max(1.0, totals["length"] / totals["chunks"])
    if not PIVOT_DRIFT[0] <= mean / row["pivot"] <= PIVOT_DRIFT[1]:
        connection.execute(_SQL["move_pivot"], base | {"pivot": mean, "old": row["pivot"]})
    _reindex(connection, knowledge_base_id, DOCUMENTS_FOLLOWING)
