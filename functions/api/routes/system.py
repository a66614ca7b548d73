"""Is it up, and who am I."""

from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from functions.api.caller import Owner, Reader
from functions.api.idempotency import Administration
from shared.archive.erasing import Certificate, erase_organization
from shared.domain.account import AccountProfile, Health
from shared.library.account import OrganizationChange, change_organization, get_profile
from shared.people.audit import note_sign_out
from shared.runtime import Runtime

router = APIRouter(tags=["system"])


class Erasure(BaseModel):
    """The organization's own short name, typed by whoever wants it to be gone."""

    model_config = ConfigDict(extra="forbid")

    slug: str = Field(max_length=200)


class SignOut(BaseModel):
    """Whether all sessions of the person are ended, or the one that asks."""

    model_config = ConfigDict(extra="forbid")

    everywhere: bool = False


@router.get("/health")
def health(request: Request) -> Health:
    """Whether the service and its database answer. Needs no sign-in."""
    cast(Runtime, request.app.state.runtime).database.check()
    return Health(service="autri", status="ok", version=request.app.version, database="ok")


@router.get("/me")
def me(caller: Reader) -> AccountProfile:
    """The signed-in user and the organization."""
    return get_profile(caller.runtime, caller.identity)


@router.post("/sign-out")
def sign_out(caller: Reader, body: SignOut) -> SignOut:
    """Note that you sign out. The session ends by `/auth/logout`, which calls this; tokens end where they were made."""
    note_sign_out(caller.runtime, caller.identity, body.everywhere)
    return body


@router.patch("/organization", response_model=AccountProfile)
def patch_organization(change: Administration, body: OrganizationChange) -> JSONResponse:
    """For how many days traces and the audit log are kept; owners and admins decide it."""
    return change.answer(200, lambda: change_organization(change.runtime, change.identity, body), body)


@router.post("/organization/erase")
def erase(caller: Owner, body: Erasure) -> Certificate:
    """Delete the whole organization for good: people, knowledge bases, traces, files. Owners alone may, and have to say
    its short name; only the certificate stays. No Idempotency-Key: there is nobody left who could ask again."""
    return erase_organization(caller.runtime, caller.identity, body.slug)
