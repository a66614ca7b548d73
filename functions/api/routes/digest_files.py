"""The digest's files as a folder, and what they cite."""

from typing import Any
from uuid import UUID

from fastapi import Response
from fastapi.responses import JSONResponse

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.routing import v1_router
from shared.digest import sources, transfer
from shared.domain.digest_folder import FolderImport, FolderImported

router = v1_router("digest", "/knowledge-bases/{knowledge_base_id}")
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}, "description": "a folder"}
}


@router.get("/digest/files/{file_id}/sources")
def list_sources(caller: Reader, knowledge_base_id: UUID, file_id: UUID) -> sources.DigestSources:
    """What the numbers of a file stand for: passages with their boxes, document and version, and how they stand now."""
    return sources.list_sources(caller.runtime, caller.identity, knowledge_base_id, file_id)


@router.get("/digest:export", response_class=Response, responses=ZIP)
def export_folder(caller: Reader, knowledge_base_id: UUID) -> Response:
    """The digest as a folder of Markdown, as a ZIP file: stable names, a statement a line, front matter with version
    and hash. The same digest gives the same bytes."""
    content = transfer.export_folder(caller.runtime, caller.identity, knowledge_base_id)
    headers = {"Content-Disposition": 'attachment; filename="digest.zip"'}
    return Response(content, media_type="application/zip", headers=headers)


@router.post("/digest:import", response_model=FolderImported)
def import_folder(change: Change, knowledge_base_id: UUID, body: FolderImport) -> JSONResponse:
    """Take files of an exported folder back: what was changed in them becomes your edits. What was changed here since
    the export is told as a conflict, and left as it is; so is a file that cannot be read. `dry_run` says what
    would be done."""
    return change.answer(
        200, lambda: transfer.import_folder(change.runtime, change.identity, knowledge_base_id, body), body
    )
