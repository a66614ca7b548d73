"""Knowledge bases."""

from functools import partial
from uuid import UUID

from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Administration, Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, page_of, text_cursor
from functions.api.routing import v1_router
from shared.archive.erasing import AskedErasure, delete_knowledge_base
from shared.domain.attributes import DeclaredAttribute
from shared.domain.knowledge import KnowledgeBase
from shared.domain.people import AccessChange, BaseAccess
from shared.library import knowledge_bases as library
from shared.library.embedder_change import EmbedderState, EmbedderWish, embedder_state, request_change
from shared.library.knowledge_bases import KnowledgeBaseChange, NewKnowledgeBase
from shared.people import permissions

router = v1_router("knowledge bases", "/knowledge-bases")
LISTING = "knowledge-bases"
ATTRIBUTES = "attributes"


@router.post("", status_code=201, response_model=KnowledgeBase)
def create_knowledge_base(change: Change, body: NewKnowledgeBase) -> JSONResponse:
    """Make one. Its slug follows from the name; agents choose a knowledge base by its description."""
    return change.answer(201, lambda: library.create_knowledge_base(change.runtime, change.identity, body), body)


@router.get("")
def list_knowledge_bases(caller: Reader, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[KnowledgeBase]:
    """Those of your organization, oldest first, with their counts."""
    return listed(LISTING, cursor, limit, partial(library.list_knowledge_bases, caller.runtime, caller.identity))


@router.get("/{knowledge_base_id}")
def get_knowledge_base(caller: Reader, knowledge_base_id: UUID) -> KnowledgeBase:
    """One, with its counts."""
    return library.get_knowledge_base(caller.runtime, caller.identity, knowledge_base_id)


@router.get("/{knowledge_base_id}/attributes")
def list_attributes(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[DeclaredAttribute]:
    """The attributes that a filter (`where`) may name, by name, with their types, units, counts and ranges."""
    after = text_cursor(ATTRIBUTES, cursor)
    found = library.list_attributes(caller.runtime, caller.identity, knowledge_base_id, after, limit + 1)
    return page_of(ATTRIBUTES, found, limit, lambda item: [item.name])


@router.patch("/{knowledge_base_id}", response_model=KnowledgeBase)
def change_knowledge_base(change: Change, knowledge_base_id: UUID, body: KnowledgeBaseChange) -> JSONResponse:
    """Another name or description, or by which attribute its passages are dated (null: none); the slug stays."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: library.change_knowledge_base(*who, body), body)


@router.get("/{knowledge_base_id}/embedder")
def get_embedder(caller: Reader, knowledge_base_id: UUID) -> EmbedderState:
    """By which embedder it is searched, and to which it is being moved."""
    return embedder_state(caller.runtime, caller.identity, knowledge_base_id)


@router.post("/{knowledge_base_id}/embedder", status_code=202, response_model=EmbedderState)
def change_embedder(change: Change, knowledge_base_id: UUID, body: EmbedderWish) -> JSONResponse:
    """Move it to another embedder. It is searched by the present one until every chunk has a vector of the new one."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(202, lambda: request_change(*who, body), body)


@router.delete("/{knowledge_base_id}", status_code=202, response_model=AskedErasure)
def delete_base(change: Change, knowledge_base_id: UUID) -> JSONResponse:
    """Delete it with its documents, chunks, vectors, traces and stored files. It is gone from everywhere at once;
    `/v1/erasures/{id}` with the ticket says how far the deletion is, and has the certificate in the end."""
    who = (change.runtime, change.identity, knowledge_base_id)
    # Sent again under its key the request is answered without the secret.
    return change.answer(
        202, lambda: delete_knowledge_base(*who), kept=lambda asked: asked.model_copy(update={"ticket": ""})
    )


@router.get("/{knowledge_base_id}/access")
def get_access(caller: Reader, knowledge_base_id: UUID) -> BaseAccess:
    """Who sees it: everybody of the organization, or named members, owners and admins."""
    return permissions.get_access(caller.runtime, caller.identity, knowledge_base_id)


@router.put("/{knowledge_base_id}/access", response_model=BaseAccess)
def put_access(change: Administration, knowledge_base_id: UUID, body: AccessChange) -> JSONResponse:
    """Open it to everybody of the organization, or restrict it to these members; it holds from the next request on."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: permissions.change_access(*who, body), body)
