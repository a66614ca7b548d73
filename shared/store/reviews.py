"""Rows of reviews: what people decided about documents, passages and pages, and what is left to look at."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from psycopg import sql

from shared.domain.ids import new_id
from shared.domain.knowledge import GREEN_FROM, ReviewState
from shared.domain.review import DocumentLeft, FlagLeft, Review, ReviewDecision, ReviewItem, Verdict
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("reviews")
EXCERPT = 280
# How many documents are named in the count of what is left.
NAMED_MAX = 200
# worst confidence, document, page (0: none), ordinal
Position = tuple[float, UUID, int, int]


@dataclass(frozen=True)
class Act:
    """A decision as all of its rows have it."""

    id: UUID
    verdict: Verdict
    note: str | None
    author_id: UUID
    author: str

    def values(self, knowledge_base_id: UUID) -> Row:
        return {
            "knowledge_base_id": knowledge_base_id,
            "decision_id": self.id,
            "verdict": self.verdict,
            "note": self.note,
            "author_id": self.author_id,
            "by": self.author,
        }


def review_document(connection: Connection, document_id: UUID, state: ReviewState, note: str | None, who: Row) -> None:
    """Stores the state of a document; `who` has `author_id` and `by`."""
    connection.execute(_SQL["review_document"], who | {"document_id": document_id, "state": state, "note": note})


def list_left(
    connection: Connection,
    knowledge_base_id: UUID,
    flag: str | None,
    document_id: UUID | None,
    after: Position | None,
    limit: int,
) -> list[ReviewItem]:
    """What is left to look at, the worst first, from behind `after`; each page before its passages."""
    worst, after_document, page, ordinal = after or (None, None, None, None)
    values = {
        "flag": flag,
        "document_id": document_id,
        "worst": worst,
        "after_document": after_document,
        "page": page,
        "ordinal": ordinal,
        "limit": limit,
    }
    rows = _left(connection, "queue", knowledge_base_id, values)
    return [ReviewItem.model_validate(row | {"kind": "chunk" if row["chunk_id"] else "page"}) for row in rows]


def left_by_document(connection: Connection, knowledge_base_id: UUID) -> list[DocumentLeft]:
    """How much of each document is left, most first; documents with nothing are left out."""
    return [DocumentLeft.model_validate(row) for row in _left(connection, "left_by_document", knowledge_base_id)]


def left_by_flag(connection: Connection, knowledge_base_id: UUID) -> list[FlagLeft]:
    """How many of the passages that are left have each flag, most first."""
    return [FlagLeft.model_validate(row) for row in _left(connection, "left_by_flag", knowledge_base_id)]


def left_at_once(
    connection: Connection, knowledge_base_id: UUID, flag: str | None, document_id: UUID | None
) -> tuple[list[UUID], list[tuple[UUID, int]]]:
    """Returns (passages, pages) that are left: of those with this flag and no other, of the document, or of both."""
    values = {"flag": flag, "document_id": document_id}
    rows = _left(connection, "left_at_once", knowledge_base_id, values)
    pages = [(row["document_id"], row["page"]) for row in rows if row["chunk_id"] is None]
    return [row["chunk_id"] for row in rows if row["chunk_id"] is not None], pages


def with_rows(connection: Connection, knowledge_base_id: UUID, ids: Collection[UUID]) -> set[UUID]:
    """Those of `ids` that the knowledge base has, and the rows of tables among them."""
    values = {"knowledge_base_id": knowledge_base_id, "ids": list(ids)}
    return {row["id"] for row in connection.execute(_SQL["with_rows"], values)}


def chunks_of_page(
    connection: Connection, knowledge_base_id: UUID, document_id: UUID, page: int, verdict: Verdict
) -> set[UUID]:
    """The passages that begin on the page and that a verdict about the page is about too."""
    values = {"knowledge_base_id": knowledge_base_id, "document_id": document_id, "page": page, "verdict": verdict}
    return {row["id"] for row in connection.execute(_SQL["chunks_of_page"], values)}


def flagged(connection: Connection, document_id: UUID, ids: Iterable[UUID]) -> set[UUID]:
    """Those of the document's passages that have a flag."""
    values = {"document_id": document_id, "ids": list(ids)}
    return {row["id"] for row in connection.execute(_SQL["flagged"], values)}


def lock_base(connection: Connection, knowledge_base_id: UUID) -> None:
    """Until the transaction ends: two decisions about the same passages come one after the other."""
    connection.execute(_SQL["lock_base"], {"knowledge_base_id": knowledge_base_id})


def decide_chunks(connection: Connection, knowledge_base_id: UUID, act: Act, ids: Collection[UUID]) -> int:
    """Stores the decision about these passages, in place of earlier ones; returns how many there are."""
    values = act.values(knowledge_base_id)
    values |= {"ids": list(ids), "new_ids": [new_id() for _ in ids], "excerpt": EXCERPT}
    return connection.execute(_SQL["decide_chunks"], values).rowcount


def decide_page(connection: Connection, knowledge_base_id: UUID, act: Act, document_id: UUID, page: int) -> bool:
    """Stores the decision about a page, in place of an earlier one; returns whether there is such a page."""
    values = act.values(knowledge_base_id) | {"document_id": document_id, "page": page, "id": new_id()}
    return connection.execute(_SQL["decide_page"], values).rowcount == 1


def take_back(connection: Connection, knowledge_base_id: UUID, decision_id: UUID) -> tuple[int, int]:
    """Deletes a decision; returns (passages, pages) that it was about."""
    values = {"knowledge_base_id": knowledge_base_id, "decision_id": decision_id}
    rows = connection.execute(_SQL["take_back"], values).fetchall()
    chunks = sum(row["chunk_id"] is not None for row in rows)
    return chunks, len(rows) - chunks


def list_decisions(
    connection: Connection, knowledge_base_id: UUID, before: UUID | None, limit: int
) -> list[ReviewDecision]:
    """Decisions, newest first, after the one with id `before`."""
    values = {"knowledge_base_id": knowledge_base_id, "before": before, "limit": limit}
    return [ReviewDecision.model_validate(row) for row in connection.execute(_SQL["list_decisions"], values).fetchall()]


def of_document(connection: Connection, document_id: UUID) -> list[Review]:
    """What was decided about the document's passages and pages, stale ones included, oldest first."""
    rows = connection.execute(_SQL["of_document"], {"document_id": document_id}).fetchall()
    return [Review.model_validate(row) for row in rows]


def refit(connection: Connection, document_id: UUID) -> None:
    """Stores which decisions fit the document's passages as they are now, and why the others do not."""
    connection.execute(_SQL["refit"], {"document_id": document_id})


def _left(
    connection: Connection,
    block: Literal["queue", "left_by_document", "left_by_flag", "left_at_once"],
    knowledge_base_id: UUID,
    values: dict[str, Any] | None = None,
) -> list[Row]:
    own = {"knowledge_base_id": knowledge_base_id, "green": GREEN_FROM}
    parts = {name: sql.SQL(_SQL[name]) for name in ("left_chunks", "left_pages")}
    return connection.execute(sql.SQL(_SQL[block]).format(**parts), own | (values or {})).fetchall()
