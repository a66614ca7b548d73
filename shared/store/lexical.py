"""The lexical index: keeps a row of BM25 impacts per chunk and the statistics that weigh a query's terms.

Formulas: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the inverse
document frequency of Lucene, ln(1 + (N - n + .5) / (n + .5)), which is never negative.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from pgvector import SparseVector

from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.store.tokenizer import TERM_SPACE, Terms, term_number, tokenize, tokenizer_version

_SQL = load_queries("lexical")

K1 = 1.2
B = 0.75
# Above this many different terms a chunk keeps those that occur most; pgvector stores 16,000 at most.
TERMS_PER_CHUNK = 4000
# A pivot between half and one and a half of the mean length costs no measurable quality.
PIVOT_DRIFT = (0.5, 1.5)
ROWS_PER_BATCH = 500

Row = dict[str, Any]


def index_chunks(connection: Connection, knowledge_base_id: UUID, document_id: UUID) -> int:
    """Bring the index up to date with a document's chunks; returns how many chunks were indexed.

    Idempotent. Two runs for one document wait for each other, those of different documents do not. Chunks that are
    deleted take their rows along; the next call takes them out of the statistics.
    """
    document = {"document_id": document_id}
    connection.execute(_SQL["lock_document"], document)
    stale = connection.execute(_SQL["stale_chunks"], document | {"version": tokenizer_version()}).fetchall()
    if stale:
        _store(connection, knowledge_base_id, stale)
    counted = connection.execute(_SQL["counted_chunks"], document).fetchone() or {}
    if stale or counted["present"] != counted["counted"]:
        _count(connection, document_id)
        _follow_mean_length(connection, knowledge_base_id)
    return len(stale)


def query_vector(connection: Connection, text: str) -> SparseVector | None:
    """A query's terms weighted by rarity within the scope; None when the scope has none of them.

    The inner product with a chunk's impacts is its BM25 score.
    """
    counts = {term_number(term): count for term, count in tokenize(text).counts.items()}
    if not counts:
        return None
    total = (connection.execute(_SQL["scope_totals"]).fetchone() or {})["chunks"]
    rows = connection.execute(_SQL["term_frequencies"], {"terms": sorted(counts)}).fetchall()
    weights = {row["term"]: counts[row["term"]] * rarity(total, row["frequency"]) for row in rows}
    return SparseVector(weights, TERM_SPACE) if weights else None


def term_rarities(connection: Connection, text: str) -> dict[str, float]:
    """Each term of a text with its rarity within the scope; one that occurs nowhere is the rarest."""
    numbers = {term: term_number(term) for term in tokenize(text).counts}
    total = (connection.execute(_SQL["scope_totals"]).fetchone() or {})["chunks"]
    rows = connection.execute(_SQL["term_frequencies"], {"terms": sorted(numbers.values())}).fetchall()
    frequencies = {row["term"]: row["frequency"] for row in rows}
    return {term: rarity(total, frequencies.get(number, 0)) for term, number in numbers.items()}


def shares_of_terms(connection: Connection, weights: dict[str, float], chunk_ids: Sequence[UUID]) -> list[float]:
    """Share (0..1) of the weight of the terms that each chunk's index row has."""
    whole = sum(weights.values())
    numbers = {term_number(term): weight for term, weight in weights.items()}
    rows = connection.execute(_SQL["impacts_of_chunks"], {"ids": list(chunk_ids)}).fetchall()
    present = [numbers.keys() & set(row["impacts"].indices()) for row in rows]
    return [sum(numbers[n] for n in found) / whole if whole else 0.0 for found in present]


def rarity(chunks: int, frequency: int) -> float:
    """Inverse document frequency, above 0 also for a term that every chunk has."""
    return math.log(1 + max(0.0, chunks - frequency + 0.5) / (frequency + 0.5))


def impact(count: float, length: int, pivot: float) -> float:
    """What a term that occurs `count` times in a chunk of `length` words adds, its rarity apart."""
    return count * (K1 + 1) / (count + _saturation(length, pivot))


def _saturation(length: int, pivot: float) -> float:
    return K1 * (1 - B + B * length / pivot)


def _store(connection: Connection, knowledge_base_id: UUID, chunks: Sequence[Row]) -> None:
    terms = [tokenize("\n".join([c["index_text"], *c["keywords"]])) for c in chunks]
    pivot = _pivot(connection, knowledge_base_id, [t.length for t in terms])
    for start in range(0, len(chunks), ROWS_PER_BATCH):
        some = slice(start, start + ROWS_PER_BATCH)
        values: Row = {
            "pivot": pivot,
            "version": tokenizer_version(),
            "ids": [c["id"] for c in chunks[some]],
            "hashes": [c["source_hash"] for c in chunks[some]],
            "lengths": [t.length for t in terms[some]],
            "impacts": [_impacts(t, pivot) for t in terms[some]],
        }
        connection.execute(_SQL["store_chunks"], values)


def _pivot(connection: Connection, knowledge_base_id: UUID, lengths: Sequence[int]) -> float:
    """The knowledge base's pivot length; its first document's mean where it has none yet."""
    base: Row = {"knowledge_base_id": knowledge_base_id, "pivot": max(1.0, sum(lengths) / len(lengths))}
    connection.execute(_SQL["fix_pivot"], base)
    return (connection.execute(_SQL["get_pivot"], base).fetchone() or {})["pivot"]


def _impacts(terms: Terms, pivot: float) -> str:
    kept = terms.counts.most_common(TERMS_PER_CHUNK)
    return _sparse_text({term_number(t): impact(count, terms.length, pivot) for t, count in kept})


def _sparse_text(values: dict[int, float]) -> str:
    """A sparsevec literal; its indices count from 1."""
    return "{" + ",".join(f"{i + 1}:{v:.5g}" for i, v in sorted(values.items())) + "}/" + str(TERM_SPACE)


def _count(connection: Connection, document_id: UUID) -> None:
    """Make the document's share of the statistics from its rows."""
    rows = connection.execute(_SQL["document_rows"], {"document_id": document_id}).fetchall()
    frequencies = Counter(i for row in rows for i in row["impacts"].indices())
    terms = sorted(frequencies)
    totals = {"document_id": document_id, "chunks": len(rows), "length": sum(row["length"] for row in rows)}
    connection.execute(_SQL["clear_terms"], totals)
    connection.execute(_SQL["store_terms"], totals | {"terms": terms, "frequencies": [frequencies[t] for t in terms]})
    connection.execute(_SQL["store_totals"], totals)


def _follow_mean_length(connection: Connection, knowledge_base_id: UUID) -> None:
    """Move the pivot when the mean length has drifted away from it, and re-weigh rows made with another one.

    Rows that another transaction holds are left to the next call, so that no two ever wait for each other.
    """
    base: Row = {"knowledge_base_id": knowledge_base_id}
    totals = connection.execute(_SQL["base_totals"], base).fetchone() or {}
    row = connection.execute(_SQL["get_pivot"], base).fetchone()
    if row is None or not totals["chunks"]:
        return
    pivot, mean = row["pivot"], max(1.0, totals["length"] / totals["chunks"])
    if not PIVOT_DRIFT[0] <= mean / pivot <= PIVOT_DRIFT[1]:
        moved = connection.execute(_SQL["move_pivot"], base | {"pivot": mean, "old": pivot}).rowcount
        pivot = mean if moved else (connection.execute(_SQL["get_pivot"], base).fetchone() or {})["pivot"]
    while _reweigh(connection, knowledge_base_id, pivot):
        pass


def _reweigh(connection: Connection, knowledge_base_id: UUID, pivot: float) -> int:
    wanted: Row = {"knowledge_base_id": knowledge_base_id, "pivot": pivot, "limit": ROWS_PER_BATCH}
    rows = connection.execute(_SQL["rows_of_other_pivots"], wanted).fetchall()
    changed: Row = {"pivot": pivot, "ids": [r["chunk_id"] for r in rows], "impacts": [_moved(r, pivot) for r in rows]}
    if rows:
        connection.execute(_SQL["change_impacts"], changed)
    return len(rows)


def _moved(row: Row, pivot: float) -> str:
    """A row's impacts for another pivot; the formula is solved for the count, so no text is read again."""
    old = _saturation(row["length"], row["pivot"])
    pairs: Iterable[tuple[int, float]] = zip(row["impacts"].indices(), row["impacts"].values(), strict=True)
    counts = {i: max(1, round(v * old / (K1 + 1 - v))) for i, v in pairs}
    return _sparse_text({i: impact(count, row["length"], pivot) for i, count in counts.items()})
