"""Both ways to a server send the same and say the same of what they get."""

import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from autri import wire
from functions.cli import http_channel, output
from functions.cli.api import ApiClient
from functions.cli.asking import step_in_words
from functions.cli.channel import Channel
from functions.cli.errors import ApiError
from functions.cli.http_channel import HttpChannel
from functions.cli.local_channel import LocalChannel
from shared.errors import AutriError, BadInput, Unavailable
from tests.answering_server import Prepared, served

JSON = "application/json"
Connect = Callable[[str], Channel]
channels = pytest.mark.parametrize("connect", [HttpChannel, LocalChannel])


def call(connect: Connect, answer: Prepared, *request: Any, **query: Any) -> tuple[Any, tuple[str, str, bytes]]:
    with served([answer]) as server:
        with ApiClient(connect(server.url)) as api:
            said = api.call(*request, **query)
        return said, server.asked[0]


@channels
def test_a_body_and_a_query_arrive_as_they_were_given(connect: Connect) -> None:
    query = {"yes": True, "none": None, "name": "a b&ü", "ids": ["1", "2"], "limit": 3}
    said, asked = call(connect, (200, JSON, b'{"a": "\xc3\xbc"}'), "POST", "/x", {"text": "ü", "n": None}, **query)
    assert said == {"a": "ü"}
    method, path, body = asked
    assert (method, body) == ("POST", '{"text":"ü","n":null}'.encode())
    assert path.replace("+", "%20") == "/v1/x?yes=true&name=a%20b%26%C3%BC&ids=1&ids=2&limit=3"


@channels
def test_a_path_with_what_a_url_cannot_hold_is_escaped(connect: Connect) -> None:
    _, (_, path, body) = call(connect, (200, JSON, b"{}"), "GET", "/things/a b/ü")
    assert (path, body) == ("/v1/things/a%20b/%C3%BC", b"")


@channels
@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        ((404, "application/problem+json", b'{"detail": "There is no such thing."}'), ApiError, "There is no such"),
        ((401, "text/plain", b""), ApiError, "does not accept this token"),
        ((500, "text/html", b"<p>"), ApiError, "127.0.0.1 answered 500 Internal Server Error."),
        (
            (302, "https://elsewhere.example/", b""),
            Unavailable,
            "not an Autri server, which leads to https://elsewhere",
        ),
        ((200, "text/html", b"<p>"), Unavailable, "is not an Autri server. Check the address."),
    ],
)
def test_what_is_no_result_is_said(connect: Connect, answer: Prepared, error: type[AutriError], text: str) -> None:
    with pytest.raises(error, match=text):
        call(connect, answer, "GET", "/x")


@channels
def test_nobody_there_and_what_cannot_be_sent(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with ApiClient(connect(f"http://127.0.0.1:{port}")) as api:
        with pytest.raises(Unavailable, match="Check the address and that it runs"):
            api.call("GET", "/x")
        with pytest.raises(BadInput, match="This cannot be sent"):
            api.call("POST", "/x", {"number": float("nan")})


EVENTS = (
    b'id: 1\nevent: plan\ndata: {"knowledge_base_ids": ["a"]}\n\n: still at work\n\n'
    b'id: 2\nevent: tool\ndata: {"name": "search", "arguments": {"query": "[bold]w\xc3\xbcing"}, "chunk_ids": ["1"],'
    b' "failed": false}\n\n'
)


@channels
@pytest.mark.parametrize(
    ("end", "said"),
    [
        (b'event: final\ndata: {"answer": "372 kg"}\n\n', {"answer": "372 kg"}),
        (b'event: error\ndata: {"status": 422, "detail": "Set a model."}\n\n', "Set a model."),
        (b"", "127.0.0.1 answered 502"),
    ],
)
def test_steps_are_told_as_they_come_and_the_last_is_the_answer(connect: Connect, end: bytes, said: Any) -> None:
    heard = list[str]()
    with (
        served([(200, "text/event-stream; charset=utf-8", EVENTS + end)]) as server,
        ApiClient(connect(server.url)) as api,
    ):

        def ask() -> Any:
            return api.told("/ask", {"plan": True}, lambda name, data: heard.append(step_in_words(name, data)))

        if isinstance(said, str):
            with pytest.raises(ApiError, match=said):
                ask()
        else:
            assert ask() == said
        assert server.asked == [("POST", "/v1/ask", b'{"plan":true}')]
    assert heard == ["searched 1 knowledge base …", "searching “[bold]wüing”: 1 passage …"]


@channels
def test_a_refusal_before_the_first_step_is_said_as_always(connect: Connect) -> None:
    refusal = (402, "application/problem+json", b'{"detail": "Used up."}')
    with (
        served([refusal]) as server,
        ApiClient(connect(server.url)) as api,
        pytest.raises(ApiError, match="Used up"),
    ):
        api.told("/ask", {}, lambda *_: None)


BUSY, TOO_OFTEN, GATEWAY = (
    (status, "application/problem+json", b'{"detail": "Later.", "type": "x"}') for status in (503, 429, 502)
)
FOUND = (200, JSON, b'{"a": 1}')


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were waited, without waiting."""
    waited = list[float]()
    monkeypatch.setattr("functions.cli.http_channel.time.sleep", waited.append)
    return waited


@pytest.mark.parametrize(
    ("method", "answers", "tries"),
    [
        ("GET", [BUSY, GATEWAY, FOUND], 3),
        ("POST", [BUSY, TOO_OFTEN, FOUND], 3),
        ("POST", [GATEWAY, FOUND], 1),
        ("GET", [TOO_OFTEN] * 4 + [FOUND], 4),
    ],
)
def test_a_server_elsewhere_is_asked_again_where_that_helps(
    method: str, answers: list[Prepared], tries: int, pauses: list[float]
) -> None:
    with served(answers) as server, ApiClient(HttpChannel(server.url)) as api:
        if tries < len(answers):
            with pytest.raises(ApiError, match="Later"):
                api.call(method, "/x", {"text": "ü"})
        else:
            assert api.call(method, "/x", {"text": "ü"}) == {"a": 1}
        assert server.asked == [(method, "/v1/x", '{"text":"ü"}'.encode())] * tries
    assert len(pauses) == tries - 1


def test_a_server_that_only_starts_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as server, ThreadPoolExecutor(1) as thread:
        server.bind(("127.0.0.1", 0))

        def start(_seconds: float) -> None:
            server.listen()
            thread.submit(_answer_once, server)

        monkeypatch.setattr("functions.cli.http_channel.time.sleep", start)
        with ApiClient(HttpChannel(f"http://127.0.0.1:{server.getsockname()[1]}")) as api:
            assert api.call("POST", "/x", {"a": 1}) == {}


def _answer_once(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")


def test_a_file_is_sent_whole_at_each_try(tmp_path: Path, pauses: list[float]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"oil")
    with served([GATEWAY, FOUND, BUSY, FOUND]) as server, ApiClient(HttpChannel(server.url)) as api:
        api.send_file({"method": "PUT", "url": "/up", "fields": {}, "headers": {}}, path)
        api.send_file({"method": "POST", "url": "/form", "fields": {"key": "k"}, "headers": {}}, path)
        sent = [body for _, _, body in server.asked]
    assert sent[:2] == [b"oil", b"oil"]
    assert all(b"oil" in body and b"k" in body for body in sent[2:])
    assert len(sent) == len(pauses) + 2 == 4


def test_a_file_that_arrived_although_the_answer_was_lost_is_sent(tmp_path: Path, pauses: list[float]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"oil")
    ticket = {"method": "PUT", "url": "/up", "fields": {}, "headers": {}}
    there = (409, "application/problem+json", b'{"detail": "Has arrived already.", "type": "x"}')
    with served([GATEWAY, there, there, BUSY, there]) as server, ApiClient(HttpChannel(server.url)) as api:
        api.send_file(ticket, path)
        assert len(pauses) == 1
        # Nothing was sent before, or nothing was taken: somebody else's file is there.
        for _ in range(2):
            with pytest.raises(ApiError, match="Has arrived already"):
                api.send_file(ticket, path)


def test_a_change_bears_the_same_key_at_each_try(pauses: list[float]) -> None:
    with served([BUSY, FOUND, FOUND]) as server, ApiClient(HttpChannel(server.url)) as api:
        api.call("POST", "/x", {})
        api.call("GET", "/x")
        first, second, third = (headers.get("Idempotency-Key") for headers in server.headers)
    assert first
    assert (first, third, len(pauses)) == (second, None, 1)


def test_an_answer_by_events_is_asked_for_again_until_the_first_is_heard(pauses: list[float]) -> None:
    final = b'event: final\ndata: {"answer": "372 kg"}\n\n'
    events = (200, "text/event-stream", EVENTS + final)
    with served([BUSY, events]) as server, ApiClient(HttpChannel(server.url)) as api:
        assert api.told("/ask", {}, lambda *_: None) == {"answer": "372 kg"}
    with (
        served([(200, "text/event-stream", EVENTS)]) as server,
        ApiClient(HttpChannel(server.url)) as api,
        pytest.raises(ApiError, match="answered 502"),
    ):
        api.told("/ask", {}, lambda *_: None)
    assert len(pauses) == 1


def test_a_client_of_mcp_hears_at_once_that_the_server_is_busy(pauses: list[float]) -> None:
    with served([BUSY]) as server:
        channel = HttpChannel(server.url)
        assert channel.send_for_events("/v1/mcp", {}, lambda *_: None, {"Accept": "text/event-stream"}).status == 503
        channel.close()
    assert pauses == []


def test_a_long_wait_is_said(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wire, "waits", lambda: iter([1.0, 3.0]))
    with served([BUSY, BUSY, FOUND]) as server, ApiClient(HttpChannel(server.url)) as api:
        api.call("GET", "/x")
    assert pauses == [1.0, 3.0]
    assert capsys.readouterr().err == "The server is busy; asking again in 3 s.\n"


def test_on_a_terminal_a_short_wait_is_said_too(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wire, "waits", lambda: iter([0.4]))
    monkeypatch.setattr(output.err, "_force_terminal", True)
    with served([BUSY, FOUND]) as server, ApiClient(HttpChannel(server.url)) as api:
        api.call("GET", "/x")
    assert "asking again in 0.4 s." in capsys.readouterr().err


def test_a_checkout_that_was_not_set_up_anew_finds_the_clients_rules(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "autri"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "clients" not in one])
    monkeypatch.setattr(http_channel, "CLIENT", tmp_path)
    with (
        served([BUSY]) as server,
        ApiClient(HttpChannel(server.url)) as api,
        pytest.raises(Unavailable, match="make setup"),
    ):
        api.call("GET", "/x")
    monkeypatch.undo()
    for name in [name for name in sys.modules if name.partition(".")[0] == "autri"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "clients" not in one])
    assert http_channel.client_rules().TRIES > 1


def test_a_server_that_says_nothing_is_asked_once(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("functions.cli.http_channel.TIMEOUT", httpx.Timeout(30.0, read=0.2))
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        ApiClient(HttpChannel(f"http://127.0.0.1:{silent.getsockname()[1]}")) as api,
        pytest.raises(Unavailable),
    ):
        api.call("GET", "/x")
    assert pauses == []


def test_an_application_in_this_process_is_asked_once(pauses: list[float]) -> None:
    asked = list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(503, json={"detail": "Later.", "type": "x"})

    with (
        ApiClient(HttpChannel("http://127.0.0.1", transport=httpx.MockTransport(answer))) as api,
        pytest.raises(ApiError),
    ):
        api.call("GET", "/x")
    assert (asked, pauses) == (["/v1/x"], [])
