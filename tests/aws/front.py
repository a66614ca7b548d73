"""CloudFront as browsers meet it: TLS under the distribution's name, before the deployed HTTP API, and before what is
streamed.

What it caches and compresses is not imitated.
"""

import http.client
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from cryptography import x509

from tests.aws.customer import bucket_of
from tests.aws.serving import Silent, certified, serving
from tests.aws.streams import Streams, at_the_edge, running_streams
from tests.aws.system import System
from tests.patience import PATIENCE_S

# Said by proxies about their own connection.
HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "host", "content-length", "date", "server"}
# A page asks for several things at once, and each that finds no free environment has one of the API started for it:
# seconds of a core each, for what two show as well.
AT_ONCE = 2


@dataclass(frozen=True)
class Front:
    """`origin` is what people open; it is served on `port` of this machine."""

    origin: str
    port: int

    def client(self, accept: str = "text/html") -> httpx.Client:
        """A browser without a person: it keeps no cookies and follows nothing by itself."""
        headers = {"Host": urlsplit(self.origin).netloc, "Accept": accept}
        base = f"https://127.0.0.1:{self.port}"
        return httpx.Client(base_url=base, headers=headers, verify=False, timeout=PATIENCE_S)  # noqa: S501 its own certificate


@contextmanager
def front_of(system: System) -> Generator[Front]:
    """The deployment's own address, until the context ends."""
    origin, api = system.deployed.output("Url"), system.deployed.only("AWS::ApiGatewayV2::Api")
    bucket = bucket_of(system, "StaticFiles")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_streams(system, Path(folder)) as streams,
        running_front(urlsplit(origin).netloc, system.emulator.url, api, bucket, Path(folder), streams) as port,
    ):
        yield Front(origin, port)


@contextmanager
def running_front(
    host: str, emulator: str, api: str, bucket: str, folder: Path, streams: Streams | None = None
) -> Generator[int]:
    """The port on which `host` is served, by the API `api` and the `bucket` of static files in the emulator, and by
    `streams`."""
    upstream, free = urlsplit(emulator), threading.BoundedSemaphore(AT_ONCE)

    class Front(Silent):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 a name that http.server looks for
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection(upstream.hostname or "", upstream.port, timeout=PATIENCE_S)
            sent = {name: value for name, value in self.headers.items() if name.lower() not in HOP_HEADERS}
            if streams is not None and streams.takes(self.path):
                return self._stream(streams, sent, body)
            static = self.path.startswith("/static/")
            own = {"X-Forwarded-Proto": "https"} | ({} if static else {"Host": f"{api}.execute-api.{upstream.netloc}"})
            target = f"/{bucket}{self.path}" if static else self.path
            try:
                own["Content-Length"] = str(len(body))
                try:
                    with nullcontext() if static else free:
                        connection.request(self.command, target, body or None, sent | own)
                        answer = connection.getresponse()
                        status, headers, content = answer.status, answer.getheaders(), answer.read()
                except (OSError, http.client.HTTPException) as error:
                    # Not by silence: a test shall be able to tell what went wrong.
                    status, headers, content = 504, [], f"{self.command} {target}: {error!r}".encode()
                self._answer(status, headers, content)
            except OSError:
                # The browser has gone on to another page, or the test has ended.
                self.close_connection = True
            finally:
                connection.close()
            return None

        do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 names that http.server looks for

        def _stream(self, streams: Streams, sent: dict[str, str], body: bytes) -> None:
            """Part by part. Who hangs up is noticed where the next part is written."""
            own = {"Host": f"streams.execute-api.{upstream.netloc}", "X-Forwarded-Proto": "https"}
            try:
                with streams.asked(self.command, self.path, sent | own, body) as answer:
                    self.send_response(answer.status)
                    for name, value in at_the_edge(self.path, answer.headers):
                        if name not in HOP_HEADERS:
                            self.send_header(name, value)
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    for part in answer.parts:
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                    self.wfile.write(b"0\r\n\r\n")
            except OSError:
                self.close_connection = True

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in HOP_HEADERS:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    file = folder / "front.pem"
    with serving(Front, certified(x509.DNSName(host), file)) as url:
        yield urlsplit(url).port or 0
