"""API keys: `Authorization: Bearer autri_…`."""

from functools import partial
from uuid import UUID

from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Own
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.people import ApiKey, MadeKey, NewKey
from shared.people import keys

router = v1_router("people", "/keys")


@router.get("")
def list_keys(caller: Reader, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[ApiKey]:
    """Your keys, or (for owners and admins) all of the organization, revoked ones too."""
    return listed("keys", cursor, limit, partial(keys.list_keys, caller.runtime, caller.identity))


@router.post("", status_code=201, response_model=MadeKey)
def create_key(change: Own, body: NewKey) -> JSONResponse:
    """Make a key. Its secret is in this answer and nowhere else: a repeated request is answered without it."""

    def without_secret(made: MadeKey) -> MadeKey:
        return made.model_copy(update={"secret": None})

    return change.answer(201, lambda: keys.create_key(change.runtime, change.identity, body), body, without_secret)


@router.post("/{key_id}/revoke", response_model=ApiKey)
def revoke_key(change: Own, key_id: UUID) -> JSONResponse:
    """Revoke a key: from the next request on it is refused."""
    return change.answer(200, lambda: keys.revoke_key(change.runtime, change.identity, key_id))
