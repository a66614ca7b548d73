"""Measures how long this thread has waited for the database, so that a trace can separate database time from
Python's."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import DictRow


class _Spent(threading.local):
    seconds = 0.0


_spent = _Spent()


def database_seconds() -> float:
    """Seconds that statements of this thread have taken so far, network included; only differences mean anything."""
    return _spent.seconds


class TimedCursor(psycopg.Cursor[DictRow]):
    """A cursor that measures the time of its statements."""

    def execute(self, *args: Any, **options: Any) -> "TimedCursor":
        with _counted():
            super().execute(*args, **options)
        return self


@contextmanager
def _counted() -> Generator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        _spent.seconds += time.perf_counter() - started
