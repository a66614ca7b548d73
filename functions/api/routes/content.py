"""Receives an upload's bytes on one machine, streamed from the request to a file."""

from typing import cast
from uuid import UUID

import anyio
import anyio.to_thread
from fastapi import Request, Response

from functions.api.caller import Editor
from functions.api.intake import declared_size
from functions.api.routing import v1_router
from functions.api.streams import blocking_parts
from functions.api.upload_slots import UploadSlots
from shared.ingestion.uploads import check_announced, receive_upload

router = v1_router("ingestion")

BINARY = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}


@router.put("/uploads/{upload_id}/content", status_code=204, openapi_extra=BINARY)
async def put_content(request: Request, caller: Editor, upload_id: UUID) -> Response:
    """Send an announced file's bytes; its ingestion starts when they have arrived. One machine only.

    The upload and its size are looked up before the first byte is read. Threads are not those of other requests: a
    slow sender keeps nobody else waiting.
    """
    declared = declared_size(request.headers)
    await anyio.to_thread.run_sync(check_announced, caller.runtime, caller.identity, upload_id, declared)
    slots = cast(UploadSlots, request.app.state.upload_slots)
    async with slots.one(caller.identity.user_id):
        parts, own_thread = blocking_parts(request.stream()), anyio.CapacityLimiter(1)
        await anyio.to_thread.run_sync(
            receive_upload, caller.runtime, caller.identity, upload_id, parts, limiter=own_thread
        )
    return Response(status_code=204)
