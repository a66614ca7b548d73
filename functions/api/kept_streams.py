"""Streams of events that are kept in this process for a short time, so that whoever lost the connection reads on."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID, uuid4

from shared.domain.listening import Listening
from shared.domain.scope import Identity
from shared.errors import NoLonger

HEARTBEAT_S: Final = 10.0
# How long work goes on while nobody reads: a page that is loaded again is back by then.
GRACE_S: Final = 10.0
# How long a stream is kept behind its end.
KEPT_S: Final = 120.0
KEPT_MAX: Final = 100
KEPT_OF_ONE: Final = 8
KEPT_BYTES: Final = 64_000_000


class StreamOwner(NamedTuple):
    """Who began a stream, and alone may read on."""

    organization_id: UUID
    user_id: UUID
    key_id: UUID | None


def owner_of(identity: Identity) -> StreamOwner:
    return StreamOwner(identity.organization_id, identity.user_id, identity.key_id)


def still_at_work() -> str:
    """A comment, which readers of events pass over."""
    return ": still at work\n\n"


class Stream:
    """The events of one piece of work, from 1; `numbered`: with their ids. Only `listening` is for other threads than
    the event loop's."""

    def __init__(self, numbered: bool = True) -> None:
        self.id = uuid4()
        self.listening = Listening()
        self.bytes = 0
        self.ended = False
        self._numbered, self._grace_s = numbered, 0.0
        self._events = list[str]()
        self._readers = 0
        self._leaving: asyncio.TimerHandle | None = None
        self._waiting = set[asyncio.Event]()

    def add(self, event: str) -> None:
        """`event` as it goes over the wire, without its id."""
        self._events.append(event)
        self.bytes += len(event)
        self._wake()

    def keep(self, grace_s: float) -> None:
        """From now on its events can be read on by their ids, and work goes on that long while nobody reads."""
        self._numbered, self._grace_s = True, grace_s

    def id_of(self, number: int) -> str:
        """The id of the event with this number; 0: of what is before the first."""
        return f"{self.id.hex}-{number}" if self._grace_s else str(number)

    def end(self) -> None:
        self.ended = True
        self._wake()

    async def read(
        self, after: int = 0, heartbeat_s: float = HEARTBEAT_S, beat: Callable[[], str] = still_at_work
    ) -> AsyncGenerator[str]:
        """The events behind the one numbered `after`, to the end; a `beat` while nothing happens. Once nobody reads
        any more, and nobody comes back in time, `listening` is told."""
        self._readers += 1
        if self._leaving is not None:
            self._leaving.cancel()
        try:
            while True:
                while after < len(self._events):
                    after += 1
                    yield self._written(after)
                if self.ended:
                    return
                if not await self._changed(heartbeat_s):
                    yield beat()
        finally:
            self._readers -= 1
            if not self._readers and not self.ended:
                self._left()

    def _written(self, number: int) -> str:
        event = self._events[number - 1]
        return f"id: {self.id_of(number)}\n{event}" if self._numbered else event

    async def _changed(self, within_s: float) -> bool:
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            await asyncio.wait_for(changed.wait(), within_s)
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(changed)
        return True

    def _wake(self) -> None:
        for one in self._waiting:
            one.set()

    def _left(self) -> None:
        if not self._grace_s:
            self.listening.leave()
            return
        self._leaving = asyncio.get_running_loop().call_later(self._grace_s, self.listening.leave)


@dataclass(frozen=True)
class _Kept:
    owner: StreamOwner
    stream: Stream


class KeptStreams:
    """The streams of one process by their ids; of each identity and in all no more than are allowed, the oldest given
    up first. For the event loop's thread alone."""

    def __init__(self, grace_s: float = GRACE_S, kept_s: float = KEPT_S) -> None:
        self._grace_s, self._kept_s = grace_s, kept_s
        self._kept = dict[UUID, _Kept]()

    def begin(self, owner: StreamOwner) -> Stream:
        stream = Stream()
        self.keep(owner, stream)
        return stream

    def keep(self, owner: StreamOwner, stream: Stream) -> None:
        stream.keep(self._grace_s)
        self._kept[stream.id] = _Kept(owner, stream)
        own = [key for key, one in self._kept.items() if one.owner == owner]
        for key in own[:-KEPT_OF_ONE]:
            del self._kept[key]
        while len(self._kept) > KEPT_MAX or (len(self._kept) > 1 and self._bytes() > KEPT_BYTES):
            del self._kept[next(iter(self._kept))]
        if stream.ended:
            self.ended(stream)

    def ended(self, stream: Stream) -> None:
        """It is kept for a while from now on."""
        asyncio.get_running_loop().call_later(self._kept_s, self._kept.pop, stream.id, None)

    def find(self, owner: StreamOwner, event_id: str) -> tuple[Stream, int]:
        """The stream of an event, and the event's number. Raises NoLonger, the same for a stream that is given up, that
        never was, and that is somebody else's."""
        key, _, number = event_id.partition("-")
        try:
            kept = self._kept.get(UUID(hex=key))
        except ValueError:
            kept = None
        if kept is None or kept.owner != owner or not number.isdecimal():
            raise NoLonger(
                f"Events are kept for {self._kept_s:g} seconds behind an answer's end, by the process that gave it."
                " These are not here (any more). Ask again, or look at the answer's trace."
            )
        return kept.stream, int(number)

    def _bytes(self) -> int:
        return sum(one.stream.bytes for one in self._kept.values())
