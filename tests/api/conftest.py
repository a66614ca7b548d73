"""The application over the module's database, clients that speak to it as different people, and command lines."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.cli.main import call
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api import one_loop
from tests.api.described import check_described, document_of
from tests.api.signing import BASE, SignedIn, cloud_requests
from tests.conftest import NOT_DURABLE
from tests.homes import new_home, share_models

__all__ = ["BASE"]
Run = Callable[..., "Outcome"]


class Client:
    """Requests to an application in this process, by the name of their method."""

    def __init__(self, app: FastAPI, peer: str = "127.0.0.1") -> None:
        self._app, self._peer = app, peer

    def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        return one_loop.run(self._send(method, path, options))

    async def _send(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(app=self._app, client=(self._peer, 40000), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            answer = await client.request(method, path, **options)
        check_described(self._app, method, path, answer)
        return answer

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self("POST", path, **options)

    def put(self, path: str, **options: Any) -> httpx.Response:
        return self("PUT", path, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return self("DELETE", path, **options)


@pytest.fixture(scope="module")
def app(runtime: Runtime) -> FastAPI:
    """As served on one machine."""
    made = create_app(runtime, development_identity(runtime), local=True)
    made.openapi_schema = document_of(True, runtime)
    return made


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Client:
    """The local developer."""
    return Client(app)


@pytest.fixture(scope="module")
def client_of(runtime: Runtime) -> Callable[[Identity], Client]:
    """A client for anybody: who asks is decided before the application sees the request."""
    return lambda identity: Client(create_app(runtime, lambda _: identity, local=True))


@pytest.fixture
def signed_in(runtime: Runtime) -> SignedIn:
    return cloud_requests(runtime)


class Outcome:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture(scope="module")
def home(test_home: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Data of this module's own, as a new user has it; the models are shared. Its database stays open meanwhile: each
    command would start and stop it."""
    folder = test_home / request.module.__name__.rpartition("test_")[2]
    new_home(folder)
    share_models(test_home, folder)
    with EmbeddedPostgres(folder / "postgres", NOT_DURABLE):
        yield folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process, on this machine's data."""
    monkeypatch.setenv("AUTRI_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")

    def run_line(*arguments: str) -> Outcome:
        capfd.readouterr()
        code = call([*arguments])
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run_line
