"""MCP over streamable HTTP, without sessions: each POST is served on its own, so that any process may answer it.

`/mcp` wants a token and says where one is to be had; `/v1/mcp` is for whoever `/v1` knows, as `autri mcp` is. Where one
process answers all, an answer can be read on after a break, and a call be cancelled by a message.
"""

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from functions.api.caller import Caller
from functions.api.errors import NotSignedIn
from functions.api.events import forget, streamed
from functions.api.identity import presented_token
from functions.api.kept_streams import KeptStreams, StreamOwner, owner_of
from functions.api.rate_limit import identify_sender
from functions.mcp.exchange import CALLER, EVENTS, EXCHANGE, SESSION, Asked, PendingRequest, params_of, until_left
from shared.contract import MCP_PATH
from shared.domain.listening import Listening, listened_to_by
from shared.plans.quota import check_mcp

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

OWN_PATH: Final = f"/v1{MCP_PATH}"
# The first revision whose clients take an event without data, which says from where to read on.
PRIMED_SINCE: Final = "2025-11-25"
# The first revision in which leaving is cancelling; before, who has left comes back. There a client shook hands.
LEFT_SINCE: Final = "2026-07-28"
VERSION: Final = "mcp-protocol-version"


class Calls:
    """What is under way in this process, by who asks and how they call it; for the event loop's thread alone."""

    def __init__(self, kept: KeptStreams | None) -> None:
        self.kept = kept
        self._listening = dict[tuple[StreamOwner, str, str], Listening]()

    def begin(self, owner: StreamOwner, session: str, asked: Any, listening: Listening) -> None:
        self._listening[owner, session, json.dumps(asked)] = listening

    def end(self, owner: StreamOwner, session: str, asked: Any) -> None:
        self._listening.pop((owner, session, json.dumps(asked)), None)

    def find(self, owner: StreamOwner, session: str, asked: Any) -> Listening | None:
        return self._listening.get((owner, session, json.dumps(asked)))


class McpEndpoint:
    """The ASGI application behind both addresses."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        calls = cast(Calls, request.app.state.mcp_calls)
        last = request.headers.get("last-event-id")
        if request.method != "POST" and (last is None or calls.kept is None):
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if scope["path"] == MCP_PATH and presented_token(request) is None:
            raise NotSignedIn("Send a token: an API key, or one that your assistant asks for by itself (OAuth).")
        identity = getattr(request.state, "identity", None) or await run_in_threadpool(identify_sender, request)
        request.state.identity = identity
        runtime = request.app.state.runtime
        await run_in_threadpool(check_mcp, runtime, identity)
        owner = owner_of(identity)
        if last is not None and calls.kept is not None and request.method != "POST":
            stream, number = calls.kept.find(owner, last)
            await streamed(stream.read(number, request.app.state.heartbeat_s))(scope, receive, send)
            return
        # In English, as tools say all else: whose language the reader has, the assistant knows.
        CALLER.set(Caller(runtime, identity))
        body = await request.body()
        asked = _asked(body)
        if asked.get("method") == "notifications/cancelled":
            left = calls.find(owner, request.headers.get(SESSION, ""), params_of(asked).get("requestId"))
            if left is not None:
                await run_in_threadpool(left.leave)
        await _Answering(request, calls, owner, asked, body).run(receive, send)


class _Answering:
    """One POST."""

    def __init__(self, request: Request, calls: Calls, owner: StreamOwner, asked: Asked, body: bytes) -> None:
        self._request, self._calls, self._owner, self._asked, self._body = request, calls, owner, asked, body
        self._session = request.headers.get(SESSION, "")
        self._exchange = PendingRequest(asked)
        self._version = request.headers.get(VERSION, "")
        self._kept: KeptStreams | None = None

    async def run(self, receive: Receive, send: Send) -> None:
        wants_events = EVENTS in self._request.headers.get("accept", "")
        if self._asked.get("id") is None or not wants_events:
            await self._exchange.work(_serve, self._request.scope, self._body)
            for message in self._exchange.whole:
                await send(message)
            return
        work = asyncio.ensure_future(self._work())
        work.add_done_callback(forget)
        answered = False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(until_left, receive, tasks.cancel_scope)
            heartbeat_s = self._request.app.state.heartbeat_s
            await self._exchange.answer(self._named(send), heartbeat_s, self._begin)
            answered = True
            tasks.cancel_scope.cancel()
        if answered:
            # What is no error of ours is the server's to handle.
            await work

    async def _work(self) -> None:
        stream, asked = self._exchange.stream, self._asked["id"]
        if self._session:
            self._calls.begin(self._owner, self._session, asked, stream.listening)
        EXCHANGE.set(self._exchange)
        try:
            with listened_to_by(stream.listening):
                await self._exchange.work(_serve, self._request.scope, self._body)
        finally:
            self._calls.end(self._owner, self._session, asked)
            if self._kept is not None:
                self._kept.ended(stream)

    def _begin(self) -> str:
        """What comes first. Who may come back and read on is told from where."""
        if self._calls.kept is None or self._version >= LEFT_SINCE:
            return ""
        self._kept = self._calls.kept
        self._kept.keep(self._owner, self._exchange.stream)
        primed = self._version >= PRIMED_SINCE
        return f"id: {self._exchange.stream.id_of(0)}\ndata: \n\n" if primed else ""

    def _named(self, send: Send) -> Send:
        """A session is a name by which a client that shook hands tells its requests from another's; nothing is kept
        behind it."""
        if self._asked.get("method") != "initialize" or self._calls.kept is None:
            return send

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                MutableHeaders(scope=message)[SESSION] = uuid4().hex
            await send(message)

        return named


def _asked(body: bytes) -> Asked:
    """The message; an empty one where it is none: the SDK says so."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    """By the SDK, whose tasks end with the request."""
    manager = await run_in_threadpool(_manager)
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def _manager() -> "StreamableHTTPSessionManager":
    """The SDK is loaded by the first request, beside the event loop."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from functions.mcp.server import mcp_server

    return StreamableHTTPSessionManager(mcp_server(), stateless=True, json_response=True)


def mcp_routes() -> list[Route]:
    """POST, and GET to read on. There is no other stream to open, and without sessions nothing to DELETE."""
    endpoint = McpEndpoint()
    return [Route(path, endpoint, methods=["POST", "GET"], name=f"mcp {path}") for path in (MCP_PATH, OWN_PATH)]
