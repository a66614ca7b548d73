"""Resources: digests as trees of files, documents to choose from, a document's text in parts, a passage."""

from typing import Any, Final
from uuid import UUID

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ListResourcesResult, PaginatedRequestParams, Resource
from starlette.concurrency import run_in_threadpool

from functions.api.pagination import is_cursor_of, listed, page_of, path_cursor
from functions.mcp.calls import caller, told
from functions.mcp.shapes import chunk_uri, digest_uri, document_uri, passage
from shared.digest import resource as digest
from shared.domain.knowledge import Document
from shared.errors import AutriError, NotFound
from shared.library import documents as library
from shared.library.pages import list_chunks
from shared.library.passages import get_passage

LISTED: Final = 100
FILES: Final = "digest-files"
# Passages of one reading of a document.
PART: Final = 100


def add_resources(server: MCPServer[Any]) -> None:
    add = server.resource(
        "autri://documents/{document_id}{?after}",
        name="document",
        title="A document's text",
        description=f"The text of a document version, {PART} passages at once; its last line says how to go on.",
        mime_type="text/markdown",
    )
    add(told(read_document))
    add = server.resource(
        "autri://knowledge-bases/{knowledge_base_id}/digest/{+path}",
        name="digest",
        title="A file of the digest",
        description="Begin with index.md: its lines say which topics there are, and where their summaries are.",
        mime_type="text/markdown",
    )
    add(told(read_digest))
    add = server.resource(
        "autri://chunks/{chunk_id}",
        name="chunk",
        title="A passage",
        description="One verbatim passage with its document, version, section and page.",
        mime_type="application/json",
    )
    add(told(read_chunk))


def read_document(document_id: str, after: str = "-1") -> str:
    """The text of a document version from behind the passage numbered `after`."""
    who, wanted = caller(), _to_id(document_id)
    document = library.get_document(who.runtime, who.identity, wanted)
    begin = int(after) if after.isdecimal() else -1
    position = (begin, UUID(int=2**128 - 1)) if begin >= 0 else None
    found = list_chunks(who.runtime, who.identity, wanted, position, PART + 1)
    head = f"# {document.name} ({_version(document)})\n" if position is None else ""
    parts = [head, *(f"{one.marked or one.content}\n[{chunk_uri(one.id)}]" for one in found[:PART])]
    if len(found) > PART:
        parts.append(f"To go on: {document_uri(wanted)}?after={found[PART - 1].ordinal}")
    return "\n\n".join(filter(None, parts))


def read_digest(knowledge_base_id: str, path: str) -> str:
    """A file of the digest, with what its numbers cite, which of it is stale, and where to read on."""
    who = caller()
    return digest.read_resource(who.runtime, who.identity, _to_id(knowledge_base_id), path)


def read_chunk(chunk_id: str) -> str:
    """The passage as JSON."""
    who = caller()
    found = get_passage(who.runtime, who.identity, _to_id(chunk_id))
    return passage(found.chunk, found.document.name, found.version).model_dump_json()


async def list_resources(
    _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
) -> ListResourcesResult:
    """The files of digests by knowledge base and path, then document versions, newest first; a page at a time."""

    def read() -> ListResourcesResult:
        cursor = params.cursor if params else None
        files, cursor = _files(cursor)
        if cursor is not None and is_cursor_of(FILES, cursor):
            return ListResourcesResult(resources=files, next_cursor=cursor)
        who = caller()
        page = listed(
            "documents",
            cursor,
            LISTED - len(files),
            lambda before, limit: library.list_documents(who.runtime, who.identity, None, before, limit),
        )
        return ListResourcesResult(
            resources=[*files, *(_resource(one) for one in page.items)], next_cursor=page.next_cursor
        )

    try:
        return await run_in_threadpool(read)
    except AutriError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from None


def _files(cursor: str | None) -> tuple[list[Resource], str | None]:
    """The files of digests that `cursor` leads to, and the cursor that goes on: to more of them, or to documents."""
    if cursor is not None and not is_cursor_of(FILES, cursor):
        return [], cursor
    who = caller()
    found = digest.list_files(who.runtime, who.identity, path_cursor(FILES, cursor), LISTED)
    page = page_of(FILES, found, LISTED - 1, lambda one: [one.knowledge_base_id, one.path])
    return [_file(one) for one in page.items], page.next_cursor


def _file(found: digest.ResourceFile) -> Resource:
    return Resource(
        uri=digest_uri(found.knowledge_base_id, found.path),
        name=found.path,
        title=found.title,
        description=f"Digest, {found.tier}, version {found.version}, {found.characters} characters",
        mime_type="text/markdown",
    )


def _resource(document: Document) -> Resource:
    return Resource(
        uri=document_uri(document.id),
        name=document.name,
        description=f"{_version(document)}, {document.pages} pages, {document.status}",
        mime_type="text/markdown",
    )


def _version(document: Document) -> str:
    version = document.version
    label = version.label or f"version {version.index}"
    return label if version.is_current else f"{label}, superseded"


def _to_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"`{text}` is no id. Take an address that a tool has answered with.") from None
