"""Search, look-up and answers."""

from fastapi import APIRouter

from functions.api.caller import Reader
from shared.answering import service as answering
from shared.domain.knowledge import Answer, LookupResult, SearchResult
from shared.retrieval import service
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest

router = APIRouter(tags=["retrieval"])


@router.post("/search")
def search(caller: Reader, body: SearchRequest) -> SearchResult:
    """Ranked hits, each naming the indexes that found it; without a query what passes the filters."""
    return service.search(caller.runtime, caller.identity, body)


@router.post("/lookup")
def lookup(caller: Reader, body: LookupRequest) -> LookupResult:
    """A section by its printed address, e.g. `C7.6.2`, with its chunks in document order."""
    return service.lookup(caller.runtime, caller.identity, body)


@router.post("/ask")
def ask(caller: Reader, body: AskRequest) -> Answer:
    """An answer whose every sentence cites the chunks it stands on, or `insufficient_evidence`."""
    return answering.ask(caller.runtime, caller.identity, body)
