"""Server-sent events of work that runs in a thread: each as it happens, a comment while nothing does."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final, cast

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from functions.api.caller import Caller
from functions.api.errors import kind_of, status_of
from functions.api.kept_streams import HEARTBEAT_S, KeptStreams, Stream, StreamOwner, owner_of
from functions.api.unexpected import describe
from shared.answering.events import AskEvent, Tell
from shared.domain.listening import HungUp, listened_to_by
from shared.errors import AutriError

logger = logging.getLogger("autri.api")
TYPE: Final = "text/event-stream"
Work = Callable[[Tell], object]


def wants_events(request: Request) -> bool:
    return TYPE in request.headers.get("accept", "")


def events_of(request: Request, caller: Caller, work: Work) -> StreamingResponse:
    """What `work` tells as a stream, which its sender may read on after a break where one process answers all."""
    kept = cast(KeptStreams | None, request.app.state.streams)
    stream = event_stream(work, kept=kept, owner=owner_of(caller.identity))
    return streamed(stream)


def streamed(events: AsyncIterator[str]) -> StreamingResponse:
    return StreamingResponse(events, media_type=TYPE, headers={"Cache-Control": "no-store"})


async def event_stream(
    work: Work, heartbeat_s: float = HEARTBEAT_S, kept: KeptStreams | None = None, owner: StreamOwner | None = None
) -> AsyncIterator[str]:
    """The events that `work` tells, numbered from 1; an `error` event with what a problem document says, where it
    raises. Once nobody reads, telling raises HungUp in `work`; where streams are `kept`, not before a while."""
    stream = kept.begin(owner) if kept is not None and owner is not None else Stream()
    task = asyncio.ensure_future(_run(work, stream, kept))
    task.add_done_callback(forget)
    async with aclosing(stream.read(heartbeat_s=heartbeat_s)) as events:
        async for event in events:
            yield event
    # What is no error of ours is the server's to handle.
    await task


async def _run(work: Work, stream: Stream, kept: KeptStreams | None) -> None:
    loop = asyncio.get_running_loop()

    def add(name: str, data: dict[str, Any]) -> None:
        written = f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
        loop.call_soon_threadsafe(stream.add, written)

    def tell(event: AskEvent) -> None:
        stream.listening.check()
        add(event.name, event.data)

    def run() -> None:
        try:
            with listened_to_by(stream.listening):
                work(tell)
        except AutriError as error:
            add("error", _problem(error))

    try:
        await run_in_threadpool(run)
    finally:
        # Behind what the thread has told by now.
        loop.call_soon(stream.end)
        if kept is not None:
            kept.ended(stream)


def forget(task: asyncio.Future[Any]) -> None:
    """What ends because nobody reads any more is told to nobody; what fails otherwise is logged."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, HungUp):
        logger.error("an answer by events failed: %s", describe(error))


def _problem(error: AutriError) -> dict[str, Any]:
    status = status_of(error)
    kind = kind_of(error) or status.phrase.lower().replace(" ", "-")
    return {"type": f"urn:autri:problem:{kind}", "title": status.phrase, "status": int(status), "detail": str(error)}
