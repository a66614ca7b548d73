"""Unexpected exceptions: answered with a problem document, and logged by type and place, never with their text.

An exception's text may quote the request (a filter, a query, a row); its type and the lines of code that it passed
through are enough to find it.
"""

import logging
import traceback

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.api.envelope import request_id_of
from functions.api.errors import unexpected_answer

logger = logging.getLogger("autri.api")
FRAMES = 12


class Unexpected:
    """Middleware. The response is complete when this returns, so that the server keeps the connection for the next
    request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        except ClientDisconnect:
            return  # the client has disconnected, so there is nobody to answer
        except Exception as error:  # noqa: BLE001 whatever it is, the request ends with an answer
            logger.error("request %s failed: %s", request_id_of(scope), describe(error))
            if started:
                raise Interrupted(request_id_of(scope)) from None
            answer = await run_in_threadpool(unexpected_answer, Request(scope))
            await answer(scope, receive, noting_send)


class Interrupted(Exception):
    """A response that had begun cannot be completed: the server has to close the connection."""


def describe(error: BaseException) -> str:
    """The types of an exception and its causes, and where it was raised."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < FRAMES:
        kinds.append(type(cause).__name__ + (f" {state}" if (state := getattr(cause, "sqlstate", None)) else ""))
        cause = cause.__cause__ or cause.__context__
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    places = " > ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{' from '.join(kinds)} at {places}"
