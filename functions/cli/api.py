"""The CLI's access to data: always the `/v1` API, of a running server or inside this process.

Both use the same application, so that the output is the same by construction.
"""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from functions.cli.errors import ApiError
from functions.cli.server import running_server
from shared.errors import BadInput, Unavailable

IN_PROCESS = "http://127.0.0.1"
TIMEOUT = httpx.Timeout(30.0, read=600.0)
PIECE_BYTES = 1 << 20
PAGE_ITEMS = 500


class ApiClient:
    """A connection to `/v1`. Paths are given without that prefix."""

    def __init__(self, base: str, token: str | None = None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._base = base.rstrip("/")
        try:
            self._http = httpx.AsyncClient(base_url=self._base, headers=headers, transport=transport, timeout=TIMEOUT)
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInput(f"{base} or the token cannot be used: {error}.") from error
        self._runner = asyncio.Runner()
        # The file may go to another server's storage, which must never get the token.
        self._storage = httpx.AsyncClient(timeout=TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for client in (self._http, self._storage):
            self._runner.run(client.aclose())
        self._runner.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The answer's JSON.

        Raises ApiError with the server's message, BadInput for what cannot be sent, Unavailable when no server answers
        or the answer is not Autri's.
        """
        given = {name: value for name, value in query.items() if value is not None}
        answer = self._send(self._http, method, f"/v1{path}", json=body, params=given)
        if answer.is_redirect or not answer.headers.get("content-type", "").startswith("application/json"):
            leads = f", which leads to {answer.headers.get('location')}" if answer.is_redirect else ""
            raise Unavailable(f"{self._base} is not an Autri server{leads}. Check the address.")
        return answer.json()

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
        """Send a file as its upload ticket says: a PUT, or a form with the ticket's fields (S3)."""
        client = self._http if ticket["url"].startswith("/") else self._storage
        if ticket["fields"]:
            with path.open("rb") as file:
                form: dict[str, Any] = {"data": ticket["fields"], "files": {"file": (path.name, file)}}
                self._send(client, ticket["method"], ticket["url"], **form)
            return
        headers = ticket["headers"] | {"Content-Length": str(path.stat().st_size)}
        self._send(client, ticket["method"], ticket["url"], content=_pieces(path), headers=headers)

    def _send(self, client: httpx.AsyncClient, method: str, url: str, **options: Any) -> httpx.Response:
        try:
            request = client.build_request(method, url, **options)
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInput(f"This cannot be sent: {error}.") from error
        try:
            answer = self._runner.run(client.send(request))
        except httpx.TransportError as error:
            raise Unavailable(f"No answer from {self._base} ({error}). Check the address and that it runs.") from error
        if answer.is_error:
            raise _to_error(answer)
        return answer


@contextmanager
def open_api(url: str | None, token: str | None, workers: int = 0) -> Generator[ApiClient]:
    """A client of the server at `url`, or of the server running on this machine's data folder; else an application in
    this process, with `workers` for ingestion (0: none runs)."""
    if url is None:
        # The token is sent to --url and nowhere else.
        url, token = running_server(), None
    if url is not None:
        with ApiClient(url, token) as api:
            yield api
        return
    with _in_process(workers) as transport, ApiClient(IN_PROCESS, transport=transport) as api:
        yield api


@contextmanager
def _in_process(workers: int) -> Generator[httpx.ASGITransport]:
    from functions.api.app import create_app
    from functions.api.identity import development_identity
    from functions.local import local_store, local_system
    from shared.settings import LocalSettings

    home = LocalSettings().home
    with local_system(home, workers) if workers else local_store(home) as system:
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        yield httpx.ASGITransport(app=app)


def _to_error(answer: httpx.Response) -> ApiError:
    """The server's own message, or just the status where the answer is not Autri's."""
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        return ApiError(answer.status_code, answer.json()["detail"])
    if answer.status_code == 401:
        return ApiError(401, "The server does not accept this token. Give a valid one with --token or AUTRI_TOKEN.")
    return ApiError(answer.status_code, f"{answer.url.host} answered {answer.status_code} {answer.reason_phrase}.")


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
