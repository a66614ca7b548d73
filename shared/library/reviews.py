"""Reviews: documents are approved or rejected, flagged passages and doubtful pages accepted or rejected.

What is rejected is left out of retrieval by the views that retrieval reads (`answering_documents`, `rejected_chunks`).
Everything can be taken back.
"""

from uuid import UUID

from shared.access import changing, check_knowledge_base, find_document, find_place, reading
from shared.domain.ids import new_id
from shared.domain.knowledge import Document
from shared.domain.review import Decided, DocumentReview, NewDecision, Review, ReviewDecision, ReviewItem, ReviewLeft
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.runtime import Runtime
from shared.store import reviews as rows
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.edits import name_of


def review_document(runtime: Runtime, identity: Identity, document_id: UUID, wish: DocumentReview) -> Document:
    """Approves or rejects a document version, or takes that back; a rejected one answers nothing from the next search
    on. Raises NotFound, and Forbidden for a viewer."""
    with changing(runtime, identity) as connection:
        place = find_place(connection, document_id)
        who = {"author_id": identity.user_id, "by": name_of(connection, identity)}
        rows.review_document(connection, document_id, wish.state, wish.note or None, who)
        note(connection, identity, "document.review", document_id, place.knowledge_base_id, state=wish.state)
        return find_document(connection, document_id)


def list_left(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    flag: str | None,
    document_id: UUID | None,
    after: rows.Position | None,
    limit: int,
) -> list[ReviewItem]:
    """What is left to look at, the worst first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        if document_id is not None:
            find_place(connection, document_id)
        return rows.list_left(connection, knowledge_base_id, flag, document_id, after, limit)


def count_left(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> ReviewLeft:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        documents = rows.left_by_document(connection, knowledge_base_id)
        return ReviewLeft(
            chunks=sum(one.chunks for one in documents),
            pages=sum(one.pages for one in documents),
            flags=rows.left_by_flag(connection, knowledge_base_id),
            documents=documents[: rows.NAMED_MAX],
        )


def decide(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, new: NewDecision) -> Decided:
    """Stores one decision, in place of earlier ones about the same passages and pages.

    Raises NotFound for a passage or page that the knowledge base does not have, BadInput for a decision about nothing
    or about too much, Forbidden for a viewer.
    """
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        _check_named(new)
        rows.lock_base(connection, knowledge_base_id)
        act = rows.Act(new_id(), new.verdict, new.note or None, identity.user_id, name_of(connection, identity))
        chunks, pages = _meant(connection, knowledge_base_id, new)
        for document_id, page in pages:
            if not rows.decide_page(connection, knowledge_base_id, act, document_id, page):
                raise NotFound(f"There is no page {page} of a document {document_id} in this knowledge base.")
        decided = rows.decide_chunks(connection, knowledge_base_id, act, chunks)
        figures = {"verdict": new.verdict, "passages": decided, "pages": len(pages)}
        note(connection, identity, "review.decide", act.id, knowledge_base_id, **figures)
    return Decided(decision_id=act.id, chunks=decided, pages=len(pages))


def take_back(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, decision_id: UUID) -> Decided:
    """What was decided is left to look at again, and answers again. Raises NotFound, and Forbidden for a viewer."""
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        chunks, pages = rows.take_back(connection, knowledge_base_id, decision_id)
        if not chunks + pages:
            raise NotFound(f"There is no decision {decision_id} in this knowledge base. List those there are.")
        note(connection, identity, "review.take_back", decision_id, knowledge_base_id, passages=chunks, pages=pages)
    return Decided(decision_id=decision_id, chunks=chunks, pages=pages)


def list_decisions(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, before: UUID | None, limit: int
) -> list[ReviewDecision]:
    """Newest first, from behind `before`. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_decisions(connection, knowledge_base_id, before, limit)


def list_reviews(runtime: Runtime, identity: Identity, document_id: UUID) -> list[Review]:
    """What was decided about a document's passages and pages, oldest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        find_place(connection, document_id)
        return rows.of_document(connection, document_id)


def _check_named(new: NewDecision) -> None:
    if bool(new.chunk_ids or new.pages) == new.at_once:
        raise BadInput("Give `chunk_ids` or `pages`, or a `flag` or a `document_id` for all that is left of it.")
    if new.at_once and new.verdict == "rejected":
        raise BadInput("Much is accepted at once, and rejected by name: give `chunk_ids` or `pages`.")


def _meant(
    connection: Connection, knowledge_base_id: UUID, new: NewDecision
) -> tuple[set[UUID], list[tuple[UUID, int]]]:
    """The passages and pages that the decision is about."""
    if new.at_once:
        if new.document_id is not None:
            find_place(connection, new.document_id)
        chunks, pages = rows.left_at_once(connection, knowledge_base_id, new.flag, new.document_id)
        return rows.with_rows(connection, knowledge_base_id, chunks), pages
    found = rows.with_rows(connection, knowledge_base_id, new.chunk_ids)
    missing = next((one for one in new.chunk_ids if one not in found), None)
    if missing is not None:
        raise NotFound(f"There is no passage {missing} in this knowledge base. List what is left to review.")
    named = list(dict.fromkeys((one.document_id, one.page) for one in new.pages))
    for document_id, page in named:
        found |= rows.chunks_of_page(connection, knowledge_base_id, document_id, page, new.verdict)
    return found, named
