"""What a route needs of its request: the runtime, who asks, and whether they may change things."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Request

from functions.api.identity import Identify
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.library.access import require_admin, require_editor
from shared.runtime import Runtime

ESCAPED_NUL = b"\\u0000"


@dataclass(frozen=True)
class Caller:
    """Who asks, and what answers them."""

    runtime: Runtime
    identity: Identity


def _caller(request: Request) -> Caller:
    identify = cast(Identify, request.app.state.identify)
    return Caller(request.app.state.runtime, identify(request))


def _editing_caller(request: Request) -> Caller:
    caller = _caller(request)
    require_editor(caller.identity)
    return caller


def _administering_caller(request: Request) -> Caller:
    caller = _caller(request)
    require_admin(caller.identity)
    return caller


Reader = Annotated[Caller, Depends(_caller)]
Editor = Annotated[Caller, Depends(_editing_caller)]
Admin = Annotated[Caller, Depends(_administering_caller)]


async def refuse_unstorable_text(request: Request) -> None:
    """Raises BadInput for NUL characters, which Postgres cannot store in any text."""
    texts: list[Any] = [*request.query_params.values(), *request.path_params.values()]
    if request.headers.get("content-type", "").startswith("application/json"):
        texts.append(_suspect(await request.body()))
    if any(_holds_nul(text) for text in texts):
        raise BadInput("The request holds a NUL character, which cannot be stored or searched. Leave it out.")


def _suspect(body: bytes) -> Any:
    """The parsed body where it may hold the character at all; a body that is no JSON is refused elsewhere."""
    if ESCAPED_NUL not in body:
        return None
    try:
        return json.loads(body)
    except ValueError:
        return None


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in cast(dict[str, Any], value).items() for part in pair)
    if isinstance(value, list):
        return any(_holds_nul(part) for part in cast(list[Any], value))
    return isinstance(value, str) and "\0" in value
