"""A server at any address, or an application inside this process, by httpx: TLS, proxies, uploads in pieces.

A server elsewhere is asked again as the Python client does it, by the client's own rules.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO
from uuid import uuid4

import httpx

from functions.cli.channel import ASKING_FOR_EVENTS, NONE, HttpAnswer, asking_for, refused, unanswered
from functions.cli.heard import TYPE, HeardEvents, Tell
from functions.cli.output import err, print_note
from shared.errors import BadInput, Unavailable

TIMEOUT = httpx.Timeout(30.0, read=600.0)
# A whole organization is written, or read back, before the server answers.
LONG = httpx.Timeout(30.0, read=6 * 3600.0)
PIECE_BYTES = 1 << 20
CLIENT = Path(__file__).parents[2] / "clients" / "python" / "src"
# After a try whose answer was lost: the file has arrived.
TAKEN = frozenset({409})
# Seconds: a longer wait is said in a pipe too.
SILENT_S = 2.0


class HttpChannel:
    """One request after the other: they share a loop, which runs in whichever thread sends."""

    concurrent = False

    def __init__(
        self,
        base: str,
        token: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        organization: str | None = None,
        login: tuple[str, str] | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= asking_for(organization)
        self.base = base.rstrip("/")
        self._elsewhere = transport is None
        try:
            self._http = httpx.AsyncClient(
                base_url=self.base, headers=headers, transport=transport, timeout=TIMEOUT, auth=login
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInput(f"{base} or the token cannot be used: {error}.") from error
        self._runner = asyncio.Runner()

    @cached_property
    def _storage(self) -> httpx.AsyncClient:
        """Storage elsewhere gets the file and never the token."""
        return httpx.AsyncClient(timeout=TIMEOUT)

    def close(self) -> None:
        self._runner.run(self._http.aclose())
        if "_storage" in self.__dict__:
            self._runner.run(self._storage.aclose())
        self._runner.close()

    def send(
        self, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str] = NONE
    ) -> HttpAnswer:
        own = {} if method == "GET" else {"Idempotency-Key": str(uuid4())}
        return self._tried(
            self._http,
            lambda: self._http.build_request(method, path, json=body, params=query, headers=own | dict(headers)),
            repeatable=method == "GET",
        )

    def send_for_events(
        self, path: str, body: Any, tell: Tell, headers: Mapping[str, str] = ASKING_FOR_EVENTS
    ) -> HttpAnswer:
        """Asked again where it was not begun; not where a client of MCP waits, which asks again itself."""
        pauses = _Pauses(repeatable=False) if self._elsewhere and headers is ASKING_FOR_EVENTS else None
        while True:
            heard = HeardEvents(tell)
            try:
                said, answer = self._runner.run(self._listen(path, body, headers, heard))
            except ValueError as error:
                raise BadInput(refused(error)) from error
            except httpx.TransportError as error:
                if pauses is None or not pauses.after_none(error):
                    raise Unavailable(unanswered(self.base, error)) from error
                continue
            if said is None or said.is_success or pauses is None or not pauses.after(said):
                return answer

    async def _listen(
        self, path: str, body: Any, headers: Mapping[str, str], heard: HeardEvents
    ) -> tuple[httpx.Response | None, HttpAnswer]:
        """(what was said where it was no events, the answer)."""
        async with self._http.stream("POST", path, json=body, headers=dict(headers)) as said:
            if not said.headers.get("content-type", "").startswith(TYPE):
                await said.aread()
                return said, _answer(said)
            async for line in said.aiter_lines():
                heard.hear(line)
            return None, heard.answer(said.url.host)

    def send_file(self, ticket: Mapping[str, Any], path: Path) -> HttpAnswer:
        client = self._http if ticket["url"].startswith("/") else self._storage
        method, url = ticket["method"], ticket["url"]
        if ticket["fields"]:
            with path.open("rb") as file:
                form: dict[str, Any] = {"data": ticket["fields"], "files": {"file": (path.name, file)}}
                return self._tried(
                    client, lambda: client.build_request(method, url, **form), repeatable=True, taken=TAKEN
                )
        headers = ticket["headers"] | {"Content-Length": str(path.stat().st_size)}
        return self._tried(
            client,
            lambda: client.build_request(method, url, content=_pieces(path), headers=headers),
            repeatable=True,
            taken=TAKEN,
        )

    def receive_file(self, path: str, target: BinaryIO) -> HttpAnswer:
        """The answer; the body of a good one is written to `target`. It begins when the server has made the file."""

        async def receive() -> HttpAnswer:
            async with self._http.stream("GET", path, timeout=LONG) as said:
                if said.is_success:
                    async for piece in said.aiter_bytes(PIECE_BYTES):
                        target.write(piece)
                body = b"" if said.is_success else await said.aread()
                return HttpAnswer(said.url.host, said.status_code, said.reason_phrase, dict(said.headers), body)

        try:
            return self._runner.run(receive())
        except httpx.TransportError as error:
            raise Unavailable(unanswered(self.base, error)) from error

    def post_file(self, path: str, file: Path, query: Mapping[str, Any]) -> HttpAnswer:
        """Sends the file as the request's body; the answer comes when the server is done with it."""
        headers = {"Content-Length": str(file.stat().st_size), "Content-Type": "application/octet-stream"}
        return self._tried(
            self._http,
            lambda: self._http.build_request(
                "POST", path, content=_pieces(file), headers=headers, params=query, timeout=LONG
            ),
            repeatable=False,
        )

    def _tried(
        self,
        client: httpx.AsyncClient,
        make: Callable[[], httpx.Request],
        *,
        repeatable: bool,
        taken: frozenset[int] = frozenset(),
    ) -> HttpAnswer:
        """The answer of the last try. `repeatable`: it may be sent again although it may have been done. After a try
        whose answer was lost, one of `taken` says that it has arrived."""
        pauses = _Pauses(repeatable) if self._elsewhere else None
        while True:
            try:
                request = make()
            except (httpx.InvalidURL, ValueError) as error:
                raise BadInput(refused(error)) from error
            try:
                said = self._runner.run(client.send(request))
            except httpx.TransportError as error:
                if pauses is None or not pauses.after_none(error):
                    raise Unavailable(unanswered(self.base, error)) from error
                continue
            if pauses is not None and pauses.lost and said.status_code in taken:
                return replace(_answer(said), status=httpx.codes.OK)
            if said.status_code < httpx.codes.BAD_REQUEST or pauses is None or not pauses.after(said):
                return _answer(said)


def client_rules() -> ModuleType:
    """The Python client's rules of asking again. It lies beside this program, where a checkout that was set up before
    there was a client does not look."""
    try:
        return import_module("autri.wire")
    except ModuleNotFoundError:
        sys.path.append(str(CLIENT))
    try:
        return import_module("autri.wire")
    except ModuleNotFoundError:
        raise Unavailable(
            "The server is busy, and what says when to ask it again is missing here: make setup"
        ) from None


def _answer(said: httpx.Response) -> HttpAnswer:
    return HttpAnswer(said.url.host, said.status_code, said.reason_phrase, dict(said.headers), said.content)


class _Pauses:
    """Waits before a request is sent again, by the rules of the Python client; loaded where the first try failed.
    `lost`: after a try that may have been done all the same."""

    def __init__(self, repeatable: bool) -> None:
        self.lost = False
        self._repeatable = repeatable
        self._planned: Iterator[float] | None = None

    def after(self, said: httpx.Response) -> bool:
        """Whether to try again, after the wait."""
        rules = client_rules()
        self.lost = self.lost or said.status_code in rules.LOST
        planned = self._next()
        wait = None if planned is None else rules.worth_waiting(said, planned, self._repeatable)
        return wait is not None and self._wait(wait)

    def after_none(self, error: httpx.TransportError) -> bool:
        """The same, of a request without an answer."""
        self.lost = True
        # A server that says nothing for as long as that does not on the next try either.
        wait = None if isinstance(error, httpx.ReadTimeout) else self._next()
        return wait is not None and client_rules().worth_sending_again(error, self._repeatable) and self._wait(wait)

    def _next(self) -> float | None:
        self._planned = self._planned or client_rules().waits()
        return next(self._planned, None)

    def _wait(self, seconds: float) -> bool:
        if seconds >= SILENT_S or err.is_terminal:
            print_note(f"The server is busy; asking again in {seconds:.{0 if seconds >= SILENT_S else 1}f} s.")
        time.sleep(seconds)
        return True


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
