"""Versions: suggestions and what people decide about them, linking, unlinking, the current one, names, differences."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.diff import Diff
from shared.domain.knowledge import Document
from shared.domain.versions import (
    AcceptRequest,
    DocumentChange,
    LinkRequest,
    SuggestionStatus,
    Versions,
    VersionSuggestion,
)
from shared.library import versions as library

router = v1_router("versions")
LISTING = "version-suggestions"


@router.get("/knowledge-bases/{knowledge_base_id}/version-suggestions")
def list_suggestions(
    caller: Reader,
    knowledge_base_id: UUID,
    status: Annotated[SuggestionStatus, Query(description="open, or what was decided")] = "open",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[VersionSuggestion]:
    """Documents that look like a version of another one, oldest first. Nothing is linked until somebody accepts."""
    read = partial(library.list_suggestions, caller.runtime, caller.identity, knowledge_base_id, status)
    return listed(LISTING, cursor, limit, read)


@router.post("/version-suggestions/{suggestion_id}/accept", response_model=Versions)
def accept(change: Change, suggestion_id: UUID, body: AcceptRequest | None = None) -> JSONResponse:
    """Link as suggested, with another label or position where given. 409 when it was decided before."""
    who = (change.runtime, change.identity, suggestion_id)
    return change.answer(200, lambda: library.accept(*who, body or AcceptRequest()), body)


@router.post("/version-suggestions/{suggestion_id}/dismiss", response_model=VersionSuggestion)
def dismiss(change: Change, suggestion_id: UUID) -> JSONResponse:
    """Not a version: it is not suggested again. 409 when it was decided before."""
    return change.answer(200, lambda: library.dismiss(change.runtime, change.identity, suggestion_id))


@router.get("/documents/{document_id}/diff/{other_id}")
def diff(caller: Reader, document_id: UUID, other_id: UUID) -> Diff:
    """From one version to the other: every section with what changed in it, by words and by meaning."""
    from shared.library.diff import diff_documents

    return diff_documents(caller.runtime, caller.identity, document_id, other_id)


@router.patch("/documents/{document_id}", response_model=Document)
def change_document(change: Change, document_id: UUID, body: DocumentChange) -> JSONResponse:
    """Another name, label or date of the document (null: none), another name of all versions together."""
    who = (change.runtime, change.identity, document_id)
    return change.answer(200, lambda: library.change_document(*who, body), body)


@router.post("/documents/{document_id}/link", response_model=Versions)
def link(change: Change, document_id: UUID, body: LinkRequest) -> JSONResponse:
    """Make it a version of another document. The newest version is the current one, from one moment to the next."""
    who = (change.runtime, change.identity, document_id)
    return change.answer(200, lambda: library.link(*who, body), body)


@router.post("/documents/{document_id}/unlink", response_model=Versions)
def unlink(change: Change, document_id: UUID) -> JSONResponse:
    """Make it a document of its own. 409 when it is one already."""
    return change.answer(200, lambda: library.unlink(change.runtime, change.identity, document_id))


@router.post("/documents/{document_id}/current", response_model=Versions)
def make_current(change: Change, document_id: UUID) -> JSONResponse:
    """Serve this version in place of the current one, to go back for instance. 409 before it is ready."""
    return change.answer(200, lambda: library.make_current(change.runtime, change.identity, document_id))
