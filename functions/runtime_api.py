"""Lambda's Runtime API for a function whose answers leave while they are made; AWS's own client for Python sends an
answer when it is whole.

The protocol is that of custom runtimes, version 2018-06-01: wait for an event, answer it by a POST whose body comes in
chunks, and say in trailers where it broke off.
"""

import asyncio
import base64
import json
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, Final
from urllib.parse import quote

VERSION: Final = "/2018-06-01/runtime"
ERROR_TYPE: Final = "Lambda-Runtime-Function-Error-Type"
ERROR_BODY: Final = "Lambda-Runtime-Function-Error-Body"
# Status and headers of an HTTP answer come first, as JSON; eight zero bytes end them.
HTTP_ANSWER: Final = "application/vnd.awslambda.http-integration-response"
END_OF_HEAD: Final = b"\0" * 8


class RuntimeRefused(Exception):
    """The Runtime API answers what its protocol does not say: this environment is to end."""


@dataclass(frozen=True)
class Invocation:
    """An event, and until when its answer has to be whole (seconds since 1970)."""

    id: str
    event: dict[str, Any]
    deadline: float
    trace: str


class ResponseStream:
    """An answer under way. `gone` is set once nobody takes any more of it; what is written then is dropped."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.gone = asyncio.Event()
        self._reader, self._writer = reader, writer
        self._answered = asyncio.ensure_future(self._listen())

    async def write(self, data: bytes) -> None:
        """One chunk; returns when there is room for the next."""
        if data:
            await self._send(b"%x\r\n%b\r\n" % (len(data), data))

    async def end(self) -> None:
        """The answer is whole. Returns when Lambda has said so too."""
        await self._close(b"0\r\n\r\n")

    async def break_off(self, error: BaseException) -> None:
        """The answer is not whole, and never will be."""
        body = base64.b64encode(json.dumps(described(error)).encode()).decode()
        trailers = f"0\r\n{ERROR_TYPE}: {type(error).__name__}\r\n{ERROR_BODY}: {body}\r\n\r\n"
        await self._close(trailers.encode())

    async def _send(self, data: bytes) -> None:
        if self.gone.is_set():
            return
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError:
            self.gone.set()

    async def _close(self, last: bytes) -> None:
        await self._send(last)
        await self._answered
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _listen(self) -> None:
        """Whatever comes, an answer or the connection's end: nothing more is wanted."""
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await self._reader.readuntil(b"\r\n\r\n")
        self.gone.set()


class RuntimeApi:
    """The API at `address`, host and port. One event at a time."""

    def __init__(self, address: str) -> None:
        self._address = address

    def next(self) -> Invocation:
        """Waits for as long as it takes: Lambda lets the process sleep meanwhile. Raises RuntimeRefused."""
        connection = HTTPConnection(self._address)
        try:
            connection.request("GET", f"{VERSION}/invocation/next")
            answer = connection.getresponse()
            body, headers = answer.read(), answer.headers
        finally:
            connection.close()
        if answer.status != 200:
            raise RuntimeRefused(f"{answer.status} for the next event")
        deadline = int(headers["Lambda-Runtime-Deadline-Ms"]) / 1000
        trace = headers.get("Lambda-Runtime-Trace-Id", "")
        return Invocation(headers["Lambda-Runtime-Aws-Request-Id"], json.loads(body), deadline, trace)

    def answer(self, id_: str, value: dict[str, Any]) -> None:
        """A whole answer, to an event that is no request. Raises RuntimeRefused."""
        self._post(f"/invocation/{quote(id_)}/response", value)

    def fail(self, id_: str, error: BaseException, said: str | None = None) -> None:
        """No answer; `said` tells why, where it holds nothing of anybody's. Raises RuntimeRefused."""
        self._post(f"/invocation/{quote(id_)}/error", described(error) | ({"errorMessage": said} if said else {}))

    def fail_to_start(self, error: BaseException) -> None:
        """No event can be served by this process. Raises RuntimeRefused."""
        self._post("/init/error", described(error))

    async def begin(self, id_: str, head: dict[str, Any]) -> ResponseStream:
        """The stream of an HTTP answer, whose status and headers have been sent."""
        host, _, port = self._address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = (
            f"POST {VERSION}/invocation/{quote(id_)}/response HTTP/1.1",
            f"Host: {self._address}",
            f"Content-Type: {HTTP_ANSWER}",
            "Lambda-Runtime-Function-Response-Mode: streaming",
            "Transfer-Encoding: chunked",
            f"Trailer: {ERROR_TYPE}, {ERROR_BODY}",
        )
        writer.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        stream = ResponseStream(reader, writer)
        await stream.write(json.dumps(head).encode() + END_OF_HEAD)
        return stream

    def _post(self, path: str, value: dict[str, Any]) -> None:
        connection = HTTPConnection(self._address)
        headers = {"Content-Type": "application/json"}
        if "errorType" in value:
            headers[ERROR_TYPE] = str(value["errorType"])
        try:
            connection.request("POST", VERSION + path, json.dumps(value), headers)
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        if answer.status != 202:
            raise RuntimeRefused(f"{answer.status} for {path}")


def described(error: BaseException) -> dict[str, Any]:
    """What it was, and not what it says: that may quote a document."""
    name = type(error).__name__
    return {"errorMessage": name, "errorType": name, "stackTrace": []}
