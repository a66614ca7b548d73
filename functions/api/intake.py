"""Admission of request bodies: nothing is read before size and sender have been checked, and then only while data keeps
coming."""

import asyncio
import re
import time
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.api.errors import retry_headers, status_of
from functions.api.rate_limit import identify_sender
from shared.contract import MAX_ARCHIVE_BYTES, MAX_UPLOAD_BYTES, OAUTH_OPEN
from shared.errors import AutriError

MAX_BODY_BYTES = 1_000_000
IMPORTS = "/v1/imports"
# Whoever makes an organization belongs to none so far.
FOUNDING = "/v1/organizations"
# The list of all files of a source; AWS Lambda takes requests of 6 MB.
MAX_LIST_BYTES = 5_500_000
LISTED = re.compile(r"/v1/sources/[^/]+/look")
STREAMED = re.compile(rf"/v1/uploads/[^/]+/content|{IMPORTS}")
# A sender that pauses for longer, or after GRACE_S has sent less than MIN_BYTES_PER_S on average, is disconnected.
IDLE_S = 20.0
GRACE_S = 30.0
MIN_BYTES_PER_S = 16 * 1024
# The rest of a refused body up to this size is read and dropped, so that the connection can be used again.
DRAINED_BYTES = 64 * 1024
DRAIN_S = 1.0


def is_streamed(scope: Scope) -> bool:
    """Whether the body is an upload's content or an archive, which is large and read piece by piece by its route."""
    return STREAMED.fullmatch(scope["path"]) is not None


def declared_size(headers: Headers) -> int | None:
    """The value of `Content-Length`; None where the body comes in chunks, or the header is not a number."""
    given = headers.get("content-length", "")
    return int(given) if given.isdecimal() and len(given) < 20 else None


class Intake:
    """Middleware between the server and whatever reads a body; checks size, sender and speed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive)

        async def send_after_body(message: Message) -> None:
            if message["type"] == "http.response.start" and not await body.is_done():
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self._app(scope, body.receive, send_after_body)


class _Body:
    """A request's body while it arrives. Errors are raised as HTTPException in the code that reads it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._scope, self._receive = scope, receive
        large = MAX_ARCHIVE_BYTES if scope["path"] == IMPORTS else MAX_UPLOAD_BYTES
        small = MAX_LIST_BYTES if LISTED.fullmatch(scope["path"]) else MAX_BODY_BYTES
        self._limit = large if is_streamed(scope) else small
        self._declared = declared_size(headers)
        self._done = self._declared in (None, 0) and "transfer-encoding" not in headers
        self._is_asked_for = "expect" in headers
        self._settled = self._done
        self._seen, self._waited = 0, 0.0

    async def receive(self) -> Message:
        if not self._settled:
            self._check_size(self._declared or 0)
            await self._check_sender()
            self._settled = True
        message = await (self._receive() if self._done else self._receive_in_time())
        self._seen += len(message.get("body", b""))
        self._check_size(self._seen)
        return message

    async def is_done(self) -> bool:
        """Whether all of it has arrived; the rest of a small body is read and dropped."""
        small = self._declared is not None and self._declared <= DRAINED_BYTES and not self._is_asked_for
        try:
            async with asyncio.timeout(DRAIN_S):
                while small and not self._done:
                    self._note(await self._receive())
        except TimeoutError:
            return False
        return self._done

    def _check_size(self, size: int) -> None:
        if size > self._limit:
            raise HTTPException(
                413, f"The request is larger than {self._limit} bytes. Files go through /v1/uploads, one by one."
            )

    async def _check_sender(self) -> None:
        """Resolves the identity and keeps it for the route, which would resolve it again. Whoever asks for a token has
        none yet; on one machine all the same only its own programs may."""
        try:
            if self._scope["path"] in OAUTH_OPEN and not self._scope["app"].state.local:
                return
            if self._scope["path"] == FOUNDING:
                await run_in_threadpool(self._scope["app"].state.identify.recognize, Request(self._scope))
                return
            identity = await run_in_threadpool(identify_sender, Request(self._scope))
        except AutriError as error:
            status = status_of(error)
            raise HTTPException(status, str(error), retry_headers(error)) from error
        self._scope.setdefault("state", {})["identity"] = identity

    async def _receive_in_time(self) -> Message:
        left = GRACE_S + self._seen / MIN_BYTES_PER_S - self._waited
        begun = time.monotonic()
        try:
            async with asyncio.timeout(min(IDLE_S, max(0.0, left))):
                message = await self._receive()
        except TimeoutError:
            detail = "The request's body stopped arriving, or came too slowly. Nothing was kept; send it again."
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, detail) from None
        self._waited += time.monotonic() - begun
        self._note(message)
        return message

    def _note(self, message: Message) -> None:
        self._done = message["type"] != "http.request" or not message.get("more_body", False)
