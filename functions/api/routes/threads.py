"""Conversations: each is its asker's alone, owners and admins included."""

from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

from functions.api.caller import Reader
from functions.api.events import TYPE, event_stream
from functions.api.idempotency import Own
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, page_of, time_cursor
from functions.api.routing import v1_router
from shared.answering.threads import service
from shared.answering.threads.exporting import as_markdown
from shared.answering.threads.shapes import (
    NewThread,
    Thread,
    ThreadChange,
    ThreadMessage,
    ThreadQuestion,
    WholeThread,
)

router = v1_router("conversations", "/threads")
LISTING = "threads"
ExportForm = Literal["markdown", "json"]
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": {TYPE: {"schema": {"type": "string", "description": "asked, what /v1/ask tells, final, message"}}}}
}


class RemovedThread(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get("")
def list_threads(
    caller: Reader,
    words: Annotated[str, Query(max_length=500, description="all of them in its title or its questions")] = "",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[Thread]:
    """Your conversations, those that were asked in last first."""
    before = time_cursor(LISTING, cursor)
    found = service.list_threads(caller.runtime, caller.identity, words, before, limit + 1)
    return page_of(LISTING, found, limit, lambda one: [one.updated_at.isoformat(), one.id])


@router.post("", status_code=201, response_model=Thread)
def create_thread(change: Own, body: NewThread) -> JSONResponse:
    """Begin a conversation."""
    return change.answer(201, lambda: service.create_thread(change.runtime, change.identity, body), body)


@router.get("/{thread_id}")
def get_thread(caller: Reader, thread_id: UUID) -> WholeThread:
    """A conversation with its messages. What an answer quotes and you may no longer see is left out, and said so."""
    return service.get_thread(caller.runtime, caller.identity, thread_id)


@router.get("/{thread_id}/export", response_class=Response)
def export_thread(caller: Reader, thread_id: UUID, form: Annotated[ExportForm, Query()] = "markdown") -> Response:
    """As a file: Markdown with its citations as footnotes, or JSON as `GET` answers."""
    thread = service.get_thread(caller.runtime, caller.identity, thread_id)
    text = thread.model_dump_json(indent=2) if form == "json" else as_markdown(thread)
    kind, ending = ("application/json", "json") if form == "json" else ("text/markdown; charset=utf-8", "md")
    headers = {"Content-Disposition": f'attachment; filename="conversation.{ending}"'}
    return Response(text, media_type=kind, headers=headers)


@router.patch("/{thread_id}", response_model=Thread)
def change_thread(change: Own, thread_id: UUID, body: ThreadChange) -> JSONResponse:
    """Rename it."""
    return change.answer(200, lambda: service.change_thread(change.runtime, change.identity, thread_id, body), body)


@router.delete("/{thread_id}", response_model=RemovedThread)
def delete_thread(change: Own, thread_id: UUID) -> JSONResponse:
    """Delete it, with its links and with what was told to editors of its answers."""

    def act() -> RemovedThread:
        service.delete_thread(change.runtime, change.identity, thread_id)
        return RemovedThread(id=thread_id)

    return change.answer(200, act)


@router.post("/{thread_id}/ask", response_model=ThreadMessage, responses=STREAMED)
def ask_in_thread(
    caller: Reader, thread_id: UUID, body: ThreadQuestion, request: Request
) -> ThreadMessage | StreamingResponse:
    """Ask in it; question and answer are kept. With `Accept: text/event-stream` the events of `/v1/ask`, before them
    `asked` (the message's id, and how it is asked), and behind them `message`, which is the answer otherwise."""
    work = partial(service.ask_in_thread, caller.runtime, caller.identity, thread_id, body)
    if TYPE in request.headers.get("accept", ""):
        return StreamingResponse(event_stream(work), media_type=TYPE, headers={"Cache-Control": "no-store"})
    return work()
