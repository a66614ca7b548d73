"""The server that runs on this machine's data, by the standard library: to load httpx takes longer than the call."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from socket import SHUT_RDWR, socket
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from functions.cli.channel import ASKING_FOR_EVENTS, NONE, HttpAnswer, asking_for, refused, unanswered
from shared.domain.listening import listening
from shared.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from functions.cli.heard import Tell
    from functions.cli.http_channel import HttpChannel

CONNECT_S = 30.0
READ_S = 600.0


class LocalChannel:
    """A connection per request: to this machine it costs less than to ask whether the last one is still open."""

    concurrent = True

    def __init__(self, base: str, organization: str | None = None) -> None:
        self.base = base.rstrip("/")
        self._organization = organization
        parts = urlsplit(self.base)
        self._host, self._port = parts.hostname or "", parts.port

    @cached_property
    def _for_files(self) -> "HttpChannel":
        from functions.cli.http_channel import HttpChannel

        return HttpChannel(self.base, organization=self._organization)

    def close(self) -> None:
        if "_for_files" in self.__dict__:
            self._for_files.close()

    def send(
        self, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str] = NONE
    ) -> HttpAnswer:
        return self._sent(method, path, body, query, headers, self._read)

    def send_for_events(
        self, path: str, body: Any, tell: "Tell", headers: Mapping[str, str] = ASKING_FOR_EVENTS
    ) -> HttpAnswer:
        from functions.cli.heard import TYPE, HeardEvents

        def listen(said: HTTPResponse) -> HttpAnswer:
            if not (said.getheader("Content-Type") or "").startswith(TYPE):
                return self._read(said)
            heard = HeardEvents(tell)
            for line in said:
                heard.hear(line.decode().rstrip("\r\n"))
            return heard.answer(self._host)

        return self._sent("POST", path, body, {}, headers, listen)

    def _sent(
        self,
        method: str,
        path: str,
        body: Any,
        query: Mapping[str, Any],
        headers: Mapping[str, str],
        read: Callable[[HTTPResponse], HttpAnswer],
    ) -> HttpAnswer:
        try:
            target, content = _target(path, query), _content(body)
        except ValueError as error:
            raise BadInput(refused(error)) from error
        connection = HTTPConnection(self._host, self._port, timeout=CONNECT_S)
        try:
            connection.connect()
            with listening().ending(partial(_hang_up, connection.sock)):
                return read(self._exchange(connection, method, target, content, headers))
        except (OSError, HTTPException) as error:
            raise Unavailable(unanswered(self.base, error)) from error
        finally:
            connection.close()

    def send_file(self, ticket: Mapping[str, Any], path: Path) -> HttpAnswer:
        return self._for_files.send_file(ticket, path)

    def _exchange(
        self, connection: HTTPConnection, method: str, target: str, content: bytes | None, more: Mapping[str, str]
    ) -> HTTPResponse:
        connection.sock.settimeout(READ_S)
        headers = {"Connection": "close"} | ({} if content is None else {"Content-Type": "application/json"})
        headers |= asking_for(self._organization) | dict(more)
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before the body was taken: the answer says why
            connection.request(method, target, content, headers)
        return connection.getresponse()

    def _read(self, said: HTTPResponse) -> HttpAnswer:
        named = {name.lower(): value for name, value in said.getheaders()}
        return HttpAnswer(self._host, said.status, said.reason, named, said.read())


def _hang_up(connected: socket) -> None:
    """From another thread than the one that reads, whose read ends with that."""
    with suppress(OSError):
        connected.shutdown(SHUT_RDWR)


def _target(path: str, query: Mapping[str, Any]) -> str:
    """The path with its query, each character that has no place in a URL escaped."""
    flat = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
    asked = urlencode(flat, doseq=True)
    return quote(path, safe="/%:@!$&'()*+,;=~") + (f"?{asked}" if asked else "")


def _content(body: Any) -> bytes | None:
    if body is None:
        return None
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
