"""Identifiers: UUIDv7 (RFC 9562), so that rows sort by the time they were made."""

import os
import threading
import time
from contextvars import ContextVar
from uuid import UUID

# Of the request that is being served: from the edge into logs and traces, without a parameter on every way.
REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)

_lock = threading.Lock()
_latest = 0


def new_id() -> UUID:
    """A UUIDv7: 60 bits of time in 1/4,096 ms since 1970 (RFC 9562, 6.2, method 3), the version and variant between
    them, then 62 random bits. Greater than every id that this process has made before."""
    ticks = _next_tick()
    value = (ticks >> 12) << 80 | 0x7 << 76 | (ticks & 0xFFF) << 64
    return UUID(int=value | 0x2 << 62 | int.from_bytes(os.urandom(8), "big") >> 2)


def _next_tick() -> int:
    global _latest
    with _lock:
        _latest = max(_latest + 1, time.time_ns() * 4096 // 1_000_000)
        return _latest
