"""A server at any address, or an application inside this process, by httpx: TLS, proxies, uploads in pieces."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx

from functions.cli.channel import HttpAnswer, asking_for, refused, unanswered
from shared.errors import BadInput, Unavailable

TIMEOUT = httpx.Timeout(30.0, read=600.0)
PIECE_BYTES = 1 << 20


class HttpChannel:
    def __init__(
        self,
        base: str,
        token: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        organization: str | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= asking_for(organization)
        self.base = base.rstrip("/")
        try:
            self._http = httpx.AsyncClient(base_url=self.base, headers=headers, transport=transport, timeout=TIMEOUT)
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

    def send(self, method: str, path: str, body: Any, query: Mapping[str, Any]) -> HttpAnswer:
        return self._send(self._http, method, path, json=body, params=query)

    def send_file(self, ticket: Mapping[str, Any], path: Path) -> HttpAnswer:
        client = self._http if ticket["url"].startswith("/") else self._storage
        if ticket["fields"]:
            with path.open("rb") as file:
                form: dict[str, Any] = {"data": ticket["fields"], "files": {"file": (path.name, file)}}
                return self._send(client, ticket["method"], ticket["url"], **form)
        headers = ticket["headers"] | {"Content-Length": str(path.stat().st_size)}
        return self._send(client, ticket["method"], ticket["url"], content=_pieces(path), headers=headers)

    def _send(self, client: httpx.AsyncClient, method: str, url: str, **options: Any) -> HttpAnswer:
        try:
            request = client.build_request(method, url, **options)
        except (httpx.InvalidURL, ValueError) as error:
            raise BadInput(refused(error)) from error
        try:
            said = self._runner.run(client.send(request))
        except httpx.TransportError as error:
            raise Unavailable(unanswered(self.base, error)) from error
        return HttpAnswer(said.url.host, said.status_code, said.reason_phrase, dict(said.headers), said.content)


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
