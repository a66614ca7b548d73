"""A server that speaks Bedrock's wire format for Titan embeddings and Converse, throttling included."""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import numpy as np

from tests.aws.converse import FakeConverse

TITAN = "amazon.titan-embed-text-v2:0"
ALLOWED_DIMENSIONS = {256, 512, 1024}


@dataclass
class FakeBedrock:
    """Where it listens, and what it was asked. `throttle_every`: each n-th call is refused once; 0 for none."""

    url: str = ""
    throttle_every: int = 0
    refuse_everything: bool = False
    calls: int = 0
    throttled: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    converse: FakeConverse = field(default_factory=FakeConverse)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, str, dict[str, Any]]:
        """Status, AWS error type ('' for none), JSON body."""
        if path.endswith("/converse"):
            return self.converse.answer(body)
        with self.lock:
            self.calls += 1
            if self.throttle_every and self.calls % self.throttle_every == 0:
                self.throttled += 1
                return 429, "ThrottlingException", {"message": "Too many requests, please wait."}
            self.bodies.append(body)
        if unquote(path) != f"/model/{TITAN}/invoke":
            return 404, "ResourceNotFoundException", {"message": f"No such model: {unquote(path)}"}
        if self.refuse_everything or not body.get("inputText") or body.get("dimensions") not in ALLOWED_DIMENSIONS:
            return 400, "ValidationException", {"message": "inputText or dimensions is not valid."}
        text = str(body["inputText"])
        return 200, "", {"embedding": embed(text, int(body["dimensions"])), "inputTextTokenCount": len(text.split())}


def embed(text: str, dimensions: int) -> list[float]:
    """Texts that share words have near vectors: each word adds a direction of its own. Not of length 1."""
    total = np.full(dimensions, 1e-3)
    for word in text.lower().split():
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(dimensions)
    return [float(value) for value in total]


@contextmanager
def running_bedrock(throttle_every: int = 0) -> Generator[FakeBedrock]:
    """The server on a free loopback port, until the context ends."""
    bedrock = FakeBedrock(throttle_every=throttle_every)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, error, answer = bedrock.answer(self.path, body)
            payload = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            if error:
                self.send_header("x-amzn-ErrorType", error)
            self.end_headers()
            self.wfile.write(payload)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Silent: the test looks at `calls`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    bedrock.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield bedrock
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
