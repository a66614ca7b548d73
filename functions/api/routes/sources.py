"""Sources: where files come from again and again."""

from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, listed, page_of, text_cursor
from functions.api.routing import v1_router
from shared.domain.sources import (
    ContentSource,
    FetchedPage,
    NewPage,
    NewSource,
    NewWatch,
    SourceItem,
    SourceLook,
    SyncPlan,
)
from shared.ingestion.web import pages, watch
from shared.library import sources

router = v1_router("sources")


@router.post("/sources", status_code=201, response_model=ContentSource)
def put_source(change: Change, body: NewSource) -> JSONResponse:
    """Name a folder, mailbox or bucket that files are sent from; the same one, where it is known by that name."""
    return change.answer(201, lambda: sources.put_source(change.runtime, change.identity, body), body)


@router.post("/pages:fetch", status_code=202, response_model=FetchedPage)
def fetch_page(change: Change, body: NewPage) -> JSONResponse:
    """Fetch a web page, or a file behind an address. The next version where it came before and has changed."""
    return change.answer(202, lambda: pages.ingest_page(change.runtime, change.identity, body), body)


@router.post("/watches", status_code=201, response_model=ContentSource)
def add_watch(change: Change, body: NewWatch) -> JSONResponse:
    """Watch a sitemap or a feed: its pages are documents and stay as they are there, until the source is removed."""
    return change.answer(201, lambda: watch.add_watch(change.runtime, change.identity, body), body)


@router.post("/watches/{source_id}/look", status_code=202, response_model=ContentSource)
def look_now(change: Change, source_id: UUID) -> JSONResponse:
    """Look at a watched site now, not when its time has come. Answers the source, which is due: on one machine the look
    begins at once, elsewhere with the next maintenance, which follows every ingestion and comes daily at the least."""
    return change.answer(202, lambda: sources.look_now(change.runtime, change.identity, source_id))


@router.get("/sources")
def list_sources(
    caller: Reader,
    knowledge_base_id: Annotated[UUID, Query()],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[ContentSource]:
    """The sources of a knowledge base, oldest first, with what the last look at each found."""
    who = (caller.runtime, caller.identity, knowledge_base_id)
    return listed("sources", cursor, limit, lambda after, most: sources.list_sources(*who, after, most))


@router.get("/sources/{source_id}")
def get_source(caller: Reader, source_id: UUID) -> ContentSource:
    """One source."""
    return sources.get_source(caller.runtime, caller.identity, source_id)


@router.get("/sources/{source_id}/items")
def list_items(
    caller: Reader, source_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[SourceItem]:
    """The files of a source by path, as they came last."""
    after = text_cursor("source items", cursor)
    found = sources.list_items(caller.runtime, caller.identity, source_id, after, limit + 1)
    return page_of("source items", found, limit, lambda item: [item.path])


@router.post("/sources/{source_id}/look", response_model=SyncPlan)
def look_through(change: Change, source_id: UUID, body: SourceLook) -> JSONResponse:
    """Say which files are there now. Answers what is to be done about each; what needs no bytes is done by then."""
    return change.answer(200, lambda: sources.look_through(change.runtime, change.identity, source_id, body), body)


@router.delete("/sources/{source_id}", response_model=ContentSource)
def remove_source(change: Change, source_id: UUID) -> JSONResponse:
    """Forget a source; its documents stay."""
    return change.answer(200, lambda: sources.remove_source(change.runtime, change.identity, source_id))
