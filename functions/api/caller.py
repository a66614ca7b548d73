"""What a route needs of its request: the runtime, who asks, and whether they may change things."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from functions.api.identity import Identify
from functions.api.intake import is_streamed
from functions.api.storable import is_storable
from shared.access import require_admin, require_editor
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.runtime import Runtime

# NUL and surrogates: a pair of these is one character, a lone one is none.
ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True)
class Caller:
    """Who asks, and what answers them."""

    runtime: Runtime
    identity: Identity


def _caller(request: Request) -> Caller:
    """Known already where the request has a body: it was not read before."""
    known = cast(Identity | None, getattr(request.state, "identity", None))
    identify = cast(Identify, request.app.state.identify)
    return Caller(request.app.state.runtime, known or identify(request))


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
    """Raises BadInput for what Postgres cannot store in any text, NUL and lone surrogates; HTTPException for a body
    in another encoding than UTF-8, which a JSON parser would take, and for one nested too deep to be searched."""
    texts: list[Any] = [*request.query_params.values(), *request.path_params.values()]
    if not is_streamed(request.scope):
        texts.append(_suspect(await request.body()))
    if _holds_unstorable(texts):
        raise BadInput(
            "The request holds a NUL character or a lone surrogate, which cannot be stored or searched. Leave it out."
        )


def _suspect(body: bytes) -> Any:
    """The parsed body where it may hold such text at all; a body that is no JSON is refused elsewhere."""
    if b"\0" in body:
        raise HTTPException(400)
    if not ESCAPED.search(body):
        return None
    try:
        return json.loads(body)
    except ValueError:
        return None
    except RecursionError:
        # The route's own parser, a few calls further up, may just have managed.
        raise HTTPException(400) from None


def _holds_unstorable(values: list[Any]) -> bool:
    """Without recursion: what the parser just manages is nested nearly as deep as calls may be."""
    left = [*values]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            fields = cast(dict[str, Any], value)
            left += [*fields, *fields.values()]
        elif isinstance(value, list):
            left += cast(list[Any], value)
        elif isinstance(value, str) and not is_storable(value):
            return True
    return False
