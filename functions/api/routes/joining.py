"""How people come to belong to the organization without an invitation; and a new organization."""

from functools import partial
from typing import cast
from uuid import UUID

from fastapi import Request
from fastapi.responses import JSONResponse

from functions.api.caller import Owner
from functions.api.idempotency import Ownership
from functions.api.identity import CloudIdentity
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.account import AccountProfile
from shared.domain.joining import ClaimedDomain, GroupRole, NewDomain, NewGroupRole, NewOrganization
from shared.library.account import get_profile
from shared.people import joining
from shared.runtime import Runtime

router = v1_router("people")
# Not on one machine, where everybody is its developer.
founding = v1_router("people")


@router.get("/domains")
def list_domains(caller: Owner, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[ClaimedDomain]:
    """The organization's domains, with the TXT record that each needs; oldest first."""
    return listed("domains", cursor, limit, partial(joining.list_domains, caller.runtime, caller.identity))


@router.post("/domains", status_code=201, response_model=ClaimedDomain)
def add_domain(change: Ownership, body: NewDomain) -> JSONResponse:
    """Claim a domain: once it is proved, whoever signs in with a verified address of it joins. Again: another role."""
    return change.answer(201, lambda: joining.add_domain(change.runtime, change.identity, body), body)


@router.post("/domains/{domain_id}/verify", response_model=ClaimedDomain)
def verify_domain(change: Ownership, domain_id: UUID) -> JSONResponse:
    """Look the TXT record up; 422 says what it has to be."""
    return change.answer(200, lambda: joining.verify_domain(change.runtime, change.identity, domain_id))


@router.delete("/domains/{domain_id}", response_model=ClaimedDomain)
def remove_domain(change: Ownership, domain_id: UUID) -> JSONResponse:
    """Nobody joins by it any more; who has joined stays."""
    return change.answer(200, lambda: joining.remove_domain(change.runtime, change.identity, domain_id))


@router.get("/group-roles")
def list_group_roles(caller: Owner, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[GroupRole]:
    """What members of the identity provider's groups are at least; oldest first."""
    return listed("group-roles", cursor, limit, partial(joining.list_group_roles, caller.runtime, caller.identity))


@router.post("/group-roles", status_code=201, response_model=GroupRole)
def set_group_role(change: Ownership, body: NewGroupRole) -> JSONResponse:
    """Give a group a role: its people have it, where their own is less, while their token names the group."""
    return change.answer(201, lambda: joining.set_group_role(change.runtime, change.identity, body), body)


@router.delete("/group-roles/{group_role_id}", response_model=GroupRole)
def remove_group_role(change: Ownership, group_role_id: UUID) -> JSONResponse:
    """Its people are what they are without it, from their next request on."""
    return change.answer(200, lambda: joining.remove_group_role(change.runtime, change.identity, group_role_id))


@founding.post("/organizations", status_code=201)
def found_organization(request: Request, body: NewOrganization) -> AccountProfile:
    """Make an organization and be its owner: for who belongs to none, where the deployment lets people. 409 for a
    slug that is taken, and for who belongs to one already."""
    runtime = cast(Runtime, request.app.state.runtime)
    who = cast(CloudIdentity, request.app.state.identify).recognize(request)
    return get_profile(runtime, joining.found_organization(runtime, body, who))
