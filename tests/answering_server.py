"""A server that gives prepared answers and notes what it was asked."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Prepared = tuple[int, str, bytes]


class AnsweringServer(ThreadingHTTPServer):
    def __init__(self, answers: Sequence[Prepared]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.asked: list[tuple[str, str, bytes]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Any

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline()
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, body))
        self.server.headers.append(dict(self.headers))
        status, kind, content = self.server.answers.pop(0)
        self.send_response(status)
        self.send_header("Location" if status // 100 == 3 else "Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None: ...


@contextmanager
def served(answers: Sequence[Prepared]) -> Generator[AnsweringServer]:
    with AnsweringServer(answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
