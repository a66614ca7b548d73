"""The event loop in which tests send requests to applications in this process."""

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def run(sending: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, in a loop that stays: a loop and its threads made anew take as long as most requests."""
    return asyncio.run_coroutine_threadsafe(sending, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop, ended = asyncio.new_event_loop(), asyncio.Event()

    def serve() -> None:
        # Threads that wait for work are kept for as long as what the loop was started with.
        loop.run_until_complete(ended.wait())
        loop.close()

    def end() -> None:
        loop.call_soon_threadsafe(ended.set)
        thread.join()

    thread = threading.Thread(target=serve, name="requests", daemon=True)
    thread.start()
    atexit.register(end)
    return loop
