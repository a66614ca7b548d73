"""Calls of assistants that take long: something comes while they do, they can be read on, and whoever leaves ends them.

The SDK's own client, the application under uvicorn, and a model that speaks when the test says so.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from fastapi import FastAPI
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.api.kept_streams import GRACE_S
from functions.api.streaming import serve
from functions.mcp.http import OWN_PATH, Calls
from functions.runtime_api import RuntimeApi
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.adapters.chat_server import ChatServer, Said, Told, running_chat
from tests.aws.runtime_api import running_runtime_api
from tests.live import serving
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_written_answers import answering, saying
from tests.unit.test_streaming import event_of

MODES = ("legacy", "auto")
RULE = Passage("The rear wing must not be wider than 1050 mm. It is measured with the car at rest.")
ASKED = {"question": "How wide may the rear wing be?", "knowledge_bases": ["slow"]}
BEAT_S = 0.05
# Less than the model waits for its word: without a sign of life the client gives up first.
READ_S, MODEL_S = 15.0, 30.0


class Slow:
    """A model that says nothing before `go`, and the server that asks it."""

    def __init__(self, url: str, chat: ChatServer) -> None:
        self.url, self.chat, self.go = f"{url}{OWN_PATH}", chat, threading.Event()

    def mind(self, told: Told) -> Said:
        assert self.go.wait(MODEL_S)
        return saying(("A rear wing may be 1050 mm wide.", "1050 mm"))(told)

    def never_ends(self) -> threading.Event:
        """From now on the model has no end; whether it has been asked since."""
        asked = threading.Event()

        def mind(_told: Told) -> Said:
            asked.set()
            return Said("x", fault="endless")

        self.chat.mind = mind
        return asked


@pytest.fixture(scope="module")
def served(runtime: Runtime, identity: Identity) -> Iterator[tuple[FastAPI, str, ChatServer]]:
    scope = add_base(runtime, identity, "slow")
    add_document(runtime, scope, "Kestrel rules", [RULE], embedder=runtime.embedder)
    with running_chat() as chat, answering(runtime, chat) as with_model:
        app = create_app(with_model, development_identity(with_model), local=True)
        app.state.heartbeat_s = BEAT_S
        with serving(app) as url:
            yield app, url, chat


@pytest.fixture
def slow(served: tuple[FastAPI, str, ChatServer]) -> Iterator[Slow]:
    made = Slow(*served[1:])
    made.chat.mind = made.mind
    made.chat.hung_up.clear()
    yield made
    made.go.set()


def use(slow: Slow, mode: str, work: Any, transport: httpx2.AsyncBaseTransport | None = None) -> Any:
    async def connect() -> Any:
        async with (
            httpx2.AsyncClient(timeout=READ_S, transport=transport) as http,
            McpClient(streamable_http_client(slow.url, http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return anyio.run(connect)


def cited(result: CallToolResult) -> str:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    assert result.structured_content["citations"]
    return result.structured_content["answer"]


@pytest.mark.parametrize("mode", MODES)
def test_whoever_waits_for_a_slow_model_hears_of_its_steps_and_that_it_is_still_at_work(slow: Slow, mode: str) -> None:
    heard = list[tuple[float, str | None]]()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        if [one for _, one in heard].count("still at work") == 3:
            slow.go.set()

    result = use(slow, mode, lambda client: client.call_tool("ask", ASKED, progress_callback=told))
    assert "1050 mm" in cited(result)
    steps = [message for _, message in heard if message != "still at work"]
    assert steps == [
        "searching 1 knowledge base",
        "1 passage found",
        "evidence chosen",
        "1 sentence written",
        "answered",
    ]
    assert [number for number, _ in heard] == sorted({number for number, _ in heard})


def post(slow: Slow, **more: Any) -> dict[str, Any]:
    """A call without a wish for progress, as revisions before 2026-07-28 have it."""
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ask", "arguments": ASKED}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    return {"url": slow.url, "json": message, "headers": headers | more, "timeout": READ_S}


def test_who_wants_no_progress_gets_comments_meanwhile(slow: Slow) -> None:
    with httpx.stream("POST", **post(slow)) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert [next(lines) for _ in range(4)] == [": still at work", ""] * 2
        slow.go.set()
        (data,) = [line for line in lines if line.startswith("data: ")]
    said = json.loads(data.removeprefix("data: "))
    assert said["id"] == 7
    assert "1050 mm" in said["result"]["structuredContent"]["answer"]


def test_an_answer_for_who_takes_no_events_and_a_refusal_are_whole(slow: Slow) -> None:
    slow.go.set()
    answer = httpx.post(**post(slow, Accept="application/json"))
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["id"] == 7
    unread = post(slow, **{"Content-Type": "application/json"}) | {"content": b"[", "json": None}
    refused = httpx.post(**unread)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32700)


class Breaking(httpx2.AsyncHTTPTransport):
    """Loses the connection of the first stream behind its first event."""

    def __init__(self) -> None:
        super().__init__()
        self.resumed = list[str]()
        self._broken = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.resumed += [request.headers["last-event-id"]] if "last-event-id" in request.headers else []
        answer = await super().handle_async_request(request)
        events = answer.headers.get("content-type", "").startswith("text/event-stream")
        if events and not self._broken:
            self._broken = True
            return httpx2.Response(200, headers=answer.headers, stream=FirstEvent(answer))
        return answer


class FirstEvent(httpx2.AsyncByteStream):
    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._answer.aiter_raw():
            yield part
            raise httpx2.ReadError("the connection is lost")

    async def aclose(self) -> None:
        await self._answer.aclose()


def test_a_client_that_lost_the_connection_reads_on(slow: Slow) -> None:
    transport, before = Breaking(), len(slow.chat.told)
    heard = list[str | None]()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        if transport.resumed:
            slow.go.set()

    result = use(slow, "legacy", lambda client: client.call_tool("ask", ASKED, progress_callback=told), transport)
    assert "1050 mm" in cited(result)
    assert len(transport.resumed) == 1
    assert [one for one in heard if one != "still at work"].count("1 sentence written") == 1
    assert len(slow.chat.told) == before + 1
    assert httpx.get(slow.url, headers={"Last-Event-ID": f"{'0' * 32}-1"}).status_code == 410
    assert httpx.get(slow.url).status_code == 405


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_cancelled_ends_the_models_call(slow: Slow, mode: str) -> None:
    asked = slow.never_ends()

    async def work(client: McpClient) -> bool:
        with anyio.CancelScope() as scope:

            async def told(progress: float, total: float | None, message: str | None) -> None:
                if asked.is_set():
                    scope.cancel()

            await client.call_tool("ask", ASKED, progress_callback=told)
        # Before this client leaves, and sooner than work ends that nobody reads any more.
        return await anyio.to_thread.run_sync(slow.chat.hung_up.wait, GRACE_S / 2)

    assert use(slow, mode, work)


def test_the_function_that_streams_sends_signs_of_life_and_hears_who_hangs_up(
    served: tuple[FastAPI, str, ChatServer], slow: Slow
) -> None:
    app = served[0]
    wanted = post(slow)
    event = event_of(
        "POST", OWN_PATH, headers=wanted["headers"] | {"Content-Type": "application/json", "Host": "127.0.0.1"}
    )
    event |= {"body": json.dumps(wanted["json"]), "multiValueHeaders": None}
    event["requestContext"]["identity"]["sourceIp"] = "127.0.0.1"
    kept, app.state.mcp_calls = app.state.mcp_calls, Calls(None)
    with running_runtime_api() as api, asyncio.Runner() as runner, ThreadPoolExecutor(1) as pool:
        client = RuntimeApi(api.address)

        def serve_one() -> None:
            runner.run(serve(app, client, client.next()))

        try:
            delivery, served_one = api.invoke(event), pool.submit(serve_one)
            head = delivery.head()
            assert head["multiValueHeaders"]["content-type"] == ["text/event-stream"], b"".join(delivery.read())
            parts = delivery.read()
            assert [next(parts) for _ in range(2)] == [b": still at work\n\n"] * 2
            slow.go.set()
            (last,) = [part for part in parts if part.startswith(b"event: message\ndata: ")]
            assert b"1050 mm" in last
            assert delivery.broken_off() is None
            served_one.result(READ_S)
            asked = slow.never_ends()
            delivery, served_one = api.invoke(event), pool.submit(serve_one)
            assert delivery.head()["statusCode"] == 200
            assert asked.wait(MODEL_S)
            delivery.hang_up()
            assert slow.chat.hung_up.wait(GRACE_S / 2)
            served_one.result(READ_S)
        finally:
            app.state.mcp_calls = kept
            api.closing = True
