"""A real server on a free loopback port, with the samples ingested, in this process. They are ingested once per run."""

import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.http_server import server_config
from functions.local import System, local_system
from functions.samples import build_samples
from shared.library.documents import list_documents
from tests.homes import copy_home
from tests.once import made_once
from tests.patience import PATIENCE_S

UNDER_WAY = {"queued", "running"}


@contextmanager
def serve_samples(home: Path) -> Generator[str]:
    """The server's address; every sample is ready. `home` is made."""
    copy_home(made_once("samples", _ingest), home)
    with local_system(home, workers=2) as system:
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        with serving(app) as url:
            yield url


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Generator[str]:
    """`app` under uvicorn in a thread, on a free port or this one, until the context ends."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        server = uvicorn.Server(server_config(app, "127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="live-server")
        thread.start()
        try:
            _wait_until_started(server)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _ingest(home: Path) -> None:
    with local_system(home, workers=2) as system:
        build_samples(system.runtime, system.identity, system.home / "samples-built")
        _wait_until_ready(system)


def _wait_until_started(server: uvicorn.Server) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)


def _wait_until_ready(system: System) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found = list_documents(system.runtime, system.identity)
        if not any(document.status in UNDER_WAY for document in found):
            break
        assert time.monotonic() < deadline, "the samples were not ingested in time"
        time.sleep(0.2)
    assert found
    assert {document.status for document in found} == {"ready"}
