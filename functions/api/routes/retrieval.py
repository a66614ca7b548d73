"""Search, look-up and answers."""

from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from functions.api.caller import Reader
from functions.api.events import TYPE, event_stream
from functions.api.routing import v1_router
from shared.answering import service as answering
from shared.domain.knowledge import Answer, LookupResult, SearchResult
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


STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            TYPE: {"schema": {"type": "string", "description": "plan, tool…, hits, evidence, sentence…, final"}}
        }
    }
}


@router.post("/ask", response_model=Answer, responses=STREAMED)
def ask(caller: Reader, body: AskRequest, request: Request) -> Answer | StreamingResponse:
    """An answer whose every sentence cites the chunks it stands on, or `insufficient_evidence`. With
    `Accept: text/event-stream` its steps as events (`plan`, each `tool`, `hits`, `evidence`, each `sentence`), `final`
    with the whole answer, or `error` with a problem."""
    if TYPE in request.headers.get("accept", ""):
        work = partial(answering.ask, caller.runtime, caller.identity, body)
        return StreamingResponse(event_stream(work), media_type=TYPE, headers={"Cache-Control": "no-store"})
    return answering.ask(caller.runtime, caller.identity, body)
