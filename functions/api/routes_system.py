"""Is it up, and who am I."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Administration
from shared.domain.account import AccountProfile, Health
from shared.library.account import OrganizationChange, change_organization, check_health, get_profile

router = APIRouter(tags=["system"])


@router.get("/health")
def health(request: Request) -> Health:
    """Whether the service and its database answer. Needs no sign-in."""
    return check_health(request.app.state.runtime, request.app.version)


@router.get("/me")
def me(caller: Reader) -> AccountProfile:
    """The signed-in user and the organization."""
    return get_profile(caller.runtime, caller.identity)


@router.patch("/organization", response_model=AccountProfile)
def patch_organization(change: Administration, body: OrganizationChange) -> JSONResponse:
    """For how many days traces are kept; owners and admins decide it."""
    return change.answer(200, lambda: change_organization(change.runtime, change.identity, body), body)
