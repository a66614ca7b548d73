"""`autri import` of an archive that is larger than one request."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from functions.cli.commands import archive
from functions.cli.main import app

JOB = "01900000-0000-7000-8000-000000000000"
PART = 4


class _Deployment(ThreadingHTTPServer):
    """Takes parts of an archive. Addresses are good for one attempt; the first attempts at a part fail so often."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.failing: dict[int, int] = {}
        self.placed, self.used, self.parts = 0, set[str](), dict[int, bytes]()
        self.sent: list[str] = []

    def answer(self, path: str, body: bytes) -> Any:
        job = {"id": JOB, "status": "waiting", "progress": 0, "error": None}
        if path.endswith("/parts"):
            self.placed += 1
            here = f"http://127.0.0.1:{self.server_port}"
            return {"urls": [f"{here}/store/{n}/{self.placed}" for n in json.loads(body)["numbers"]]}
        if path.endswith("/sent"):
            self.sent = json.loads(body)["tags"]
            return job | {"status": "ready", "knowledge_bases": []}
        return job | {"upload": {"parts": 3, "part_bytes": PART}}

    def take(self, path: str, body: bytes) -> int:
        number = int(path.split("/")[2])
        if path in self.used:
            return 403
        self.used.add(path)
        if self.failing.get(number, 0) > 0:
            self.failing[number] -= 1
            return 503
        self.parts[number] = body
        return 200


class _Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self) -> None:
        self._say(200, json.dumps(self.server.answer(self.path, self._body())).encode())

    def do_PUT(self) -> None:
        self._say(self.server.take(self.path, self._body()), b"", self.path.split("/")[2])

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None: ...

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _say(self, status: int, content: bytes, tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f"tag-{tag}")
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Deployment]:
    monkeypatch.setattr(archive, "POLL_S", 0)
    with _Deployment() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def send(deployment: _Deployment, tmp_path: Path) -> Any:
    file = tmp_path / "a.zip"
    file.write_bytes(b"abcdefghij")
    url = f"http://127.0.0.1:{deployment.server_port}"
    return CliRunner().invoke(app, ["import", str(file), "--url", url, "--token", "x", "--json"])


def test_a_part_that_does_not_arrive_is_sent_again_to_an_address_of_its_own(
    deployment: _Deployment, tmp_path: Path
) -> None:
    deployment.failing = {2: archive.ATTEMPTS - 1}
    answer = send(deployment, tmp_path)
    assert answer.exit_code == 0, answer.output
    assert deployment.parts == {1: b"abcd", 2: b"efgh", 3: b"ij"}
    assert deployment.sent == ["tag-1", "tag-2", "tag-3"]


def test_a_part_that_never_arrives_ends_the_import_and_says_so(deployment: _Deployment, tmp_path: Path) -> None:
    deployment.failing = {2: archive.ATTEMPTS}
    answer = send(deployment, tmp_path)
    assert answer.exit_code != 0
    assert deployment.sent == []
    assert "The archive could not be sent" in str(answer.exception) + answer.output
