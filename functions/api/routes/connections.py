"""Assistants that people have connected: the consent, the list, the end."""

from functools import partial
from uuid import UUID

from fastapi import Request
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.challenge import origin_of
from functions.api.idempotency import Own
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.connections import ConnectedClient, MadeConnection, NewConnection
from shared.people import connections
from shared.plans.quota import check_mcp

router = v1_router("people", "/connections")


@router.get("")
def list_connections(caller: Reader, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageOf[ConnectedClient]:
    """Assistants that you have connected, or (for owners and admins) all of the organization, ended ones too."""
    return listed("connections", cursor, limit, partial(connections.list_connections, caller.runtime, caller.identity))


@router.post("", status_code=201, response_model=MadeConnection)
def allow_connection(request: Request, change: Own, body: NewConnection) -> JSONResponse:
    """Allow an assistant, as the consent page does. The answer says where the browser goes with the code, once."""

    def without_code(made: MadeConnection) -> MadeConnection:
        return made.model_copy(update={"redirect_to": None})

    def make() -> MadeConnection:
        check_mcp(change.runtime, change.identity)
        return connections.make_connection(change.runtime, change.identity, body, origin_of(request))

    return change.answer(201, make, body, without_code)


@router.post("/{connection_id}/end", response_model=ConnectedClient)
def end_connection(change: Own, connection_id: UUID) -> JSONResponse:
    """Disconnect an assistant: from its next request on it is refused."""
    return change.answer(200, lambda: connections.end_connection(change.runtime, change.identity, connection_id))
