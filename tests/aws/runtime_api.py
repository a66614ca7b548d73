"""Lambda's Runtime API, as a process in an execution environment meets it: chunks are passed on as they come."""

import base64
import json
import queue
import socket
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from tests.aws.serving import Silent, serving
from tests.patience import PATIENCE_S

END_OF_HEAD = b"\0" * 8
WAITS_S = 0.05
ERROR_TYPE, ERROR_BODY = "lambda-runtime-function-error-type", "lambda-runtime-function-error-body"


@dataclass
class Delivery:
    """One event under way, and what came back: `head` and `read` of an HTTP answer, or `answer` of any other."""

    event: dict[str, Any]
    deadline_ms: int
    id: str = field(default_factory=lambda: str(uuid4()))
    parts: "queue.Queue[bytes | None]" = field(default_factory=lambda: queue.Queue[bytes | None]())
    headers: dict[str, str] = field(default_factory=dict[str, str])
    trailers: dict[str, str] = field(default_factory=dict[str, str])
    error: dict[str, Any] | None = None
    answer: dict[str, Any] | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    connection: socket.socket | None = None
    _rest: bytes = b""

    def head(self) -> dict[str, Any]:
        """Status and headers; raises AssertionError where the function fails before."""
        gathered = b""
        while END_OF_HEAD not in gathered:
            part = self.parts.get(timeout=PATIENCE_S)
            assert part is not None, f"no answer: {self.error}"
            gathered += part
        head, _, self._rest = gathered.partition(END_OF_HEAD)
        return json.loads(head)

    def read(self) -> Iterator[bytes]:
        """The body behind the head, chunk by chunk."""
        if self._rest:
            yield self._rest
        while (part := self.parts.get(timeout=PATIENCE_S)) is not None:
            yield part

    def broken_off(self) -> dict[str, Any] | None:
        """What the trailers say; None where the answer is whole."""
        assert self.ended.wait(PATIENCE_S)
        if ERROR_TYPE not in self.trailers:
            return None
        said = json.loads(base64.b64decode(self.trailers[ERROR_BODY]))
        assert said["errorType"] == self.trailers[ERROR_TYPE]
        return said

    def hang_up(self) -> None:
        """Nobody takes any more of the answer."""
        assert self.connection is not None
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


@dataclass
class FakeRuntimeApi:
    """Its `address`, what waits to be fetched, and how starting failed."""

    address: str = ""
    asked: threading.Event = field(default_factory=threading.Event)
    init_error: dict[str, Any] | None = None
    closing: bool = False
    waiting: "queue.Queue[Delivery]" = field(default_factory=lambda: queue.Queue[Delivery]())
    under_way: dict[str, Delivery] = field(default_factory=dict[str, Delivery])

    def invoke(self, event: dict[str, Any], seconds: float = PATIENCE_S) -> Delivery:
        delivery = Delivery(event, int(1000 * (time.time() + seconds)))
        self.under_way[delivery.id] = delivery
        self.waiting.put(delivery)
        return delivery


@contextmanager
def running_runtime_api() -> Generator[FakeRuntimeApi]:
    """The API on a free loopback port, until the context ends."""
    api = FakeRuntimeApi()

    class Handler(Silent):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 a name that http.server looks for
            assert self.path == "/2018-06-01/runtime/invocation/next"
            api.asked.set()
            while not api.closing:
                with suppress(queue.Empty):
                    return self._deliver(api.waiting.get(timeout=WAITS_S))
            return self._say(500)

        def do_POST(self) -> None:  # noqa: N802 a name that http.server looks for
            *_, id_, kind = self.path.removeprefix("/2018-06-01/runtime/").split("/")
            if (id_, kind) == ("init", "error"):
                api.init_error = json.loads(self._whole())
                return self._say(202)
            delivery = api.under_way.pop(id_, None)
            if delivery is None:
                return self._say(400)
            delivery.headers = {name.lower(): value for name, value in self.headers.items()}
            if kind == "error":
                delivery.error = json.loads(self._whole())
            elif "lambda-runtime-function-response-mode" in delivery.headers:
                try:
                    self._stream(delivery)
                except (OSError, ValueError):
                    self.close_connection = True
                    return None
                finally:
                    delivery.parts.put(None)
                    delivery.ended.set()
                return self._say(202)
            else:
                delivery.answer = json.loads(self._whole())
            delivery.parts.put(None)
            delivery.ended.set()
            return self._say(202)

        def _deliver(self, delivery: Delivery) -> None:
            body = json.dumps(delivery.event).encode()
            self.send_response(200)
            self.send_header("Lambda-Runtime-Aws-Request-Id", delivery.id)
            self.send_header("Lambda-Runtime-Deadline-Ms", str(delivery.deadline_ms))
            self.send_header("Lambda-Runtime-Trace-Id", f"Root=1-0-{delivery.id};Sampled=0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, delivery: Delivery) -> None:
            assert delivery.headers["transfer-encoding"] == "chunked"
            delivery.connection = self.connection
            while size := int(self.rfile.readline(), 16):
                part = self.rfile.read(size)
                assert len(part) == size
                assert self.rfile.readline() == b"\r\n"
                delivery.parts.put(part)
            announced = {name.strip().lower() for name in delivery.headers["trailer"].split(",")}
            while line := self.rfile.readline().strip().decode():
                name, _, value = line.partition(":")
                assert name.lower() in announced
                delivery.trailers[name.lower()] = value.strip()

        def _whole(self) -> bytes:
            return self.rfile.read(int(self.headers["Content-Length"]))

        def _say(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as url:
        api.address = urlsplit(url).netloc
        try:
            yield api
        finally:
            api.closing = True
