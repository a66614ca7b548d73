"""Bodies as hostile senders send them, over raw sockets to a real server."""

import hashlib
import os
import socket
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from starlette.requests import Request

from functions import http_server
from functions.api import intake, upload_slots
from functions.api.app import create_app
from functions.api.errors import NotSignedIn
from functions.api.identity import development_identity
from shared.adapters.local.files import SPOOL, FileBlobStore
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.ingestion.uploads import UploadRequest, create_upload, get_ingestion
from shared.runtime import Runtime
from tests.live import serving
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base

THREE_GB = 3 * 1024**3
UNFINISHED = 45


class Wire:
    """A connection that sends what it is told, however wrong, and reads one answer."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._host, self.socket = f"{host}:{port}", socket.create_connection((host, int(port)), timeout=PATIENCE_S)

    def send_head(self, method: str, path: str, *headers: str) -> None:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}", *headers]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def status(self) -> int:
        return int(self.answer().split(b" ", 2)[1])

    def answer(self) -> bytes:
        """One whole answer."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        sizes = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        while sizes and len(body) < sizes[0]:
            body += self._more()
        return head + b"\r\n\r\n" + body

    def is_closed(self) -> bool:
        """Whether the server ends the connection within the socket's patience."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _more(self) -> bytes:
        part = self.socket.recv(65536)
        assert part, "the server closed the connection without an answer"
        return part


@contextmanager
def wire(url: str) -> Generator[Wire]:
    opened = Wire(url)
    with opened.socket:
        yield opened


@pytest.fixture(scope="module")
def server(runtime: Runtime) -> Iterator[str]:
    """Asks everybody whether they are known: `X-Nobody` is not."""
    known = development_identity(runtime)

    def identify(request: Request) -> Identity:
        if "x-nobody" in request.headers:
            raise NotSignedIn("Sign in first: the request carries no verified token.")
        return known(request)

    with serving(create_app(runtime, identify, local=True)) as url:
        yield url


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "bodies")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same limits, in seconds that a test can wait."""
    monkeypatch.setattr(intake, "IDLE_S", 1.0)
    monkeypatch.setattr(intake, "GRACE_S", 2.0)
    monkeypatch.setattr(upload_slots, "PATIENCE_S", 0.5)
    monkeypatch.setattr(http_server, "HEAD_S", 3.0)


def announce(runtime: Runtime, identity: Identity, knowledge_base: UUID, size: int, sha256: str = "0" * 64) -> UUID:
    request = UploadRequest(filename="a.pdf", size=size, sha256=sha256, knowledge_base_id=knowledge_base)
    return create_upload(runtime, identity, request).upload_id


def spooled(runtime: Runtime) -> int:
    """Bytes that lie about of what has not arrived whole."""
    assert isinstance(runtime.blobs, FileBlobStore)
    folder = runtime.blobs.root / SPOOL
    return sum(path.stat().st_size for path in folder.glob("*")) if folder.exists() else 0


def resident() -> int:
    """Bytes of memory of this process, in which the server runs."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def seconds(other: httpx.Client) -> float:
    """How long somebody else waits for an answer."""
    started = time.monotonic()
    assert other.get("/v1/knowledge-bases").status_code == 200
    return time.monotonic() - started


UNKNOWN = "/v1/uploads/01900000-0000-7000-8000-000000000000/content"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("PUT", UNKNOWN, ["X-Nobody: 1"], 401),
        ("PUT", UNKNOWN, ["X-Nobody: 1", "Content-Type: application/json"], 401),
        ("PUT", UNKNOWN, [], 404),
        ("PUT", UNKNOWN, ["Content-Type: application/json"], 404),
        ("PUT", "/v1/uploads/nonsense/content", [], 422),
        ("POST", "/v1/search", ["Content-Type: application/json"], 413),
        ("POST", "/v1/search", ["X-Nobody: 1", "Content-Type: application/json"], 413),
        ("POST", "/v1/nothing-here", [], 404),
    ],
)
def test_three_gigabytes_are_answered_before_they_are_read(
    runtime: Runtime, server: str, method: str, path: str, headers: list[str], status: int
) -> None:
    before, piece = resident(), b"x" * 1024**2
    with wire(server) as sender:
        sender.send_head(method, path, f"Content-Length: {THREE_GB}", *headers)
        assert sender.status() == status
        sent = 0
        try:
            for _ in range(64):
                sent += sender.socket.send(piece)
        except (ConnectionError, TimeoutError):
            pass
        assert sent < 16 * len(piece), "the server goes on reading"
    assert resident() - before < 32 * 1024**2
    assert spooled(runtime) == 0


def test_a_body_in_chunks_from_nobody_is_not_read_either(server: str) -> None:
    for path in (f"/v1/uploads/{new_id()}/content", "/v1/knowledge-bases"):
        with wire(server) as sender:
            sender.send_head(
                "PUT" if "uploads" in path else "POST", path, "Transfer-Encoding: chunked", "X-Nobody: 1",
                "Content-Type: application/json",
            )  # fmt: skip
            assert sender.status() == 401


def test_another_size_than_announced_is_refused_before_it_is_read(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, server: str
) -> None:
    upload = announce(runtime, identity, knowledge_base, 1000)
    with wire(server) as sender:
        sender.send_head("PUT", f"/v1/uploads/{upload}/content", "Content-Length: 400000000")
        assert b"1000 bytes were announced and 400000000 are on their way" in sender.answer()
    with wire(server) as sender:
        sender.send_head("PUT", f"/v1/uploads/{upload}/content", "Transfer-Encoding: chunked")
        sender.socket.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        assert b"1000 bytes were announced and another number" in sender.answer()
        assert sender.is_closed()
    assert spooled(runtime) == 0
    assert get_ingestion(runtime, identity, upload).status == "waiting"


def test_unfinished_uploads_keep_nobody_waiting_and_end_by_themselves(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, server: str, hurried: None
) -> None:
    with ExitStack() as stack, httpx.Client(base_url=server) as other:
        assert other.get("/v1/knowledge-bases").status_code == 200
        uploads = [announce(runtime, identity, knowledge_base, 1000) for _ in range(UNFINISHED)]
        senders = [stack.enter_context(wire(server)) for _ in uploads]
        for sender, upload in zip(senders, uploads, strict=True):
            sender.send_head("PUT", f"/v1/uploads/{upload}/content", "Content-Length: 1000")
            sender.socket.sendall(b"%PDF-1.7 and no more")
        assert min(seconds(other) for _ in range(5)) < 1
        answers = [sender.answer() for sender in senders]
    statuses = [int(answer.split(b" ", 2)[1]) for answer in answers]
    assert set(statuses) == {408, 429}
    assert statuses.count(408) >= upload_slots.PER_USER
    assert all(b"retry-after: " in answer.lower() for answer in answers if b" 429 " in answer[:20])
    assert spooled(runtime) == 0
    data = b"%PDF-1.7\n" + b"x" * 991
    upload = announce(runtime, identity, knowledge_base, len(data), hashlib.sha256(data).hexdigest())
    assert httpx.put(f"{server}/v1/uploads/{upload}/content", content=data).status_code == 204


def test_a_sender_that_trickles_is_given_up(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, server: str, hurried: None
) -> None:
    upload, started = announce(runtime, identity, knowledge_base, 100_000), time.monotonic()
    with wire(server) as sender:
        sender.send_head("PUT", f"/v1/uploads/{upload}/content", "Content-Length: 100000")
        sender.socket.settimeout(0.2)
        answer = b""
        while not answer and time.monotonic() - started < PATIENCE_S:
            sender.socket.sendall(b"x")
            try:
                answer = sender.socket.recv(65536)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "sent", ["", "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "], ids=["nothing", "half"]
)
def test_a_connection_that_never_finishes_asking_is_closed(server: str, hurried: None, sent: str) -> None:
    with wire(server) as sender:
        sender.socket.settimeout(PATIENCE_S)
        sender.socket.sendall(sent.encode())
        assert sender.is_closed()


def test_a_body_of_json_that_stops_is_given_up_while_others_are_answered(
    server: str, hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "IDLE_S", 6.0)
    with ExitStack() as stack, httpx.Client(base_url=server, timeout=5) as other:
        senders = [stack.enter_context(wire(server)) for _ in range(UNFINISHED)]
        for sender in senders:
            sender.send_head("POST", "/v1/search", "Content-Type: application/json", "Content-Length: 500")
        assert other.get("/v1/knowledge-bases").status_code == 200
        assert {sender.status() for sender in senders} == {408}


def test_a_small_refused_body_leaves_the_connection_for_the_next_request(server: str) -> None:
    with wire(server) as sender:
        for _ in range(3):
            sender.send_head("POST", "/v1/nothing-here", "Content-Type: application/json", "Content-Length: 2000")
            sender.socket.sendall(b"x" * 2000)
            assert sender.status() == 404


def test_after_a_failure_on_our_side_the_connection_goes_on(runtime: Runtime, caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(runtime, development_identity(runtime), local=True)

    def fail(secret: str) -> None:
        raise ValueError(f"invalid input: {secret}")

    app.add_api_route("/v1/test-failure", fail)
    with serving(app) as url, wire(url) as sender:
        for _ in range(3):
            sender.send_head("GET", "/v1/test-failure?secret=hunter2")
            assert sender.status() == 500
            sender.send_head("GET", "/v1/health")
            assert sender.status() == 200
    assert "hunter2" not in caplog.text
    assert "ValueError at" in caplog.text
    assert "test_bodies.py" in caplog.text
