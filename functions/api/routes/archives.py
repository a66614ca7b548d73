"""Archives of knowledge bases and organizations, on one machine: sent as a file, received as a stream.

On AWS both are jobs (`exports`).
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast
from uuid import UUID

import anyio
import anyio.to_thread
from fastapi import Query, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from functions.api.caller import Admin, Caller
from functions.api.routing import v1_router
from functions.api.streams import blocking_parts
from functions.api.upload_slots import UploadSlots
from shared.archive.exporting import export_knowledge_base, export_organization
from shared.archive.importing import ImportedArchive, import_archive
from shared.archive.manifest import ENDING, Manifest
from shared.library.knowledge_bases import NAME_MAX

router = v1_router("archives")

ZIP = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}, "description": "the archive"}
ANSWERS: dict[int | str, dict[str, Any]] = {200: ZIP}
BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}


@router.get("/knowledge-bases/{knowledge_base_id}/export", response_class=FileResponse, responses=ANSWERS)
def export_base(caller: Admin, knowledge_base_id: UUID) -> FileResponse:
    """An archive of a knowledge base. It is complete before its first byte is sent."""
    return _sent(caller, partial(export_knowledge_base, caller.runtime, caller.identity, knowledge_base_id))


@router.get("/organization/export", response_class=FileResponse, responses=ANSWERS)
def export_all(caller: Admin) -> FileResponse:
    """An archive of the whole organization: all knowledge bases, and its settings."""
    return _sent(caller, partial(export_organization, caller.runtime, caller.identity))


@router.post("/imports", status_code=201, openapi_extra=BODY)
async def post_import(
    request: Request, caller: Admin, name: Annotated[str | None, Query(max_length=NAME_MAX)] = None
) -> ImportedArchive:
    """Read an archive back, all of it or nothing, with the same ids. `name` calls its only knowledge base that."""
    slots = cast(UploadSlots, request.app.state.upload_slots)
    async with slots.one(caller.identity.user_id):
        parts, own_thread = blocking_parts(request.stream()), anyio.CapacityLimiter(1)

        def receive() -> ImportedArchive:
            with tempfile.NamedTemporaryFile(dir=caller.runtime.blobs.spool()) as file:
                for part in parts:
                    file.write(part)
                file.flush()
                return import_archive(caller.runtime, caller.identity, Path(file.name), name)

        return await anyio.to_thread.run_sync(receive, limiter=own_thread)


def _sent(caller: Caller, export: Callable[[Path], Manifest]) -> FileResponse:
    with tempfile.NamedTemporaryFile(dir=caller.runtime.blobs.spool(), delete=False) as file:
        path = Path(file.name)
    try:
        manifest = export(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    of = manifest.organization.slug if manifest.kind == "organization" else manifest.knowledge_bases[0].slug
    return FileResponse(
        path,
        media_type="application/zip",
        filename=of + ENDING,
        background=BackgroundTask(path.unlink, missing_ok=True),
    )
