"""Conversations: each is its asker's alone, owners and admins included."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

from functions.api.caller import Caller, Reader
from functions.api.events import TYPE, events_of, wants_events
from functions.api.idempotency import Own
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, page_of, time_cursor
from functions.api.routing import v1_router
from shared.answering.threads import feedback, service, sharing
from shared.answering.threads.exporting import as_markdown
from shared.answering.threads.models import list_models
from shared.answering.threads.shapes import (
    AnsweringModel,
    AskedMessage,
    MadeShare,
    NewAnswer,
    NewFeedback,
    NewShare,
    NewThread,
    Share,
    Thread,
    ThreadChange,
    ThreadQuestion,
    WholeThread,
)

router = v1_router("conversations")
LISTING = "threads"
ExportForm = Literal["markdown", "json"]
STREAMED: dict[int | str, dict[str, Any]] = {
    200: {"content": {TYPE: {"schema": {"type": "string", "description": "asked, what /v1/ask tells, final, message"}}}}
}


class RemovedThread(BaseModel):
    """What is no longer there."""

    id: UUID


@router.get("/threads")
def list_threads(
    caller: Reader,
    words: Annotated[str, Query(max_length=500, description="all of them in its title, questions or answers")] = "",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[Thread]:
    """Your conversations, those that were asked in last first."""
    before = time_cursor(LISTING, cursor)
    found = service.list_threads(caller.runtime, caller.identity, words, before, limit + 1)
    return page_of(LISTING, found, limit, lambda one: [one.updated_at.isoformat(), one.id])


@router.post("/threads", status_code=201, response_model=Thread)
def create_thread(change: Own, body: NewThread) -> JSONResponse:
    """Begin a conversation."""
    return change.answer(201, lambda: service.create_thread(change.runtime, change.identity, body), body)


@router.get("/threads/{thread_id}")
def get_thread(caller: Reader, thread_id: UUID) -> WholeThread:
    """A conversation with its messages. What an answer quotes and you may no longer see is left out, and said so."""
    return service.get_thread(caller.runtime, caller.identity, thread_id)


@router.get("/threads/{thread_id}/export", response_class=Response)
def export_thread(caller: Reader, thread_id: UUID, form: Annotated[ExportForm, Query()] = "markdown") -> Response:
    """As a file: Markdown with its citations as footnotes, or JSON as `GET` answers."""
    thread = service.get_thread(caller.runtime, caller.identity, thread_id)
    text = thread.model_dump_json(indent=2) if form == "json" else as_markdown(thread)
    kind, ending = ("application/json", "json") if form == "json" else ("text/markdown; charset=utf-8", "md")
    headers = {"Content-Disposition": f'attachment; filename="conversation.{ending}"'}
    return Response(text, media_type=kind, headers=headers)


@router.patch("/threads/{thread_id}", response_model=Thread)
def change_thread(change: Own, thread_id: UUID, body: ThreadChange) -> JSONResponse:
    """Rename it."""
    return change.answer(200, lambda: service.change_thread(change.runtime, change.identity, thread_id, body), body)


@router.delete("/threads/{thread_id}", response_model=RemovedThread)
def delete_thread(change: Own, thread_id: UUID) -> JSONResponse:
    """Delete it, with its links and with what was told to editors of its answers."""

    def act() -> RemovedThread:
        service.delete_thread(change.runtime, change.identity, thread_id)
        return RemovedThread(id=thread_id)

    return change.answer(200, act)


@router.post("/threads/{thread_id}/ask", response_model=AskedMessage, responses=STREAMED)
def ask_in_thread(
    caller: Reader, thread_id: UUID, body: ThreadQuestion, request: Request
) -> AskedMessage | StreamingResponse:
    """Ask in it; question and answer are kept. With `Accept: text/event-stream` the events of `/v1/ask`, before them
    `asked` (the message's id, and how it is asked), and behind them `message`, which is the answer otherwise."""
    return _answered(request, caller, partial(service.ask_in_thread, caller.runtime, caller.identity, thread_id, body))


@router.post("/threads/{thread_id}/messages/{message_id}/answers", response_model=AskedMessage, responses=STREAMED)
def answer_again(
    caller: Reader, thread_id: UUID, message_id: UUID, body: NewAnswer, request: Request
) -> AskedMessage | StreamingResponse:
    """A further answer to a question, by another model; the message with all its answers, or events as above."""
    who = (caller.runtime, caller.identity, thread_id, message_id)
    return _answered(request, caller, partial(service.answer_again, *who, body))


@router.put("/threads/{thread_id}/answers/{answer_id}/feedback", response_model=NewFeedback)
def put_feedback(change: Own, thread_id: UUID, answer_id: UUID, body: NewFeedback) -> JSONResponse:
    """Say what you think of an answer. Editors of the knowledge bases that it cites are told the question and this."""
    who = (change.runtime, change.identity, thread_id, answer_id)
    return change.answer(200, lambda: feedback.judge_answer(*who, body), body)


@router.get("/threads/{thread_id}/shares")
def list_shares(caller: Reader, thread_id: UUID) -> PageOf[Share]:
    """The links that show it, ended ones too, oldest first; without their secrets."""
    found = sharing.list_shares(caller.runtime, caller.identity, thread_id)
    return PageOf(items=found, next_cursor=None)


@router.post("/threads/{thread_id}/shares", status_code=201, response_model=MadeShare)
def create_share(change: Own, thread_id: UUID, body: NewShare) -> JSONResponse:
    """A link that shows the conversation, as it is now, to whoever has it: no more of it than you may see at the time.
    The answer has the link once."""

    def without_secret(made: MadeShare) -> MadeShare:
        return made.model_copy(update={"path": None})

    who = (change.runtime, change.identity, thread_id)
    return change.answer(201, lambda: sharing.create_share(*who, body), body, without_secret)


@router.post("/threads/{thread_id}/shares/{share_id}/revoke", response_model=Share)
def revoke_share(change: Own, thread_id: UUID, share_id: UUID) -> JSONResponse:
    """From the next request on the link shows nothing."""
    who = (change.runtime, change.identity, thread_id, share_id)
    return change.answer(200, lambda: sharing.revoke_share(*who))


@router.get("/models")
def list_answering_models(caller: Reader) -> PageOf[AnsweringModel]:
    """What may answer a question, the usual one first."""
    return PageOf(items=list_models(caller.runtime), next_cursor=None)


def _answered(request: Request, caller: Caller, work: Callable[..., AskedMessage]) -> AskedMessage | StreamingResponse:
    """What `work` gives, or tells as events where these are accepted."""
    if wants_events(request):
        return events_of(request, caller, work)
    return work()
