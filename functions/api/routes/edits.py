"""Edits of a document's extraction: make one, list them, undo one.

What assembles documents is loaded by the first edit: most processes of the API never see one.
"""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.edits import EditRequest, EditResult, EditRow

router = v1_router("edits", "/documents/{document_id}/edits")

Revision = Annotated[int, Field(ge=0, lt=2**31, description="the document's `revision` that you look at")]


class NewEdit(BaseModel):
    """One edit, about the revision of the document that it was decided on."""

    model_config = ConfigDict(extra="forbid")

    revision: Revision
    edit: EditRequest


class Undoing(BaseModel):
    """The revision of the document that the undoing was decided on."""

    model_config = ConfigDict(extra="forbid")

    revision: Revision


@router.get("")
def list_edits(
    caller: Reader, document_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[EditRow]:
    """Who changed what, newest first; undone edits stay in the list, stale ones say why they do not apply."""
    from shared.ingestion.editing import document as editing

    return listed("edits", cursor, limit, partial(editing.list_edits, caller.runtime, caller.identity, document_id))


@router.post("", status_code=201, response_model=EditResult)
def edit(change: Change, document_id: UUID, body: NewEdit) -> JSONResponse:
    """Merge, split, retype, re-section, leave out, restore or unflag: the same fragments, put together in another way.

    409 when the document has another revision by now. Its answer's `revision` is the one for the next edit.
    """
    from shared.ingestion.editing import document as editing

    return change.answer(
        201,
        lambda: editing.edit_document(change.runtime, change.identity, document_id, body.revision, body.edit),
        body,
    )


@router.post("/{edit_id}/undo", response_model=EditResult)
def undo(change: Change, document_id: UUID, edit_id: UUID, body: Undoing) -> JSONResponse:
    """Take an edit back. 409 when a later edit builds on it, or the document has another revision by now."""
    from shared.ingestion.editing import document as editing

    return change.answer(
        200,
        lambda: editing.undo_edit(change.runtime, change.identity, document_id, edit_id, body.revision),
        body,
    )
