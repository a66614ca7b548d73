"""Deletions of knowledge bases and organizations: how far they are, and their certificates."""

from functools import partial
from typing import Annotated, cast
from uuid import UUID

from fastapi import Header, Request

from functions.api.caller import Admin
from functions.api.identity import require_sender
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.archive import erasing
from shared.archive.erasing import Erasure
from shared.runtime import Runtime

router = v1_router("archives", "/erasures")
Ticket = Annotated[str, Header(alias="X-Autri-Ticket", max_length=200)]


@router.get("")
def list_erasures(caller: Admin, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[Erasure]:
    """Knowledge bases of your organization that are being deleted, and those that were, with their certificates; newest
    first."""
    return listed("erasures", cursor, limit, partial(erasing.list_erasures, caller.runtime, caller.identity))


@router.get("/{erasure_id}")
def get_erasure(request: Request, erasure_id: UUID, ticket: Ticket = "") -> Erasure:
    """How far a deletion is, and in the end its certificate. For whoever holds the ticket that its request answered:
    of an organization that is deleted nobody is a member any more."""
    require_sender(request)
    return erasing.get_erasure(cast(Runtime, request.app.state.runtime), erasure_id, ticket)
