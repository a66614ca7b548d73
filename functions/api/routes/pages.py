"""Pages of a document, their images, and those of its figures."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from functions.api.caller import Reader
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, number_cursor, page_of
from functions.api.routing import v1_router
from shared.domain.inspect import FoundRow, InspectedPage, PageRow
from shared.errors import BadInput
from shared.library import kept_rows
from shared.library import pages as library
from shared.library.pages import ImageSize

router = v1_router("pages", "/documents/{document_id}")

PageNumber = Annotated[int, Path(ge=1, le=1_000_000)]
FOR_EVER = "private, max-age=31536000, immutable"
ASK_AGAIN = "private, no-cache"
IMAGE_RESPONSES: dict[int | str, dict[str, object]] = {
    200: {"content": {"image/jpeg": {}}, "description": "The image"},
    302: {"description": "The image is at this address for a few minutes"},
    304: {"description": "The image that the client has is still right"},
}


@router.get("/pages")
def list_pages(
    caller: Reader, document_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[PageRow]:
    """The pages in order with status, confidence, flags and number of chunks."""
    after = number_cursor("pages", cursor)
    found = library.list_pages(caller.runtime, caller.identity, document_id, after, limit + 1)
    return page_of("pages", found, limit, lambda item: [item.page])


@router.get("/pages/{page}")
def view_page(
    caller: Reader,
    document_id: UUID,
    page: PageNumber,
    include: Annotated[str, Query(max_length=100, description="`fragments`, `operations`, or both with a comma")] = "",
    row: Annotated[
        int | None,
        Query(ge=1, le=10_000_000, description="with both: and rows that are no passages, those around this number"),
    ] = None,
) -> InspectedPage:
    """One page with its chunks and what was skipped, with reasons."""
    wanted = _included(include)
    return library.view_page(
        caller.runtime,
        caller.identity,
        document_id,
        page,
        fragments="fragments" in wanted,
        operations="operations" in wanted,
        row=row,
    )


@router.get("/rows")
def find_rows(
    caller: Reader,
    document_id: UUID,
    words: Annotated[str, Query(min_length=1, max_length=200, description="each is in one of the row's cells")],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> list[FoundRow]:
    """The first rows with these letters among those of long tables that are no passages. They are looked through, which
    takes a second for a million; `search` finds those with whole words by an index."""
    return kept_rows.find_rows(caller.runtime, caller.identity, document_id, words, limit)


@router.get("/pages/{page}/image", response_class=Response, responses=IMAGE_RESPONSES)
def page_image(
    request: Request,
    caller: Reader,
    document_id: UUID,
    page: PageNumber,
    size: ImageSize = "full",
    run: Annotated[UUID | None, Query(description="the ingestion that rendered it, for caching")] = None,
) -> Response:
    """The page as displayed, as JPEG. Streamed here; in the cloud a short-lived address to read it from."""
    key = library.image_key(caller.runtime, caller.identity, document_id, page, size)
    url = caller.runtime.blobs.read_url(key)
    if url is not None:
        return _redirect(url)
    etag = f'"{key.rsplit("/", 3)[-3]}-{size}-{page}"'
    caching = {"ETag": etag, "Cache-Control": FOR_EVER if run is not None and str(run) in key else ASK_AGAIN}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=caching)
    return _jpeg(caller, key, caching)


@router.get(
    "/figures/{chunk_id}/image",
    response_class=Response,
    responses={status: IMAGE_RESPONSES[status] for status in (200, 302)},
)
def figure_image(caller: Reader, document_id: UUID, chunk_id: UUID) -> Response:
    """The figure alone, cut out of its page, as JPEG. Streamed here; in the cloud a short-lived address."""
    key = library.figure_image_key(caller.runtime, caller.identity, document_id, chunk_id)
    url = caller.runtime.blobs.read_url(key)
    if url is not None:
        return _redirect(url)
    return _jpeg(caller, key, {"Cache-Control": ASK_AGAIN})


def _jpeg(caller: Reader, key: str, headers: dict[str, str]) -> Response:
    """Read here: a file's response would take a thread for its size, its opening and each part of it."""
    return Response(caller.runtime.blobs.get(key), media_type="image/jpeg", headers=headers)


def _redirect(url: str) -> Response:
    return RedirectResponse(url, 302, {"Cache-Control": "private, no-store"})


def _included(include: str) -> set[str]:
    wanted = {part.strip() for part in include.split(",") if part.strip()}
    unknown = wanted - {"fragments", "operations"}
    if unknown:
        raise BadInput(f"`include` knows fragments and operations, not {', '.join(sorted(unknown))}.")
    return wanted
