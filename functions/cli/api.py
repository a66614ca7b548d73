"""The CLI's access to data: always the `/v1` API, of a running server or inside this process.

Both use the same application, so that the output is the same by construction.
"""

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from functions.cli.channel import NONE, Channel, HttpAnswer
from functions.cli.errors import ApiError
from functions.cli.options import LOGIN, ORGANIZATION
from functions.cli.server import running_server
from shared.errors import Unavailable

if TYPE_CHECKING:
    from functions.cli.heard import Tell
    from functions.cli.http_channel import HttpChannel

IN_PROCESS = "http://127.0.0.1"
# Where `autri serve` listens, if it is not told otherwise.
SERVED = f"{IN_PROCESS}:8000"
PAGE_ITEMS = 500
# A second apart.
READING_TRIES = 120


class ApiClient:
    """`/v1` over a channel, which it closes. Paths are given without that prefix."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._channel.close()

    def call(self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] = NONE, **query: Any) -> Any:
        """The answer's JSON; `headers` are sent beside the channel's own.

        Raises ApiError with the server's message, BadInput for what cannot be sent, Unavailable when no server answers
        or the answer is not Autri's.
        """
        given = {name: value for name, value in query.items() if value is not None}
        return self._answer("application/json", method, path, body, given, headers).json()

    def address_of(self, path: str) -> str:
        """Where a page of the server is opened; on this machine while none runs, where `autri serve` will have it."""
        base = self._channel.base
        return f"{SERVED if base == IN_PROCESS else base}{path}"

    def told(self, path: str, body: Any, tell: "Tell") -> Any:
        """The answer's JSON of a POST that answers by events; each of its steps is told as it comes. Raises as `call`
        does."""
        return checked(self._channel.send_for_events(f"/v1{path}", body, tell)).json()

    def csv(self, path: str, body: Any) -> str:
        """The answer to a POST that is CSV. Raises as `call` does."""
        return self._answer("text/csv", "POST", path, body, {}, NONE).text()

    def markdown(self, path: str) -> str:
        """The answer to a GET that is Markdown. Raises as `call` does."""
        return self._answer("text/markdown", "GET", path, None, {}, NONE).text()

    def file(self, path: str, **query: Any) -> bytes:
        """The answer to a GET that is a file of whatever kind. Raises as `call` does."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._answer("", "GET", path, None, given, NONE).body

    def zipped(self, path: str) -> bytes:
        """The answer to a GET that is a ZIP file. Raises as `call` does."""
        return self._answer("application/zip", "GET", path, None, {}, NONE).body

    def file_for(self, path: str, body: Any) -> bytes:
        """The answer to a POST that is a file. Raises ApiError and Unavailable as `call` does."""
        return checked(self._channel.send("POST", f"/v1{path}", body, {}, NONE)).body

    def _answer(
        self, kind: str, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str]
    ) -> HttpAnswer:
        answer = checked(self._sent(method, path, body, query, headers))
        if answer.is_redirect or not answer.is_of(kind):
            leads = f", which leads to {answer.headers.get('location')}" if answer.is_redirect else ""
            raise Unavailable(f"{self._channel.base} is not an Autri server{leads}. Check the address.")
        return answer

    def _sent(
        self, method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str]
    ) -> HttpAnswer:
        """Asks again while the server reads a large table, some of it with each request."""
        for _ in range(READING_TRIES):
            answer = self._channel.send(method, f"/v1{path}", body, query, headers)
            if answer.status != 503 or not answer.is_of("application/problem+json"):
                break
            if not answer.json()["type"].endswith("still-reading"):
                break
            time.sleep(1)
        return answer

    def items(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """All items of a list, fetched page by page."""
        cursor: str | None = None
        while True:
            page = self.call("GET", path, limit=PAGE_ITEMS, cursor=cursor, **query)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def send_file(self, ticket: dict[str, Any], path: Path) -> None:
        """Send a file as its upload ticket says."""
        checked(self._channel.send_file(ticket, path))


@contextmanager
def open_api(url: str | None, token: str | None, workers: int = 0) -> Generator[ApiClient]:
    """A client of the server at `url`, or of the server running on this machine's data folder; else an application in
    this process, with `workers` for ingestion (0: none runs)."""
    with open_channel(url, token, workers) as channel, ApiClient(channel) as api:
        yield api


@contextmanager
def open_channel(url: str | None, token: str | None, workers: int = 0) -> Generator[Channel]:
    """What `open_api` speaks through; who takes it closes it."""
    if url is not None:
        yield open_server(url, token)
    elif (running := running_server()) is not None:
        from functions.cli.local_channel import LocalChannel

        # The token is for --url and goes nowhere else.
        yield LocalChannel(running, organization=ORGANIZATION.get())
    else:
        with _in_process(workers) as channel:
            yield channel


def open_server(url: str, token: str | None) -> "HttpChannel":
    """A channel to the server at `url`, with the token that is given, else that of `autri login`."""
    from functions.cli.credentials import find_token
    from functions.cli.http_channel import HttpChannel

    return HttpChannel(url, token or find_token(url), organization=ORGANIZATION.get(), login=LOGIN.get())


@contextmanager
def _in_process(workers: int) -> Generator[Channel]:
    from httpx import ASGITransport

    from functions.api.app import create_app
    from functions.api.identity import development_identity
    from functions.cli.http_channel import HttpChannel
    from functions.local import local_store, local_system
    from shared.settings import LocalSettings

    home = LocalSettings().home
    with local_system(home, workers) if workers else local_store(home) as system:
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        yield HttpChannel(IN_PROCESS, transport=ASGITransport(app=app), organization=ORGANIZATION.get())


def checked(answer: HttpAnswer) -> HttpAnswer:
    """Raises ApiError with the server's own message, or just the status where the answer is not Autri's."""
    if answer.status < 400:
        return answer
    if answer.is_of("application/problem+json"):
        raise ApiError(answer.status, answer.json()["detail"])
    if answer.status == 401:
        raise ApiError(
            401,
            "The server does not accept this token. Sign in: autri login. Or give a valid one: --token or AUTRI_TOKEN.",
        )
    raise ApiError(answer.status, f"{answer.host} answered {answer.status} {answer.reason}.")
