"""Limits the number of concurrent uploads, as each takes a thread and a file, however slow its sender is."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID

from shared.errors import TooMany, Unavailable

PER_PROCESS = 16
PER_USER = 8
# How long to wait for another upload to end; nothing of the new one is read until then.
PATIENCE_S = 5.0
LOOK_S = 0.05


class UploadSlots:
    """Counts the open uploads of this process, in total and by user."""

    def __init__(self) -> None:
        self._open: Counter[UUID] = Counter()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def one(self, user: UUID) -> AsyncGenerator[None]:
        """A slot for one upload of `user`. Raises TooMany or Unavailable when none becomes free in time."""
        deadline = time.monotonic() + PATIENCE_S
        while not self._take(user):
            if time.monotonic() > deadline:
                raise self._refusal(user)
            await asyncio.sleep(LOOK_S)
        try:
            yield
        finally:
            with self._lock:
                self._open[user] -= 1

    def _take(self, user: UUID) -> bool:
        with self._lock:
            free = self._open.total() < PER_PROCESS and self._open[user] < PER_USER
            self._open[user] += free
            return free

    def _refusal(self, user: UUID) -> Unavailable | TooMany:
        if self._open[user] >= PER_USER:
            return TooMany(f"You are sending {PER_USER} files already. Send this one when one of them has arrived.")
        return Unavailable("Too many files are arriving at once. Send this one again in a few seconds.")
