"""Objects between an archive and the store: several at once, since each waits for the network most of its time."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

# Fewer than the ten connections that boto3 keeps open.
AT_ONCE: int = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item]) -> Generator[Result]:
    """What `work` makes of each item, in their order; no more than AT_ONCE are under way or wait to be taken.

    Raises what `work` raises, when nothing is under way any more.
    """
    waiting = deque[Future[Result]]()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="autri-transfer") as pool:
        try:
            for item in items:
                if len(waiting) == AT_ONCE:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(work, item))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()
