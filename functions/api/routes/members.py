"""Who belongs to the organization, and who is invited."""

from functools import partial
from uuid import UUID

from fastapi.responses import JSONResponse

from functions.api.caller import Admin, Reader
from functions.api.idempotency import Administration, Own
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.people import Binding, Invitation, Member, NewInvitation, RemovedMember, RoleChange
from shared.people import members

router = v1_router("people")


@router.get("/members")
def list_members(caller: Reader, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[Member]:
    """Members and who is invited (`invited_at`), in the order in which they came."""
    return listed("members", cursor, limit, partial(members.list_members, caller.runtime, caller.identity))


@router.patch("/members/{user_id}", response_model=Member)
def change_role(change: Administration, user_id: UUID, body: RoleChange) -> JSONResponse:
    """Give a member another role. Owners alone make owners and unmake them; 409 where none would be left."""
    return change.answer(200, lambda: members.change_role(change.runtime, change.identity, user_id, body), body)


@router.delete("/members/{user_id}", response_model=RemovedMember)
def remove_member(change: Own, user_id: UUID) -> JSONResponse:
    """Remove a member or take an invitation back; with your own id: leave. Their next request is refused."""
    return change.answer(200, lambda: members.remove(change.runtime, change.identity, user_id))


@router.get("/invitations")
def list_invitations(caller: Admin, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[Invitation]:
    """Open invitations, with the sign-ins under their addresses that no provider vouches for."""
    return listed("invitations", cursor, limit, partial(members.list_invitations, caller.runtime, caller.identity))


@router.post("/invitations", status_code=201, response_model=Member)
def invite(change: Administration, body: NewInvitation) -> JSONResponse:
    """Invite somebody: whoever signs in with this address, verified by the identity provider, becomes the member."""
    return change.answer(201, lambda: members.invite(change.runtime, change.identity, body), body)


@router.post("/invitations/{user_id}/resend", response_model=Member)
def resend(change: Administration, user_id: UUID) -> JSONResponse:
    """Send the invitation again."""
    return change.answer(200, lambda: members.resend(change.runtime, change.identity, user_id))


@router.post("/invitations/{user_id}/bind", response_model=Member)
def bind(change: Administration, user_id: UUID, body: Binding) -> JSONResponse:
    """Let a waiting sign-in be the invited person. Nobody has verified its address: ask the person first."""
    return change.answer(200, lambda: members.bind(change.runtime, change.identity, user_id, body), body)
