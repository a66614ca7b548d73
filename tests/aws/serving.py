"""Servers on a free loopback port, that answer as AWS's services do."""

import json
import ssl
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Path, headers and body to status, further headers and body: JSON, or parts that are sent as they are made.
Body = dict[str, Any] | Iterator[bytes]
Answering = Callable[[str, Message, dict[str, Any]], tuple[int, dict[str, str], Body]]


class Silent(BaseHTTPRequestHandler):
    """A handler that writes no log: the test looks at what was asked."""

    # Head and body of an answer are two writes: with Nagle's algorithm the second waits 40 ms for the first's receipt.
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing."""


class _Server(ThreadingHTTPServer):
    """A browser opens more connections at once than 5, and some before it has anything to say."""

    request_queue_size = 64
    daemon_threads = True


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None) -> Generator[str]:
    """The server's URL, until the context ends."""
    server = _Server(("127.0.0.1", 0), handler)
    if tls is not None:
        # The handshake is that of a connection's own thread: here the next connection would wait for it.
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving_json(answer: Answering) -> Generator[str]:
    """A server that takes JSON and answers it: its URL, until the context ends."""

    class Handler(Silent):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, answered = answer(self.path, self.headers, body)
            if isinstance(answered, Iterator):
                return self._stream(status, headers, answered)
            payload = json.dumps(answered).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(payload)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)
            return None

        def _stream(self, status: int, headers: dict[str, str], parts: Iterator[bytes]) -> None:
            """In chunks; parts that end by an error end the connection in the middle."""
            self.send_response(status)
            for name, value in {"Transfer-Encoding": "chunked", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for part in parts:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                self.close_connection = True

    with serving(Handler) as url:
        yield url


def certified(name: x509.DNSName | x509.IPAddress, file: Path) -> ssl.SSLContext:
    """Serves by a certificate for this name that vouches for itself; `file` has it and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, str(name.value))])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        subject, subject, key.public_key(), x509.random_serial_number(), now, now + timedelta(1)
    )
    names = x509.SubjectAlternativeName([name])
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    plain = serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
