"""Is it up, and who am I."""

from typing import cast

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from functions.api.caller import Owner, Reader
from functions.api.idempotency import Administration
from functions.api.identity import require_sender
from functions.api.organization_choice import remember_organization
from functions.api.routing import v1_router
from shared.archive.erasing import AskedErasure, erase_organization
from shared.domain.account import AccountProfile, Health, Readiness
from shared.library.account import OrganizationChange, change_organization, get_profile
from shared.people.audit import note_sign_out
from shared.runtime import Runtime

router = v1_router("system")
SERVICE = "autri"
# A page that waits for the database asks every other second.
READY_WITHIN_S = 3.0


class ErasureWish(BaseModel):
    """The organization's own short name, typed by whoever wants it to be gone."""

    model_config = ConfigDict(extra="forbid")

    slug: str = Field(max_length=200)


class SignOut(BaseModel):
    """Whether all sessions of the person are ended, or the one that asks."""

    model_config = ConfigDict(extra="forbid")

    everywhere: bool = False


@router.get("/health")
def health(request: Request) -> Health:
    """Whether the service answers. Needs no sign-in, and no database: asking it keeps none awake."""
    return Health(service=SERVICE, status="ok", version=request.app.version)


@router.get("/ready")
def ready(request: Request) -> Readiness:
    """Whether the database answers as well, within a few seconds; a paused one is woken, and 503 until it is there.
    For whoever is signed in, as a database that is kept awake costs money."""
    require_sender(request)
    cast(Runtime, request.app.state.runtime).database.check(READY_WITHIN_S)
    return Readiness(service=SERVICE, status="ok", version=request.app.version, database="ok")


@router.get("/me")
def me(caller: Reader) -> AccountProfile:
    """The signed-in user and the organization."""
    return get_profile(caller.runtime, caller.identity)


@router.post("/organization/choose")
def choose_organization(request: Request, response: Response, caller: Reader) -> AccountProfile:
    """Begin with the organization of this request (`X-Autri-Organization`) from now on, in this browser: a cookie
    remembers it. An invitation of it is accepted."""
    remember_organization(request, response, caller.identity)
    return get_profile(caller.runtime, caller.identity)


@router.post("/sign-out")
def sign_out(caller: Reader, body: SignOut) -> SignOut:
    """Note that you sign out. The session ends by `/auth/logout`, which calls this; tokens end where they were made."""
    note_sign_out(caller.runtime, caller.identity, body.everywhere)
    return body


@router.patch("/organization", response_model=AccountProfile)
def patch_organization(change: Administration, body: OrganizationChange) -> JSONResponse:
    """Its name, and for how many days traces and the audit log are kept; owners and admins decide it."""
    return change.answer(200, lambda: change_organization(change.runtime, change.identity, body), body)


@router.post("/organization/erase", status_code=202)
def erase(caller: Owner, body: ErasureWish) -> AskedErasure:
    """Delete the whole organization for good: people, knowledge bases, traces, files. Owners alone may, and have to say
    its short name. It is shut at once, for every member and key; `/v1/erasures/{id}` with the ticket says how far the
    deletion is, and has the certificate in the end. No Idempotency-Key: there is nobody left who could ask again."""
    return erase_organization(caller.runtime, caller.identity, body.slug)
