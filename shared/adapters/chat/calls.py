"""Calls a model over HTTP whose reply is a stream of server-sent events; tried again until something is heard."""

import json
import random
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import httpx

from shared.adapters.arguments import read_arguments as read_arguments
from shared.domain.listening import listening
from shared.errors import BadInput, Unavailable

ATTEMPTS: Final = 4
# Full jitter: a wait between 0 and `min(LONGEST_WAIT_S, FIRST_WAIT_S * 2^n)` seconds.
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 8.0
CONNECT_TIMEOUT_S: Final = 5.0
# A try with less than this left is not begun.
LEAST_LEFT_S: Final = 0.5
# 529: Anthropic is overloaded.
RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
NOT_ALLOWED: Final = frozenset({401, 403})
NO_CREDIT: Final = ("insufficient_quota", "credit balance is too low")
# What was told is longer than a model's context, in the words of OpenAI, llama.cpp and vLLM.
NO_ROOM: Final = ("context_length_exceeded", "context size", "context length")
PRINTED_CHARACTERS: Final = 300
# A line of a stream, and what is read of a refusal: a server that sends more is none of those that are known.
BYTES_MAX: Final = 4_000_000

Json = dict[str, Any]


class RefusedRequest(BadInput):
    """The service refuses the request as it is (status 400, 404, 422); `said` is what it says."""

    def __init__(self, text: str, said: str, status: int) -> None:
        super().__init__(text)
        self.said, self.status = said, status


@dataclass(frozen=True)
class ChatEndpoint:
    """Where a model is called. `service` and `key_name` are its names in messages: OpenAI, OPENAI_API_KEY."""

    service: str
    url: str
    model: str
    headers: Mapping[str, str]
    key_name: str
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def stream(self, body: Json, deadline: float) -> Generator[Iterator[Json]]:
        """The events' data as they come. Raises RefusedRequest, BadInput and Unavailable, each saying what to do; and
        HungUp as soon as nobody waits for them, also while the service is silent."""
        line = _Line()
        with httpx.Client(verify=_trusted()) as client, listening().ending(line.cut):
            response = self._open(client, body, deadline, line)
            try:
                yield self._events(response, deadline)
            except httpx.TransportError as error:
                listening().check()
                raise self._failed(str(error) or type(error).__name__, deadline) from error
            finally:
                response.close()

    def _open(self, client: httpx.Client, body: Json, deadline: float, line: "_Line") -> httpx.Response:
        for attempt in range(1, ATTEMPTS + 1):
            listening().check()
            try:
                response = self._send(client, body, deadline, line)
            except httpx.TransportError as error:
                said, asked = str(error) or type(error).__name__, ""
            else:
                if response.status_code == httpx.codes.OK:
                    return response
                said = said_by(response)
                asked = response.headers.get("Retry-After", "")
                self._check(response.status_code, said)
            listening().check()
            wait = float(asked) if asked.isdigit() else self._jitter(attempt)
            if attempt == ATTEMPTS or time.monotonic() + wait + LEAST_LEFT_S > deadline:
                raise self._failed(said, deadline)
            self.sleep(wait)
        raise AssertionError("every try returns or raises")

    def _send(self, client: httpx.Client, body: Json, deadline: float, line: "_Line") -> httpx.Response:
        left = deadline - time.monotonic()
        if left < LEAST_LEFT_S:
            raise self._late()
        timeout = httpx.Timeout(left, connect=min(CONNECT_TIMEOUT_S, left))
        try:
            request = client.build_request(
                "POST", self.url, json=body, headers=dict(self.headers), timeout=timeout,
                extensions={"trace": line.trace},
            )  # fmt: skip
            return client.send(request, stream=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise BadInput(f"The model's address cannot be called: {self.url} ({error}).") from error

    def _jitter(self, attempt: int) -> float:
        return random.uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1)))  # noqa: S311  # no secret

    def _check(self, status: int, said: str) -> None:
        """Raises BadInput unless trying again may help."""
        if any(words in said for words in NO_CREDIT):
            raise BadInput(f"{self.service} says that no credit is left ({said}). Add some, then ask again.")
        if status in RETRIED:
            return
        if status in NOT_ALLOWED:
            raise BadInput(
                f"{self.service} does not accept {self.key_name} ({said}). Set one that may use {self.model}."
            )
        if any(words in said for words in NO_ROOM):
            raise RefusedRequest(
                f"The model {self.model} reads at once less than it was told ({said}). Give it a longer context, as by"
                " llama-server --ctx-size 16384, or OLLAMA_CONTEXT_LENGTH=16384.",
                said,
                status,
            )
        raise RefusedRequest(
            f"{self.service} refuses the model {self.model}, or what it was asked: {said}. Check the model's name.",
            said,
            status,
        )

    def _failed(self, said: str, deadline: float) -> Unavailable:
        """A service that still reads or writes when the time is up is there: it is slow."""
        return self._late() if time.monotonic() >= deadline else self._unavailable(said)

    def _late(self) -> Unavailable:
        return Unavailable(
            f"{self.service} at {self.url} has not finished in the time that the model {self.model} was given. Nothing"
            " is lost; ask again, choose a faster model, or, on one machine, give it more: AUTRI_ANSWER_SECONDS=600."
        )

    def _unavailable(self, said: str) -> Unavailable:
        return Unavailable(
            f"{self.service} does not answer at {self.url}: {said}. Nothing is lost; see that it runs at"
            " this address, then ask again."
        )

    def _events(self, response: httpx.Response, deadline: float) -> Iterator[Json]:
        for data in sse_data(self._lines(response, deadline)):
            if data == "[DONE]":
                return
            try:
                event: Any = json.loads(data)
            except ValueError as error:
                raise self._unavailable(f"an event is no JSON ({data[:60]!r})") from error
            if not isinstance(event, dict):
                raise self._unavailable(f"an event is no object ({data[:60]!r})")
            if event.get("error"):
                raise self._unavailable(_message(event, data))
            yield event

    def _lines(self, response: httpx.Response, deadline: float) -> Iterator[str]:
        """Reading has a time-out for every part alone, so a reply that trickles is ended here."""
        read = 0
        for line in response.iter_lines():
            listening().check()
            read += len(line)
            if time.monotonic() > deadline:
                raise self._late()
            if read > BYTES_MAX:
                raise self._unavailable("the reply has no end")
            yield line
        listening().check()


class _Line:
    """The connection of one call, which another thread can cut: a read that waits for a silent service ends then."""

    def __init__(self) -> None:
        self._socket: Any = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """For httpx's extension of this name, which tells each connection that is made."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")

    def cut(self) -> None:
        if self._socket is not None:
            # Of the plain class: that of TLS takes its state away under the read.
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@cache
def _trusted() -> ssl.SSLContext:
    """Read once: it takes 20 ms, a third of what a call costs us."""
    return httpx.create_ssl_context()


def sse_data(lines: Iterable[str]) -> Iterator[str]:
    """The data of server-sent events (WHATWG HTML 9.2): comments and other fields are left out."""
    data = list[str]()
    for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def said_by(response: httpx.Response) -> str:
    """`429, Rate limit reached`; the message alone where services wrap it."""
    try:
        text = response.read()[:BYTES_MAX].decode(errors="replace")
    except httpx.TransportError as error:
        text = str(error)
    try:
        body: Any = json.loads(text)
        text = _message(body, text)
    except ValueError:
        pass
    return f"{response.status_code}, {' '.join(text.split())[:PRINTED_CHARACTERS].rstrip('.')}"


def _message(body: Any, otherwise: str) -> str:
    error: Any = body.get("error", body.get("detail")) if isinstance(body, dict) else None
    if isinstance(error, dict):
        code = error.get("code") or error.get("type")
        return f"{error.get('message', error)}{f' ({code})' if code else ''}"
    return str(error) if error else otherwise
