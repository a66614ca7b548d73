"""IAM between the handlers and the emulator: a proxy that decides every call by the role of its access key.

What a policy does not allow is answered as AWS answers it, and kept. What is allowed goes on and is kept as well, so
that a run shows afterwards which permissions it used.
"""

import http.client
import json
import re
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode, urlsplit

from tests.aws.iam.access import Access
from tests.aws.iam.calls import Call, permissions_of, read_call
from tests.aws.iam.policies import Request
from tests.aws.serving import Silent, serving
from tests.patience import PATIENCE_S

# Said by proxies about their own connection.
HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "expect", "host", "content-length"}


@dataclass
class Guard:
    """`access` gives the policies as far as the deployment has come; `upstreams` are URLs by service, "" for others.

    To ask the emulator how far that is costs a hundred times what a call does. It is asked for each role's first call,
    as what its policies name is there before it, and before anything is denied.

    While `aged` is set, S3's lists say that objects are that much older than they are.
    """

    access: Callable[[], Access]
    upstreams: Mapping[str, str]
    url: str = ""
    aged: timedelta = timedelta(0)
    allowed: set[Request] = field(default_factory=set[Request])
    denied: list[Request] = field(default_factory=list[Request])
    _known: dict[str, Access] = field(default_factory=dict[str, Access])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refused(self, call: Call) -> Request | None:
        """The first permission that the caller lacks; what it has is kept."""
        return self._lacking(call, lambda access: self.requests_of(call, access))

    def settle(self) -> None:
        """The deployment stands: from now on policies are as they are now."""
        access = self.access()
        self.access = lambda: access
        self._known.clear()

    def _lacking(self, call: Call, asking: Callable[[Access], list[Request]]) -> Request | None:
        signer = call.signed_by["key"] if call.signed_by else ""
        access = self._known.get(signer) or self.access()
        asked = asking(access)
        lacking = access.denied(asked)
        if lacking and (newer := self.access()) is not access:
            access, asked = newer, asking(newer)
            lacking = access.denied(asked)
        self._known[signer] = access
        self._keep([request for request in asked if request not in lacking], lacking)
        return lacking[0] if lacking else None

    def requests_of(self, call: Call, access: Access) -> list[Request]:
        signed = call.signed_by
        if signed is None:
            return [Request("nobody", f"{call.method} {call.path}", "*")]
        names = access.names
        role = access.roles.get(signed["key"], signed["key"])
        told = [("aws:SecureTransport", "true")]
        if signed["service"] == "s3":
            told.append(("s3:authType", call.signed_in))
        return [
            request
            for one in permissions_of(call, signed["service"], names.region, names.account)
            for request in access.with_key_use(Request(role, one.action, one.resource, (*one.context, *told)), one.key)
        ]

    def hidden(self, call: Call, status: int) -> Request | None:
        """S3 tells nobody that an object is missing who may not list its bucket."""
        if status != 404 or call.method not in ("GET", "HEAD"):
            return None

        def listing(access: Access) -> list[Request]:
            asked = self.requests_of(call, access)[0]
            bucket = asked.resource.partition("/")[0]
            reads = asked.action.startswith("s3:GetObject")
            return [Request(asked.principal, "s3:ListBucket", bucket, asked.context)] if reads else []

        return self._lacking(call, listing)

    def upstream_of(self, call: Call) -> str:
        service = call.signed_by["service"] if call.signed_by else ""
        return self.upstreams.get(service, self.upstreams[""])

    def age(self, body: bytes) -> bytes:
        def earlier(found: re.Match[bytes]) -> bytes:
            moment = datetime.fromisoformat(found[0].decode()) - self.aged
            return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()

        return re.sub(rb"(?<=<LastModified>)[^<]+", earlier, body) if self.aged else body

    def _keep(self, allowed: list[Request], denied: list[Request]) -> None:
        with self._lock:
            self.allowed.update(allowed)
            self.denied.extend(denied)


class _Proxy(Silent):
    """Sends what the guard allows on to its upstream."""

    guard: Guard
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # noqa: N802 a name that http.server looks for
        call = read_call(self.command, self.path, dict(self.headers.items()), self._body())
        lacking = self.guard.refused(call)
        if lacking is None:
            answered = self._forward(self.guard.upstream_of(call), call)
            lacking = self.guard.hidden(call, answered[0])
            if lacking is None:
                self._answer(*answered)
                return
        self._answer(*denial(lacking, call))

    def do_OPTIONS(self) -> None:  # noqa: N802 the same
        """A browser asks before it sends to another origin; nobody signs that."""
        call = read_call(self.command, self.path, dict(self.headers.items()), b"")
        self._answer(*self._forward(self.guard.upstreams[""], call))

    do_PUT = do_POST = do_DELETE = do_HEAD = do_GET  # noqa: N815 names that http.server looks for

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _forward(self, upstream: str, call: Call) -> tuple[int, list[tuple[str, str]], bytes]:
        parts = urlsplit(upstream)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_HEADERS}
        target = self.path
        if "X-Amz-Credential" in call.query:
            # The emulator looks up the key of a signed URL, and knows none of ours.
            target, headers["Authorization"] = unsigned(call)
        try:
            length = {"Content-Length": str(len(call.body))}
            connection.request(self.command, target, call.body or None, headers | length)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), self.guard.age(answer.read())
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        told = {name.lower(): value for name, value in headers}.get("content-length", "0")
        length = told if self.command == "HEAD" else str(len(body))
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP_HEADERS | {"date", "server"}:
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def running_guard(guard: Guard) -> Generator[Guard]:
    """The guard on a free loopback port, until the context ends."""
    with serving(type("Proxy", (_Proxy,), {"guard": guard})) as guard.url:
        yield guard


def unsigned(call: Call) -> tuple[str, str]:
    """A signed URL's target without its signature, and a header that names the same signer."""
    kept = {name: value for name, value in call.query.items() if not name.startswith("X-Amz-")}
    return f"{quote(call.path)}?{urlencode(kept)}", f"AWS4-HMAC-SHA256 Credential={call.query['X-Amz-Credential']}"


def denial(request: Request, call: Call) -> tuple[int, list[tuple[str, str]], bytes]:
    """S3 answers in XML and with 403, the JSON services with 400 and a type."""
    message = f"{request.principal} is not authorized to perform: {request.action} on resource: {request.resource}"
    if call.signed_by is None or call.signed_by["service"] == "s3":
        text = f"<Error><Code>AccessDenied</Code><Message>{message}</Message></Error>"
        return 403, [("Content-Type", "application/xml")], text.encode()
    body = json.dumps({"__type": "AccessDeniedException", "message": message}).encode()
    kind = [("Content-Type", "application/x-amz-json-1.1"), ("x-amzn-ErrorType", "AccessDeniedException")]
    return 400, kind, body
