"""Dependencies of routes: the runtime, the caller's identity, and whether the caller may make changes."""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from functions.api.intake import is_streamed
from functions.api.rate_limit import identify_sender
from shared.access import require_admin, require_editor, require_owner
from shared.domain.scope import Identity
from shared.domain.storable import is_storable
from shared.errors import BadInput
from shared.runtime import Runtime
from shared.values.locales import preferred_locale

# Escapes of NUL and of surrogates: a pair of surrogates is one character, a lone one is invalid.
ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


@dataclass(frozen=True)
class Caller:
    """The identity that sent a request, and the runtime that answers it."""

    runtime: Runtime
    identity: Identity


async def _caller(request: Request) -> Caller:
    """For requests with a body the identity is known already: it was resolved before the body was read. It stays with
    the request, whose line in the log names the organization. Only what asks the database takes a thread."""
    known = cast(Identity | None, getattr(request.state, "identity", None))
    request.state.identity = known or await run_in_threadpool(identify_sender, request)
    return Caller(request.app.state.runtime, in_language(request, request.state.identity))


def in_language(request: Request, identity: Identity) -> Identity:
    """With how numbers are written in the language that the browser asks for."""
    locale = preferred_locale(request.headers.get("Accept-Language", ""))
    return identity.model_copy(update={"locale": locale}) if locale else identity


async def _editing_caller(request: Request) -> Caller:
    caller = await _caller(request)
    require_editor(caller.identity)
    return caller


async def _administering_caller(request: Request) -> Caller:
    caller = await _caller(request)
    require_admin(caller.identity)
    return caller


async def _owning_caller(request: Request) -> Caller:
    caller = await _caller(request)
    require_owner(caller.identity)
    return caller


Reader = Annotated[Caller, Depends(_caller)]
Editor = Annotated[Caller, Depends(_editing_caller)]
Admin = Annotated[Caller, Depends(_administering_caller)]
Owner = Annotated[Caller, Depends(_owning_caller)]


async def refuse_unstorable_text(request: Request) -> None:
    """Raises BadInput for NUL and lone surrogates, which Postgres cannot store in any text; HTTPException for a body in
    another encoding than UTF-8, which a JSON parser would accept, and for one nested too deep to be searched."""
    texts: list[Any] = [*request.query_params.values(), *request.path_params.values()]
    if not is_streamed(request.scope):
        texts.append(_parsed_if_suspect(await request.body()))
    if _holds_unstorable(texts):
        raise BadInput(
            "The request holds a NUL character or a lone surrogate, which cannot be stored or searched. Leave it out."
        )


def _parsed_if_suspect(body: bytes) -> Any:
    """The parsed body if it may contain such text at all; invalid JSON is refused elsewhere."""
    if b"\0" in body:
        raise HTTPException(400)
    if not ESCAPED.search(body):
        return None
    try:
        return json.loads(body)
    except ValueError:
        return None
    except RecursionError:
        # The route's own parser, called at a smaller stack depth, may have succeeded.
        raise HTTPException(400) from None


def _holds_unstorable(values: list[Any]) -> bool:
    """Searches iteratively: a body that the parser can just handle is nested nearly as deep as calls may be."""
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
