"""Is it up, and who am I."""

from fastapi import APIRouter, Request

from functions.api.caller import Reader
from shared.domain.account import Health, Profile
from shared.library.account import check_health, get_profile

router = APIRouter(tags=["system"])


@router.get("/health")
def health(request: Request) -> Health:
    """Whether the service and its database answer. Needs no sign-in."""
    return check_health(request.app.state.runtime, request.app.version)


@router.get("/me")
def me(caller: Reader) -> Profile:
    """The signed-in user and the organization."""
    return get_profile(caller.runtime, caller.identity)
