"""Server-sent events of work that runs in a thread: each as it happens, a comment while nothing does."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from starlette.concurrency import run_in_threadpool

from functions.api.errors import kind_of, status_of
from functions.api.unexpected import describe
from shared.answering.events import AskEvent, Tell
from shared.domain.listening import HungUp
from shared.errors import AutriError

logger = logging.getLogger("autri.api")
HEARTBEAT_S: Final = 10.0
TYPE: Final = "text/event-stream"


async def event_stream(work: Callable[[Tell], object], heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[str]:
    """The events that `work` tells, numbered from 1; an `error` event with what a problem document says, where it
    raises. Once nobody reads, telling raises HungUp in `work`."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue[AskEvent | None]()
    gone = False

    def tell(event: AskEvent) -> None:
        if gone:
            raise HungUp
        loop.call_soon_threadsafe(queue.put_nowait, event)

    def run() -> AutriError | None:
        try:
            work(tell)
        except AutriError as error:
            return error
        finally:
            loop.call_soon_threadsafe(queue.put_nowait, None)
        return None

    task = asyncio.ensure_future(run_in_threadpool(run))
    number = 0
    try:
        while True:
            try:
                event = await asyncio.wait_for(queue.get(), heartbeat_s)
            except TimeoutError:
                yield ": still at work\n\n"
                continue
            if event is None:
                break
            number += 1
            yield _written(number, event.name, event.data)
        if (error := await task) is not None:
            yield _written(number + 1, "error", _problem(error))
    finally:
        gone = True
        task.add_done_callback(_forget)


def _forget(task: asyncio.Future[Any]) -> None:
    """What ends because nobody reads any more is told to nobody; what fails otherwise is logged."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, HungUp):
        logger.error("an answer that nobody reads any more failed: %s", describe(error))


def _problem(error: AutriError) -> dict[str, Any]:
    status = status_of(error)
    kind = kind_of(error) or status.phrase.lower().replace(" ", "-")
    return {"type": f"urn:autri:problem:{kind}", "title": status.phrase, "status": int(status), "detail": str(error)}


def _written(number: int, name: str, data: dict[str, Any]) -> str:
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
