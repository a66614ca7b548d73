"""Acts that begin at the same moment, each on a connection of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep
from types import ModuleType
from typing import Any

import pytest

from shared.errors import PlanExhausted

COMMIT_LATER_S = 0.2


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Their answers or PlanExhausted."""
    barrier = Barrier(len(acts))

    def one(act: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return act()
        except PlanExhausted as error:
            return error

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def commit_later(monkeypatch: pytest.MonkeyPatch, rows: ModuleType, count: str) -> None:
    """Each waits behind `count`, before it commits: all that nothing keeps apart count the same."""
    counting: Callable[..., Any] = getattr(rows, count)

    def count_and_wait(*values: Any) -> Any:
        found = counting(*values)
        sleep(COMMIT_LATER_S)
        return found

    monkeypatch.setattr(rows, count, count_and_wait)
