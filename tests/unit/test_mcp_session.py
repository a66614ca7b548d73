"""A session of `autri mcp` over a real server, whose slow call waits until the test lets it go."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

import pytest

from functions.cli.commands import mcp
from functions.cli.local_channel import LocalChannel
from functions.cli.mcp_session import McpSession
from tests.patience import PATIENCE_S


class Slow(ThreadingHTTPServer):
    """Answers each message with its method; one called `slow` not before `go` is set."""

    def __init__(self) -> None:
        self.arrived: Queue[str] = Queue()
        self.go = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.arrived.put(message["method"])
        if message["method"] == "slow":
            self.server.go.wait(PATIENCE_S)
        if message["method"] == "left":
            self.connection.settimeout(PATIENCE_S)
            return self.server.arrived.put(f"ended by {len(self.connection.recv(1))} bytes")
        said = {"jsonrpc": "2.0", "id": message.get("id"), "result": {"method": message["method"]}}
        if message["method"] == "initialize":
            said["result"] = {"protocolVersion": "2025-11-25"}
        said["result"]["version"] = self.headers["MCP-Protocol-Version"]
        body, kind = json.dumps(said).encode(), "application/json"
        if message["method"] == "steps":
            step = json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}})
            body, kind = f": still\n\nid: 1\nevent: message\ndata: {step}\n\n".encode(), "text/event-stream"
            body += b"event: message\ndata: " + json.dumps(said).encode() + b"\n\n"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        with suppress(OSError):  # of a call that was cancelled
            self.end_headers()
            self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002 its name is that of the class above


class Client:
    """The other end of a session's lines."""

    def __init__(self, server: Slow, calls: int) -> None:
        self.answers: Queue[dict[str, Any]] = Queue()
        self._lines: Queue[str | None] = Queue()
        channel = LocalChannel(f"http://127.0.0.1:{server.server_port}")
        session = McpSession(partial(mcp.answer_to, channel, "/mcp"), self.answers.put, calls)
        self._thread = threading.Thread(target=session.run, args=(iter(self._lines.get, None),), daemon=True)
        self._thread.start()

    def say(self, method: str, asked: Any = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if asked is None else {"id": asked})
        self._lines.put(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        return self.answers.get(timeout=PATIENCE_S)

    def end(self) -> None:
        self._lines.put(None)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@pytest.fixture
def server() -> Iterator[Slow]:
    with Slow() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        yield made
        made.go.set()
        made.shutdown()
        thread.join()


Connect = Callable[[int], Client]


@pytest.fixture
def connect(server: Slow) -> Connect:
    return partial(Client, server)


def test_a_slow_call_holds_up_no_other_and_is_answered_before_the_session_ends(server: Slow, connect: Connect) -> None:
    client = connect(8)
    client.say("slow", 1)
    assert server.arrived.get(timeout=PATIENCE_S) == "slow"
    client.say("quick", "1")
    assert client.hear()["id"] == "1"
    server.go.set()
    client.end()
    assert client.hear()["id"] == 1


def test_a_ping_is_answered_where_one_call_alone_is_sent_at_a_time(server: Slow, connect: Connect) -> None:
    client = connect(1)
    client.say("slow", 1)
    assert server.arrived.get(timeout=PATIENCE_S) == "slow"
    client.say("quick", 2)
    client.say("ping", 3)
    assert client.hear() == {"jsonrpc": "2.0", "id": 3, "result": {}}
    assert server.arrived.empty()
    server.go.set()
    client.end()
    assert [client.hear()["id"], client.hear()["id"]] == [1, 2]


def test_a_cancelled_call_is_not_answered_and_one_that_waits_is_not_sent(server: Slow, connect: Connect) -> None:
    client = connect(1)
    client.say("slow", 1)
    assert server.arrived.get(timeout=PATIENCE_S) == "slow"
    client.say("quick", 2)
    client.say("notifications/cancelled", requestId=2)
    client.say("notifications/cancelled", requestId=1)
    client.say("notifications/cancelled", requestId="of nobody")
    client.say("ping", 3)
    assert client.hear()["id"] == 3
    server.go.set()
    client.end()
    assert client.answers.empty()
    assert server.arrived.empty()


def test_a_cancelled_calls_connection_is_ended(server: Slow, connect: Connect) -> None:
    client = connect(8)
    client.say("left", 1)
    assert server.arrived.get(timeout=PATIENCE_S) == "left"
    client.say("notifications/cancelled", requestId=1)
    assert server.arrived.get(timeout=PATIENCE_S) == "ended by 0 bytes"
    client.end()
    assert client.answers.empty()


def test_steps_are_passed_on_before_the_answer(connect: Connect) -> None:
    client = connect(1)
    client.say("steps", 1)
    assert client.hear()["method"] == "notifications/progress"
    assert client.hear()["result"]["method"] == "steps"
    client.end()


def test_what_follows_the_handshake_is_of_the_revision_that_was_agreed_on(connect: Connect) -> None:
    client = connect(8)
    client.say("initialize", 1)
    client.say("quick", 2)
    assert client.hear()["result"]["version"] is None
    assert client.hear()["result"]["version"] == "2025-11-25"
    client.end()
