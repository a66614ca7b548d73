"""Addresses of web pages, in one spelling each."""

from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

from shared.errors import BadInput

MAX_LENGTH: Final = 1_000
_PORTS: Final = {"http": 80, "https": 443}
_KEPT: Final = "/%:@!$&'()*+,;=~-._"


def normal_address(url: str) -> str:
    """The address without fragment and with the host in ASCII. Raises BadInput for one that is no web page's, or tells
    a password."""
    text = "".join(url.split())
    try:
        parts = urlsplit(text)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii").rstrip(".").lower()
    except ValueError as error:
        raise BadInput(f"{url[:100]!r} is no address of a web page ({error}).") from error
    if parts.scheme.lower() not in _PORTS or not host:
        raise BadInput(f"{url[:100]!r} is no address of a web page. It begins with https:// or http:// and a host.")
    if parts.username is not None or parts.password is not None:
        raise BadInput("The address tells a name or password, which would be stored. Give it without.")
    if not text.isprintable() or "\\" in text or len(text) > MAX_LENGTH:
        raise BadInput(
            f"The address has a backslash or characters that nobody sees, or more than {MAX_LENGTH} letters."
        )
    shown = f"[{host}]" if ":" in host else host
    place = shown if port in (None, _PORTS[parts.scheme.lower()]) else f"{shown}:{port}"
    path, query = quote(parts.path or "/", safe=_KEPT), quote(parts.query, safe=_KEPT + "?")
    return urlunsplit((parts.scheme.lower(), place, path, query, ""))


def shown_address(url: str) -> str:
    """As a document is called by it."""
    return url.partition("://")[2].rstrip("/")
