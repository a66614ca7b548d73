"""A web server of a test's own, on this machine: what it answers is said address by address."""

import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Site:
    """Its pages by path, what it was asked, and what was posted to it: answered by 204, or first by `failing`."""

    port: int
    scheme: str = "http"
    pages: dict[str, Answer | Callable[[Any], None]] = field(default_factory=dict[str, Any])
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[Any])
    posted: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list[Any])
    failing: list[int] = field(default_factory=list[int])

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def put(self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8", **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (200, {"Content-Type": kind, **named}, data)

    def lead(self, path: str, to: str, status: int = 302) -> None:
        self.pages[path] = (status, {"Location": to}, b"")


@contextmanager
def running_site(tls: ssl.SSLContext | None = None) -> Generator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers)))
            said = site.pages.get(self.path, (404, {}, b"none"))
            with suppress(BrokenPipeError, ConnectionResetError):
                if callable(said):
                    said(self)
                else:
                    _say(self, said)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            site.posted.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(site.failing.pop(0) if site.failing else 204)
            self.end_headers()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    site = Site(server.server_port, "https" if tls else "http")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _say(handler: BaseHTTPRequestHandler, said: Answer) -> None:
    status, headers, body = said
    etag = headers.get("ETag")
    if etag and handler.headers.get("If-None-Match") == etag:
        status, body = 304, b""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    if "Content-Length" not in headers:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
