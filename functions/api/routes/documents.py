"""Documents: list, read, versions, sections, chunks, delete, run again, verify."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.pagination import (
    DEFAULT_LIMIT,
    Cursor,
    Limit,
    PageOf,
    listed,
    number_cursor,
    ordinal_cursor,
    page_of,
)
from functions.api.routing import v1_router
from shared.domain.account import Deleted
from shared.domain.changes import DocumentChanges
from shared.domain.knowledge import Chunk, Document, Section
from shared.domain.messages import Attached, ThreadMessage
from shared.domain.verify import VerifyReport
from shared.library import documents as library
from shared.library import messages, pages
from shared.library.changes import find_changes

router = v1_router("documents", "/documents")


@router.get("")
def list_documents(
    caller: Reader, knowledge_base_id: UUID | None = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Document]:
    """Document versions, newest first: of one knowledge base, or of all you can see."""
    read = partial(library.list_documents, caller.runtime, caller.identity, knowledge_base_id)
    return listed("documents", cursor, limit, read)


@router.get("/{document_id}")
def get_document(caller: Reader, document_id: UUID) -> Document:
    """One document version."""
    return library.get_document(caller.runtime, caller.identity, document_id)


@router.delete("/{document_id}", response_model=Deleted)
def delete_document(
    change: Change,
    document_id: UUID,
    keep_attachments: Annotated[bool, Query(description="keep what came attached to this document alone")] = False,
) -> JSONResponse:
    """Delete this version with its chunks, vectors and stored files, and what came attached to it alone; the newest
    version left becomes current."""
    who = (change.runtime, change.identity, document_id, keep_attachments)
    return change.answer(200, lambda: library.delete_document(*who))


@router.get("/{document_id}/attachments")
def list_attached(caller: Reader, document_id: UUID) -> Attached:
    """The files that came with this document, refused ones with their reason, and the messages that it came with."""
    return messages.list_attached(caller.runtime, caller.identity, document_id)


@router.get("/{document_id}/thread")
def find_thread(caller: Reader, document_id: UUID) -> list[ThreadMessage]:
    """The messages of the threads that this document's messages are in, the oldest first; of other documents none."""
    return messages.find_thread(caller.runtime, caller.identity, document_id)


@router.get(
    "/{document_id}/source",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {}}, "description": "The file"},
        302: {"description": "The file is at this address for a few minutes"},
    },
)
def download_source(caller: Reader, document_id: UUID) -> Response:
    """The file as it was uploaded. Streamed here; in the cloud a short-lived address."""
    source = library.get_source(caller.runtime, caller.identity, document_id)
    url = caller.runtime.blobs.read_url(source.key, source.filename)
    if url is not None:
        return RedirectResponse(url, 302, {"Cache-Control": "private, no-store"})
    path = caller.runtime.blobs.local_copy(source.key)
    return FileResponse(path, media_type="application/octet-stream", filename=source.filename)


@router.get("/{document_id}/versions")
def list_versions(
    caller: Reader, document_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Document]:
    """All versions of the same logical document, oldest first."""
    after = number_cursor("versions", cursor)
    found = library.list_versions(caller.runtime, caller.identity, document_id, after, limit + 1)
    return page_of("versions", found, limit, lambda item: [item.version.index])


@router.get("/{document_id}/changes")
def get_changes(caller: Reader, document_id: UUID) -> DocumentChanges | None:
    """Which chunks are other ones than in the version before; null for a first version."""
    return find_changes(caller.runtime, caller.identity, document_id)


@router.get("/{document_id}/chunks")
def list_chunks(
    caller: Reader, document_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Chunk]:
    """Chunks in document order, each with its section's path and its boxes."""
    after = ordinal_cursor("chunks", cursor)
    found = pages.list_chunks(caller.runtime, caller.identity, document_id, after, limit + 1)
    return page_of("chunks", found, limit, lambda item: [item.ordinal, item.id])


@router.get("/{document_id}/sections")
def list_sections(
    caller: Reader, document_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[Section]:
    """Sections in document order, each with its path."""
    after = ordinal_cursor("sections", cursor)
    found = library.list_sections(caller.runtime, caller.identity, document_id, after, limit + 1)
    positions = page_of("sections", found, limit, lambda item: [*item[0]])
    return PageOf(items=[section for _, section in positions.items], next_cursor=positions.next_cursor)


@router.get("/{document_id}/verify")
def verify(
    caller: Reader,
    document_id: UUID,
    refresh: Annotated[bool, Query(description="read the source again, whatever is kept")] = False,
) -> VerifyReport:
    """Every chunk's text and boxes against the source: the report kept of this run, made when first asked for."""
    from shared.library.verification import verify_stored_document

    return verify_stored_document(caller.runtime, caller.identity, document_id, refresh=refresh)
