"""Search, look-up and answers."""

from functools import partial
from typing import Annotated, Any, cast

from fastapi import Header, Path, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from functions.api.caller import Caller, Reader
from functions.api.events import TYPE, events_of, streamed, wants_events
from functions.api.kept_streams import KeptStreams, Stream, owner_of
from functions.api.routing import v1_router
from shared.digest import context
from shared.domain.context import Context, ContextRequest
from shared.domain.knowledge import Answer, LookupResult, SearchResult
from shared.errors import NoLonger
from shared.retrieval import service
from shared.retrieval.export import export_csv
from shared.retrieval.requests import AskRequest, ExportRequest, LookupRequest, SearchRequest

router = v1_router("retrieval")


@router.post("/search")
def search(caller: Reader, body: SearchRequest) -> SearchResult:
    """Ranked hits, each naming the indexes that found it; without a query what passes the filters."""
    return service.search(caller.runtime, caller.identity, body)


@router.post("/search:export", response_class=Response)
def export(caller: Reader, body: ExportRequest) -> Response:
    """The result as CSV, one line a chunk: without a query all that passes, in the order and the columns asked for."""
    headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
    text = export_csv(caller.runtime, caller.identity, body)
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/lookup")
def lookup(caller: Reader, body: LookupRequest) -> LookupResult:
    """A section by its printed address, e.g. `C7.6.2`, with its chunks in document order."""
    return service.lookup(caller.runtime, caller.identity, body)


@router.post("/context")
def load_context(caller: Reader, body: ContextRequest) -> Context:
    """What a task should read, within a budget of tokens: entries of the digest's index, summaries, statements, and
    verbatim passages, each line with its sources and whether it is stale; why each was chosen, and what was left
    out."""
    return context.load_context(caller.runtime, caller.identity, body)


STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            TYPE: {
                "schema": {
                    "type": "string",
                    "description": "plan, tool…, hits, evidence, sentence…, widening, rows, final",
                }
            }
        }
    }
}


@router.post("/ask", response_model=Answer, responses=STREAMED)
def ask(caller: Reader, body: AskRequest, request: Request) -> Answer | StreamingResponse:
    """An answer whose every sentence cites the chunks it stands on, or `insufficient_evidence`, with what else could be
    searched. With `Accept: text/event-stream` its steps as events (`plan`, each `tool`, `hits`, `evidence`, each
    `sentence`, `widening`, `rows`), `final` with the whole answer, or `error` with a problem."""
    from shared.answering import service as answering

    if wants_events(request):
        return events_of(request, caller, partial(answering.ask, caller.runtime, caller.identity, body))
    return answering.ask(caller.runtime, caller.identity, body)


EventId = Annotated[str, Path(max_length=100, description="`id` of an event of the answer")]
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=100, description="as `EventSource` sends it; goes before")
]


@router.get("/ask/{event_id}", response_class=Response, responses=STREAMED)
async def resume(
    caller: Reader, request: Request, event_id: EventId, last_event_id: LastEventId = None
) -> StreamingResponse:
    """The events of an answer behind the one named, and on to its end, for whoever asked: after a lost connection, or
    when the page was loaded again. 410 where they are not kept: on one machine for two minutes, elsewhere never."""
    stream, number = _kept(caller, request, last_event_id or event_id)
    return streamed(stream.read(number))


@router.delete("/ask/{event_id}", status_code=204)
async def stop(caller: Reader, request: Request, event_id: EventId) -> None:
    """Ends the answer that an event is of, and the model's call with it. Without this an answer that nobody reads ends
    after ten seconds."""
    stream, _ = _kept(caller, request, event_id)
    await run_in_threadpool(stream.listening.leave)


def _kept(caller: Caller, request: Request, event_id: str) -> tuple[Stream, int]:
    kept = cast(KeptStreams | None, request.app.state.streams)
    if kept is None:
        raise NoLonger("Here answers are not kept: each request may reach another process. Ask again.")
    return kept.find(owner_of(caller.identity), event_id)
