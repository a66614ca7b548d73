"""Whether anybody still waits for what is under way."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final


class HungUp(Exception):
    """Whoever asked has gone: what is under way for them ends, and counts all the same."""


class Listening:
    """Whoever waits for one piece of work. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._gone = False
        self._ends = list[Callable[[], None]]()

    def leave(self) -> None:
        """Nobody waits any more: what was registered is called, and `check` raises from now on."""
        with self._lock:
            self._gone, ends = True, [*self._ends]
        for end in ends:
            end()

    def check(self) -> None:
        """Raises HungUp where nobody waits."""
        if self._gone:
            raise HungUp

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Generator[None]:
        """Has `end` called, from whichever thread, where they leave meanwhile."""
        with self._lock:
            self._ends.append(end)
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)


_EVERYBODY: Final = Listening()
_LISTENING: ContextVar[Listening] = ContextVar("listening", default=_EVERYBODY)


def listening() -> Listening:
    """Whoever waits for what this context does; somebody who never leaves where that is not known."""
    return _LISTENING.get()


@contextmanager
def listened_to_by(who: Listening) -> Generator[None]:
    """What is done here, and in copies of this context, is waited for by `who`."""
    token = _LISTENING.set(who)
    try:
        yield
    finally:
        _LISTENING.reset(token)
