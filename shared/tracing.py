"""Spans of a request, down to its SQL statements, for AWS X-Ray.

A span is one datagram of JSON to the daemon that Lambda runs beside each function (X-Ray segment documents), so this
needs neither the X-Ray SDK nor OpenTelemetry's, which would be 3 and 9 MB in every layer. Off where no daemon is named
by `AWS_XRAY_DAEMON_ADDRESS`, as on one machine. Names say which route, stage or statement it was: never its text, its
parameters or anything of a tenant's.
"""

import json
import os
import secrets
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

DAEMON: Final = "AWS_XRAY_DAEMON_ADDRESS"
# Lambda's own: `Root=1-…;Parent=…;Sampled=1`.
HEADER: Final = "_X_AMZN_TRACE_ID"
PROTOCOL: Final = b'{"format": "json", "version": 1}\n'
# A stage may send thousands of statements; the first ones show where its time goes.
SPANS_MAX: Final = 200


@dataclass
class Span:
    """One that is open. `name` may be set until it ends; `annotations` are indexed by X-Ray."""

    name: str
    trace: str
    id: str
    parent: str | None
    budget: list[int]
    annotations: dict[str, Any] = field(default_factory=dict[str, Any])


_current: ContextVar[Span | None] = ContextVar("span", default=None)


def is_open() -> bool:
    """Whether a span is open that others may be part of."""
    return _current.get() is not None


@contextmanager
def traced(name: str) -> Generator[Span | None]:
    """The span of a whole request or stage: below Lambda's own where that is sampled, else the first of its trace. None
    where nobody listens."""
    root = _root(name)
    if root is None:
        yield None
        return
    with _open(root):
        yield root


@contextmanager
def span(name: str, **more: Any) -> Generator[Span | None]:
    """Part of the one that is open; nothing where none is. `more` are fields of the document, as `namespace`."""
    above = _current.get()
    if above is None or above.budget[0] <= 0:
        yield None
        return
    above.budget[0] -= 1
    own = Span(name, above.trace, secrets.token_hex(8), above.id, above.budget)
    with _open(own, **more):
        yield own


def _root(name: str) -> Span | None:
    if not os.environ.get(DAEMON):
        return None
    parts = (part.partition("=") for part in os.environ.get(HEADER, "").split(";"))
    given = {name: value for name, _, value in parts}
    if given.get("Sampled") == "0":
        return None
    trace = given.get("Root") or f"1-{int(time.time()):08x}-{secrets.token_hex(12)}"
    return Span(name, trace, secrets.token_hex(8), given.get("Parent"), [SPANS_MAX])


@contextmanager
def _open(own: Span, **more: Any) -> Generator[None]:
    token, started, fault = _current.set(own), time.time(), True
    try:
        yield
        fault = False
    finally:
        _current.reset(token)
        _send(own, started, {"fault": True, **more} if fault else more)


def _send(own: Span, started: float, more: dict[str, Any]) -> None:
    """Best effort, as X-Ray is: a span that is lost loses nothing else."""
    below = {} if own.parent is None else {"parent_id": own.parent, "type": "subsegment"}
    document = {
        "name": own.name[:200],
        "id": own.id,
        "trace_id": own.trace,
        "start_time": started,
        "end_time": time.time(),
        **below,
        **({"annotations": own.annotations} if own.annotations else {}),
        **more,
    }
    host, _, port = os.environ.get(DAEMON, "").rpartition(":")
    with suppress(OSError, ValueError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(PROTOCOL + json.dumps(document).encode(), (host, int(port)))
