"""Fetches web pages that people name, without becoming a way into our own networks.

A name is resolved once and every one of its addresses has to be public; the connection goes to that address and no
other, so that a name which answers otherwise a moment later gains nothing. Each redirect is checked like the first
address.
"""

import hashlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from email.message import Message
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from shared.domain.fetched import Fetched, PostAnswer
from shared.errors import BadInput, Unavailable
from shared.values.web_addresses import normal_address

PORTS: Final = {"http": 80, "https": 443}
MAX_REDIRECTS: Final = 5
MAX_BYTES: Final = 64 * 1024**2
TOTAL_S: Final = 45.0
SILENT_S: Final = 10.0
# For an answer to what is posted, however steadily it trickles.
POST_S: Final = 10.0
PIECE_BYTES: Final = 64 * 1024
AGENT: Final = "Autri/0.1 (knowledge base; follows robots.txt)"
POST_AGENT: Final = "Autri/0.1 (webhooks)"
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# Networks that the standard library takes for public, or that carry an address of version 4 inside.
_NOT_PUBLIC: Final = tuple(
    map(
        ipaddress.ip_network,
        ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
_VERSION_6: Final = ipaddress.IPv6Network("2000::/3")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], list[str]]


class Host(NamedTuple):
    """Where a request goes: the name that it is for, and the address that was checked."""

    scheme: str
    name: str
    port: int
    address: str


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet. What carries an address of version 4 inside is not: who knows
    where it is unpacked."""
    try:
        address: Address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.version == 6 and address not in _VERSION_6:
        return False
    if any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def resolve(name: str, port: int) -> list[str]:
    """All addresses of a name, by the machine's resolver."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class WebFetcher:
    """Fetches within bounds. `allowed` are `host:port` of an operator's own network, which may be asked too."""

    def __init__(
        self, allowed: Collection[str] = (), resolve_name: Resolve = resolve, total_s: float = TOTAL_S
    ) -> None:
        self._allowed, self._resolve, self._total_s = frozenset(allowed), resolve_name, total_s

    def __call__(
        self, url: str, target: Path, *, etag: str | None = None, modified: str | None = None, limit: int = MAX_BYTES
    ) -> Fetched:
        """Writes the body of the last answer to `target`, unpacked. Raises BadInput for what may not be asked or is too
        large, Unavailable where nobody answers in time."""
        asked = {"If-None-Match": etag, "If-Modified-Since": modified}
        conditions = {name: value for name, value in asked.items() if value}
        ends = time.monotonic() + self._total_s
        for _ in range(MAX_REDIRECTS + 1):
            url = normal_address(url)
            host = self.check(url)
            left_s = ends - time.monotonic()
            if left_s <= 0:
                raise Unavailable(f"{url} does not answer in time, after what led to it. Try again.")
            found = self._ask(url, host, conditions, target, limit, left_s)
            if isinstance(found, Fetched):
                return found
            url, conditions = found, {}
        raise BadInput(f"{url} is redirected more than {MAX_REDIRECTS} times. Give the address that it ends at.")

    def check(self, url: str) -> Host:
        """Where a normal address leads. Raises BadInput where it may not be asked, Unavailable for an unknown name."""
        parts = urlsplit(url)
        name, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        is_allowed = f"{name}:{port}" in self._allowed
        if port not in PORTS.values() and not is_allowed:
            raise BadInput(f"{url} names the port {port}; web pages are fetched from 80 and 443 alone.")
        try:
            found = self._resolve(name, port)
        except (OSError, UnicodeError, ValueError) as error:
            raise Unavailable(f"There is no host {name}, or the DNS does not answer ({error}).") from error
        if not found or (not is_allowed and not all(map(is_public, found))):
            raise BadInput(f"{name} is no host of the public internet. Nothing was asked of it.")
        return Host(parts.scheme, name, port, found[0])

    def _ask(
        self, url: str, host: Host, conditions: Mapping[str, str], target: Path, limit: int, left_s: float
    ) -> Fetched | str:
        """The answer, or where it leads. `left_s` are the seconds that are left of the time for all redirects."""
        headers = {"Accept-Encoding": "gzip", "Accept": "*/*"} | dict(conditions)
        with _asked(url, host, "GET", headers, None, left_s) as (connection, answer):
            if answer.status in _REDIRECTS and (leads := answer.headers.get("Location")):
                return urljoin(url, leads)
            found = _taken(url, answer, target, limit)
            if connection.is_aborted:
                # A body without a length looks whole wherever it ends.
                raise TimeoutError
            return found


# More than a date has.
RETRY_AFTER_CHARACTERS: Final = 64


class WebPoster:
    """A `Poster` by the same guard: https alone, but for `allowed`, which are `host:port` of an operator's own network.
    An attempt takes `total_s` seconds at most, the answer's head included; its body is not read."""

    def __init__(self, allowed: Collection[str] = (), resolve_name: Resolve = resolve, total_s: float = POST_S) -> None:
        self._allowed, self._total_s = frozenset(allowed), total_s
        self._guard = WebFetcher(allowed, resolve_name)

    def check(self, url: str) -> str:
        """The address in its one spelling; a name is looked up when it is posted to."""
        return _posted_address(url, self._allowed)

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostAnswer:
        url = self.check(url)
        host = self._guard.check(url)
        sent = {**headers, "User-Agent": POST_AGENT, "Content-Length": str(len(body)), "Accept-Encoding": "identity"}
        with _asked(url, host, "POST", sent, body, self._total_s) as (_, answer):
            return PostAnswer(answer.status, (answer.getheader("Retry-After") or "")[:RETRY_AFTER_CHARACTERS] or None)


def _posted_address(url: str, allowed: Collection[str]) -> str:
    url = normal_address(url)
    parts = urlsplit(url)
    name, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    if f"{name}:{port}" in allowed:
        return url
    if parts.scheme != "https" or port != PORTS["https"]:
        raise BadInput(f"{url} is not told anything: a webhook's address begins with https:// and has no port.")
    with suppress(ValueError):
        if not is_public(str(ipaddress.ip_address(name))):
            raise BadInput(f"{name} is no host of the public internet. Nothing is sent there.")
    return url


@contextmanager
def _asked(
    url: str, host: Host, method: str, headers: Mapping[str, str], body: bytes | None, left_s: float
) -> Generator["tuple[_Pinned, http.client.HTTPResponse]"]:
    """The answer's head, from the address that was checked. Raises Unavailable where nothing whole comes within
    `left_s` seconds; what is read of the body within counts."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _Pinned(host)
    overdue = threading.Timer(left_s, connection.abort)
    overdue.daemon = True
    overdue.start()
    always = {"Host": parts.netloc, "User-Agent": AGENT, "Connection": "close"}
    try:
        with closing(connection):
            connection.request(method, path, body, headers=always | dict(headers))
            yield connection, connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"{url} does not answer, or not in time ({type(error).__name__}). Try again.") from error
    finally:
        overdue.cancel()


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was checked, whatever the name means by now."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.name, host.port, timeout=SILENT_S)
        self._pinned = host
        self._channel: socket.socket | None = None
        self.is_aborted = False

    def connect(self) -> None:
        channel = socket.create_connection((self._pinned.address, self._pinned.port), timeout=SILENT_S)
        if self._pinned.scheme == "https":
            context = ssl.create_default_context()
            channel = context.wrap_socket(channel, server_hostname=self._pinned.name, do_handshake_on_connect=False)
        self.sock = self._channel = channel
        if self.is_aborted:
            # The time was over before there was anything to shut down.
            raise TimeoutError
        if isinstance(channel, ssl.SSLSocket):
            channel.do_handshake()

    def abort(self) -> None:
        """Ends what takes too long, however steadily it trickles. The connection forgets its socket with the head of
        the answer."""
        self.is_aborted = True
        if self._channel is not None:
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)


def _taken(url: str, answer: http.client.HTTPResponse, target: Path, limit: int) -> Fetched:
    headers: Message = answer.headers
    declared = headers.get("Content-Length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise BadInput(f"{url} has more than {limit // 1024**2} MB. Save it and upload the part that is needed.")
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as written:
        for piece in _unpacked(url, answer, headers.get("Content-Encoding", "identity").strip().lower()):
            size += len(piece)
            if size > limit:
                raise BadInput(
                    f"{url} has more than {limit // 1024**2} MB. Save it and upload the part that is needed."
                )
            digest.update(piece)
            written.write(piece)
    return Fetched(
        url=url,
        status=answer.status,
        content_type=headers.get_content_type() if "Content-Type" in headers else None,
        charset=headers.get_content_charset(),
        size=size,
        sha256=digest.hexdigest(),
        etag=headers.get("ETag"),
        modified=headers.get("Last-Modified"),
        retry_after=headers.get("Retry-After"),
    )


def _unpacked(url: str, answer: http.client.HTTPResponse, encoding: str) -> Iterator[bytes]:
    """The body's pieces, none much larger than what arrived at once, however well it is packed."""
    if encoding not in ("identity", "gzip", "x-gzip", ""):
        raise BadInput(f"{url} is packed as {encoding}, which was not asked for.")
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in encoding else None
    while piece := answer.read(PIECE_BYTES):
        if unpack is None:
            yield piece
            continue
        try:
            while piece:
                yield unpack.decompress(piece, PIECE_BYTES)
                piece = unpack.unconsumed_tail
        except zlib.error as error:
            raise Unavailable(f"{url} arrived damaged. Try again.") from error
    if answer.length:
        raise Unavailable(f"{url} arrived cut off. Try again.")
