"""httpx reads the certificates of all authorities for each client, and for each request without one: 25 ms of a core or
more, and most speak no TLS. A process of the tests reads them once."""

import os
import ssl
from functools import cache
from typing import Any

import certifi

USUAL = os.environ.get("SSL_CERT_FILE") or certifi.where()
_make = ssl.create_default_context


@cache
def _usual() -> ssl.SSLContext:
    return _make(cafile=USUAL)


def _made_once(*purpose: ssl.Purpose, **trusted: Any) -> ssl.SSLContext:
    return _usual() if not purpose and trusted == {"cafile": USUAL} else _make(*purpose, **trusted)


def read_authorities_once() -> None:
    """From now on, in this process; whoever trusts others, or names a purpose, gets a context of their own."""
    ssl.create_default_context = _made_once
