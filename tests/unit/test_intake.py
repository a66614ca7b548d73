"""Whether a request's body is let in, and for how long it is waited for: on a clock that jumps instead of waiting."""

import asyncio
import selectors
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from functions.api import intake
from functions.api.errors import NotSignedIn
from functions.api.intake import Intake, declared_size, is_streamed
from shared.domain.plans import PlanSettings
from shared.errors import AutriError, TooMany

CONTENT = "/v1/uploads/01900000-0000-7000-8000-000000000000/content"
NEVER = 1e6


class Jumping(selectors.DefaultSelector):
    """Where nothing happens before a timer ends, it is that time already."""

    now = 1024.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(None if timeout is None else 0)
        self.now += 0 if found or timeout is None else timeout
        return found


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = Jumping()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


def run_jumping(doing: Coroutine[Any, Any, None], module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> float:
    """Seconds that it would have taken."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        time = runner.get_loop().time
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=time))
        begun = time()
        runner.run(doing)
        return time() - begun


Piece = tuple[float, bytes, bool]


@dataclass
class Asked:
    """One request through the intake: who sends what (after how long, bytes, whether more follows), and what came."""

    headers: dict[str, str]
    pieces: Sequence[Piece] = ()
    path: str = "/v1/search"
    refusal: AutriError | None = None
    reads: bool = True
    received: int = 0
    taken: int = 0
    identified: list[str] = field(default_factory=list[str])
    scope: Scope = field(default_factory=dict[str, Any])
    sent: list[Message] = field(default_factory=list[Message])
    refused: HTTPException | None = None
    seconds: float = 0.0

    def run(self, monkeypatch: pytest.MonkeyPatch) -> "Asked":
        raw = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        unlimited = SimpleNamespace(limits=PlanSettings())
        app = SimpleNamespace(state=SimpleNamespace(identify=self._identify, runtime=unlimited))
        self.scope.update({"type": "http", "method": "POST", "path": self.path, "headers": raw, "app": app})
        self.seconds = run_jumping(Intake(self._answer)(self.scope, self._receive, self._send), intake, monkeypatch)
        return self

    @property
    def status(self) -> int:
        return self.refused.status_code if self.refused else 200

    @property
    def closes(self) -> bool:
        """Whether the answer says that the connection ends with it."""
        start, body = self.sent
        assert body == {"type": "http.response.body", "body": b"answer"}
        assert start["headers"][0] == (b"server", b"autri")
        assert start["headers"][1:] in ([], [(b"connection", b"close")])
        return len(start["headers"]) > 1

    def _identify(self, request: Request) -> str:
        self.identified.append(request.url.path)
        if self.refusal:
            raise self.refusal
        return "somebody"

    async def _receive(self) -> Message:
        self.received += 1
        if self.received > len(self.pieces):
            await asyncio.sleep(NEVER)
            return {"type": "http.disconnect"}
        pause, body, more = self.pieces[self.received - 1]
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": body, **({"more_body": True} if more else {})}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            while self.reads:
                message = await receive()
                self.taken += len(message.get("body", b""))
                if not message.get("more_body"):
                    break
        except HTTPException as error:
            self.refused = error
        await send({"type": "http.response.start", "status": 200, "headers": [(b"server", b"autri")]})
        await send({"type": "http.response.body", "body": b"answer"})


@pytest.mark.parametrize(
    ("path", "streamed"),
    [
        (CONTENT, True), ("/v1/uploads/a/content", True), ("/v1/uploads//content", False), ("/v1/search", False),
        (f"{CONTENT}/more", False), (f"/more{CONTENT}", False), ("/v1/uploads/a/b/content", False),
    ],
)  # fmt: skip
def test_only_an_uploads_content_may_be_large(path: str, streamed: bool) -> None:
    assert is_streamed({"path": path}) is streamed


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ({}, None), ({"content-length": ""}, None), ({"content-length": "0"}, 0), ({"content-length": "512"}, 512),
        ({"content-length": "-1"}, None), ({"content-length": "1.5"}, None), ({"content-length": "²"}, None),
        ({"content-length": "x"}, None), ({"content-length": "9" * 19}, 10**19 - 1),
        ({"content-length": "1" + "0" * 19}, None), ({"content-length": "9" * 5000}, None),
    ],
)  # fmt: skip
def test_the_size_that_is_declared(given: dict[str, str], size: int | None) -> None:
    assert declared_size(Headers(given)) == size


CHUNKED = {"Transfer-Encoding": "chunked"}


def declared(size: int) -> dict[str, str]:
    return {"Content-Length": str(size)}


@pytest.mark.parametrize(
    ("path", "limit", "piece"),
    [("/v1/search", 1_000_000, b"x" * 250_000), (CONTENT, 512 * 1024**2, b"x" * 2**22)],
    ids=["json", "upload"],
)
@pytest.mark.parametrize("over", [0, 1])
def test_a_body_may_be_as_large_as_its_limit_and_no_larger(
    monkeypatch: pytest.MonkeyPatch, path: str, limit: int, piece: bytes, over: int
) -> None:
    pieces = [(0.0, piece, True)] * (limit // len(piece)) + [(0.0, b"x" * over, False)]
    told = Asked(declared(limit + over), pieces, path).run(monkeypatch)
    assert (told.status, told.taken) == ((413, 0) if over else (200, limit))
    if over:
        assert (told.received, told.identified) == (0, []), "nothing is read, nobody is asked who it is"
    chunked = Asked(CHUNKED, pieces, path).run(monkeypatch)
    assert (chunked.status, chunked.taken) == (413 if over else 200, limit)


@pytest.mark.parametrize(
    ("refusal", "status", "headers"),
    [
        (NotSignedIn("Who is it?"), 401, {}),
        (TooMany("Later."), 429, {"Retry-After": "5"}),
    ],
)
def test_nothing_is_read_of_whom_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, refusal: AutriError, status: int, headers: dict[str, str]
) -> None:
    for sent in (CHUNKED, declared(1), declared(0) | CHUNKED):
        asked = Asked(sent, [(0, b"x", False)], refusal=refusal, reads=True).run(monkeypatch)
        assert asked.refused is not None
        assert (asked.status, asked.refused.detail, asked.refused.headers) == (status, str(refusal), headers)
        assert (asked.taken, asked.identified) == (0, ["/v1/search"])


def test_who_sends_a_body_is_asked_once_and_kept_beside_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in ({}, {"state": {"request_id": "1"}}):
        asked = Asked(declared(3), [(0, b"x", True)] * 2 + [(0, b"x", False)], scope=dict(known)).run(monkeypatch)
        assert asked.identified == ["/v1/search"]
        assert asked.scope["state"] == {**known.get("state", {}), "identity": "somebody"}


@pytest.mark.parametrize("headers", [{}, declared(0)])
def test_without_a_body_nobody_is_asked_and_the_end_is_waited_for_without_a_limit(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    asked = Asked(headers).run(monkeypatch)
    assert (asked.status, asked.identified, asked.closes) == (200, [], False)
    assert asked.seconds == pytest.approx(NEVER)


RATE = 16 * 1024


@pytest.mark.parametrize(
    ("pieces", "status", "seconds"),
    [
        ([], 408, 20),
        ([(19.9, b"x", False)], 200, 19.9),
        ([(20.1, b"x", False)], 408, 20),
        ([(15, b"x", True), (14.9, b"x", False)], 200, 29.9),
        ([(15, b"x", True), (15.1, b"x", False)], 408, 30),
        ([(9, b"x", True)] * 9, 408, 30),
        ([(19, b"x" * 19 * RATE, True)] * 700 + [(0, b"x", False)], 200, 19 * 700),
        ([(19, b"x" * 19 * (RATE - 16), True)] * 700 + [(0, b"x", False)], 408, 11_300),
    ],
    ids=["silent", "pause", "long pause", "slow", "too slow", "trickle", "steady", "a little slower"],
)
def test_a_body_is_waited_for_while_it_comes_at_a_pace(
    monkeypatch: pytest.MonkeyPatch, pieces: Sequence[Piece], status: int, seconds: float
) -> None:
    asked = Asked(CHUNKED, pieces, CONTENT).run(monkeypatch)
    assert (asked.status, asked.seconds) == (status, pytest.approx(seconds, abs=0.01 if seconds < 1000 else 50))
    assert asked.closes is (status == 408)
    if asked.refused:
        assert "stopped arriving, or came too slowly. Nothing was kept; send it again." in asked.refused.detail


ARRIVES = [(0.5, b"x", True), (0.49, b"", False)]
LATE = [(0.5, b"x", True), (0.6, b"", False)]
BY_AND_BY = [(0.9, b"x", True)] * 5


@pytest.mark.parametrize(
    ("headers", "pieces", "closes", "seconds"),
    [
        ({}, [], False, 0),
        (declared(0), [], False, 0),
        (declared(1), ARRIVES, False, 0.99),
        (declared(1), LATE, True, 1.0),
        (declared(1), BY_AND_BY, True, 1.0),
        (declared(64 * 1024), ARRIVES, False, 0.99),
        (declared(64 * 1024 + 1), ARRIVES, True, 0),
        (declared(1) | {"Expect": "100-continue"}, ARRIVES, True, 0),
        (CHUNKED, ARRIVES, True, 0),
    ],
    ids=["none", "empty", "arrives", "late", "by and by", "small", "large", "asks first", "chunked"],
)
def test_what_is_left_of_a_small_body_is_taken_in_so_that_the_connection_goes_on(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], pieces: Sequence[Piece], closes: bool, seconds: float
) -> None:
    asked = Asked(headers, pieces, reads=False).run(monkeypatch)
    assert (asked.closes, asked.seconds) == (closes, pytest.approx(seconds, abs=0.005))
    assert asked.received == (0 if seconds == 0 else 2)


def test_a_sender_that_is_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect", "more_body": True}

    asked = Asked(declared(1), reads=False)
    monkeypatch.setattr(asked, "_receive", gone)
    assert not asked.run(monkeypatch).closes
    assert asked.seconds == 0


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_what_is_no_request_goes_through_as_it_is(kind: str) -> None:
    given: list[object] = []

    async def app(*arguments: object) -> None:
        given.extend(arguments)

    async def receive() -> Message:
        return {}

    async def send(_: Message) -> None: ...

    scope = {"type": kind}
    asyncio.run(Intake(app)(scope, receive, send))
    assert given == [scope, receive, send]
