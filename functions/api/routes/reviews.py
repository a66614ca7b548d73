"""Reviews: what is left to look at in a knowledge base, and what people decided about it and about documents."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, page_of, review_cursor
from functions.api.routing import v1_router
from shared.domain.knowledge import Document
from shared.domain.review import Decided, DocumentReview, NewDecision, Review, ReviewDecision, ReviewItem, ReviewLeft
from shared.library import reviews as library

router = v1_router("review")
LISTING = "review"


@router.get("/knowledge-bases/{knowledge_base_id}/review")
def list_left(
    caller: Reader,
    knowledge_base_id: UUID,
    flag: Annotated[str | None, Query(max_length=100, description="only what has this flag")] = None,
    document_id: Annotated[UUID | None, Query(description="only what is of this document")] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[ReviewItem]:
    """Flagged passages and yellow or red pages of current documents that nobody decided about, the worst first."""
    after = review_cursor(LISTING, cursor)
    who = (caller.runtime, caller.identity, knowledge_base_id)
    found = library.list_left(*who, flag, document_id, after, limit + 1)
    return page_of(LISTING, found, limit, lambda item: [item.worst, item.document_id, item.page or 0, item.ordinal])


@router.get("/knowledge-bases/{knowledge_base_id}/review/left")
def count_left(caller: Reader, knowledge_base_id: UUID) -> ReviewLeft:
    """How much is left to look at, by flag and by document."""
    return library.count_left(caller.runtime, caller.identity, knowledge_base_id)


@router.post("/knowledge-bases/{knowledge_base_id}/review", status_code=201, response_model=Decided)
def decide(change: Change, knowledge_base_id: UUID, body: NewDecision) -> JSONResponse:
    """Accept passages and pages as they are, or reject them: what is rejected is left out of retrieval."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: library.decide(*who, body), body)


@router.get("/knowledge-bases/{knowledge_base_id}/review/decisions")
def list_decisions(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[ReviewDecision]:
    """What was decided, newest first; where a passage is not as it was any more, the decision says so."""
    read = partial(library.list_decisions, caller.runtime, caller.identity, knowledge_base_id)
    return listed("decisions", cursor, limit, read)


@router.delete("/knowledge-bases/{knowledge_base_id}/review/decisions/{decision_id}", response_model=Decided)
def take_back(change: Change, knowledge_base_id: UUID, decision_id: UUID) -> JSONResponse:
    """Take a decision back: its passages and pages are left to look at again, and answer again."""
    who = (change.runtime, change.identity, knowledge_base_id, decision_id)
    return change.answer(200, lambda: library.take_back(*who))


@router.get("/documents/{document_id}/review")
def list_reviews(caller: Reader, document_id: UUID) -> list[Review]:
    """What was decided about the document's passages and pages, oldest first."""
    return library.list_reviews(caller.runtime, caller.identity, document_id)


@router.put("/documents/{document_id}/review", response_model=Document)
def review_document(change: Change, document_id: UUID, body: DocumentReview) -> JSONResponse:
    """Approve or reject a document version, or take that back; a rejected one answers nothing."""
    who = (change.runtime, change.identity, document_id)
    return change.answer(200, lambda: library.review_document(*who, body), body)
