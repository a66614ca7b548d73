"""Term statistics: documents' shares are added up into sums per knowledge base ("folded"), which queries read.

Each document stores its share beside its own rows, so that concurrent publishing does not wait; the transaction that
gets the knowledge base's fold lock adds up the shares. Readers add the few shares that have not been folded.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from shared.lexical.keys import LEVELS, slot, term_of
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("lexical_statistics")
DOCUMENTS_PER_FOLD = 64

Histogram = list[int]


def fold_shares(connection: Connection, knowledge_base_id: UUID, most: int = DOCUMENTS_PER_FOLD) -> bool:
    """Adds the shares of up to `most` documents to the sums; returns False where another transaction holds the fold
    lock."""
    base: Row = {"knowledge_base_id": knowledge_base_id}
    if not (connection.execute(_SQL["try_fold_lock"], base).fetchone() or {})["locked"]:
        return False
    rows = connection.execute(_SQL["unfolded_documents"], base | {"limit": most}).fetchall()
    base["ids"] = [row["document_id"] for row in rows]
    base["removed"] = [row["id"] for row in connection.execute(_SQL["removed_shares"], base)]
    if base["ids"] or base["removed"]:
        for block in ("fold_counts", "fold_totals", "fold_words", "mark_folded"):
            connection.execute(_SQL[block], base)
        _delete_empty(connection, base)
        connection.execute(_SQL["clear_removed"], base)
    return True


def _delete_empty(connection: Connection, base: Row) -> None:
    """Deletes counts, totals and words that have dropped to zero now that the removed shares are subtracted."""
    terms = {term_of(row["slot"]) for row in connection.execute(_SQL["forget_counts"], base).fetchall()}
    connection.execute(_SQL["forget_totals"], base)
    if terms:
        gone: Row = {"terms": list(terms), "slots": [slot(term) for term in terms]}
        connection.execute(_SQL["forget_words"], base | gone)


def chunk_totals(connection: Connection) -> dict[UUID, dict[str, int]]:
    """The number of chunks per language of each knowledge base in scope."""
    totals: dict[UUID, dict[str, int]] = {}
    for row in connection.execute(_SQL["chunk_totals"]):
        totals.setdefault(row["knowledge_base_id"], {})[row["language"]] = row["chunks"]
    return totals


def term_histograms(connection: Connection, terms: Sequence[int]) -> dict[int, dict[UUID, Histogram]]:
    """For each term number and knowledge base in scope, the number of chunks at each impact level."""
    slots = {slot(term): term for term in terms}
    found: dict[int, dict[UUID, Histogram]] = {}
    for row in connection.execute(_SQL["slot_counts"], {"slots": list(slots)}):
        by_base = found.setdefault(slots[row["first"]], {})
        by_base.setdefault(row["knowledge_base_id"], [0] * LEVELS)[row["slot"] - row["first"]] = max(0, row["count"])
    return found


def documents_without(connection: Connection, documents: Collection[UUID], terms: Collection[int]) -> set[UUID]:
    """Those documents of which no chunk has one of these terms, by their numbers."""
    values: Row = {"documents": sorted(documents), "firsts": [slot(term) for term in terms]}
    return {row["document_id"] for row in connection.execute(_SQL["documents_without"], values)}


def complete_word(connection: Connection, prefix: str, limit: int) -> list[int]:
    """Numbers of at most `limit` terms in scope whose words begin with `prefix`, short words first."""
    values: Row = {"prefix": prefix, "after": prefix + chr(0x10FFFF), "limit": limit}
    return [row["term"] for row in connection.execute(_SQL["complete_word"], values)]


def words_near(connection: Connection, words: Sequence[str], exact: Sequence[str]) -> dict[str, set[int]]:
    """The words in scope, with their terms' numbers, that begin with the same two letters as one of `words` and are at
    most two letters longer or shorter; and those of `exact` that are in scope."""
    values: Row = {
        "prefixes": [word[:2] for word in words],
        "after": [word[:2] + chr(0x10FFFF) for word in words],
        "lengths": [len(word) for word in words],
        "exact": list(exact),
    }
    found: dict[str, set[int]] = {}
    for row in connection.execute(_SQL["words_near"], values):
        found.setdefault(row["word"], set()).add(row["term"])
    return found
