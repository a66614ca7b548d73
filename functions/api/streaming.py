"""The application as a Lambda function whose answers leave while they are made, behind a REST API of API Gateway.

The same program as `handler.py`, with which it shares everything but the way in and out: Mangum gathers an answer until
it is whole. `stream_start` has Lambda's interpreter run this instead of AWS's own client of the Runtime API.
"""

import asyncio
import os
import time
from contextvars import copy_context
from typing import Any, Final, cast

from mangum.handlers import APIGateway
from mangum.types import LambdaConfig, LambdaContext, Scope
from starlette.types import ASGIApp, Message

from functions.api.release import answer_release_check, is_release_check
from functions.runtime_api import Invocation, ResponseStream, RuntimeApi
from shared.errors import Conflict
from shared.tracing import HEADER

ADDRESS: Final = "AWS_LAMBDA_RUNTIME_API"
# What is left of the function's time when an answer is broken off, so that the break is told.
RESERVE_S: Final = 2.0
# About the connection between two programs, of which these are not.
OWN_HEADERS: Final = frozenset({"connection", "transfer-encoding", "keep-alive"})
# What stands beside the authorizer's own words.
ADDED_BY_GATEWAY: Final = frozenset({"principalId", "integrationLatency"})
CONFIG: Final[LambdaConfig] = {"api_gateway_base_path": "/", "text_mime_types": [], "exclude_headers": []}


class BrokenOff(Exception):
    """The function's time is over."""


class Exchange:
    """A request and its answer, as ASGI has them."""

    def __init__(self, api: RuntimeApi, id_: str, body: bytes) -> None:
        self._api, self._id, self._body = api, id_, body
        self._read = False
        self._stream: ResponseStream | None = None
        self._begun, self._whole = asyncio.Event(), False

    async def receive(self) -> Message:
        """The body, then nothing until nobody reads the answer any more."""
        if not self._read:
            self._read = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._begun.wait()
        if self._stream is not None:
            await self._stream.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._stream = await self._api.begin(self._id, head_of(message))
            self._begun.set()
        elif self._stream is not None and not self._whole:
            await self._stream.write(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._whole:
                await self._stream.end()

    async def close(self, error: BaseException | None) -> None:
        """Ends what the application has left open; `error` is why it stopped."""
        if self._whole:
            return
        reason = error or BrokenOff()
        if self._stream is None:
            self._api.fail(self._id, reason)
        else:
            await self._stream.break_off(reason)


def head_of(message: Message) -> dict[str, Any]:
    """Status and headers as the integration reads them."""
    headers: dict[str, list[str]] = {}
    for name, value in message.get("headers", ()):
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    kept = {name: values for name, values in headers.items() if name not in OWN_HEADERS}
    return {"statusCode": message["status"], "multiValueHeaders": kept}


def scope_of(event: dict[str, Any]) -> tuple[Scope, bytes]:
    """The request in an event of a REST API (payload 1.0). What the authorizer says stands where the HTTP API's events
    have it, which is where the application looks."""
    context: dict[str, Any] = event["requestContext"]
    said = {name: value for name, value in (context.get("authorizer") or {}).items() if name not in ADDED_BY_GATEWAY}
    known = event | {"requestContext": context | {"authorizer": {"lambda": said}}}
    gateway = APIGateway(known, cast(LambdaContext, None), CONFIG)
    return gateway.scope, gateway.body


async def serve(application: ASGIApp, api: RuntimeApi, invocation: Invocation) -> None:
    """One request. What the application raises is told to Lambda, and ends nothing else."""
    try:
        scope, body = scope_of(invocation.event)
    except (KeyError, TypeError, ValueError) as error:
        # No request at all: somebody invokes the function by hand.
        return api.fail(invocation.id, error)
    exchange = Exchange(api, invocation.id, body)
    error: Exception | None = None
    try:
        async with asyncio.timeout(max(0.0, invocation.deadline - time.time() - RESERVE_S)):
            await application(cast(dict[str, Any], scope), exchange.receive, exchange.send)
    except TimeoutError:
        error = BrokenOff()
    except Exception as raised:  # noqa: BLE001 whatever it is, the next request is served
        error = raised
    return await exchange.close(error)


def main() -> None:
    """Serves one event after the other, until Lambda ends the process."""
    api = RuntimeApi(os.environ[ADDRESS])
    try:
        from functions.api.handler import application
    except Exception as error:
        api.fail_to_start(error)
        raise
    with asyncio.Runner() as runner:
        while True:
            invocation = api.next()
            os.environ[HEADER] = invocation.trace
            if is_release_check(invocation.event):
                try:
                    api.answer(invocation.id, answer_release_check(application, invocation.event))
                except Exception as error:  # noqa: BLE001 it is what stops the deployment
                    api.fail(invocation.id, error, str(error) if isinstance(error, Conflict) else None)
            else:
                runner.run(serve(application, api, invocation), context=copy_context())


if __name__ == "__main__":
    main()
