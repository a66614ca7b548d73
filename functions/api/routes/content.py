"""Receives an upload's bytes on one machine, streamed from the request to a file."""

from collections.abc import AsyncIterator, Iterator
from typing import cast
from uuid import UUID

import anyio
import anyio.from_thread
import anyio.to_thread
from fastapi import APIRouter, Request, Response

from functions.api.caller import Editor
from functions.api.intake import declared_size
from functions.api.upload_slots import UploadSlots
from shared.ingestion.uploads import check_announced, receive_upload

router = APIRouter(tags=["ingestion"])

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
        parts, own_thread = _blocking(request.stream()), anyio.CapacityLimiter(1)
        await anyio.to_thread.run_sync(
            receive_upload, caller.runtime, caller.identity, upload_id, parts, limiter=own_thread
        )
    return Response(status_code=204)


def _blocking(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The parts of `stream` for a worker thread, which waits on the event loop for each of them."""

    async def next_part() -> bytes | None:
        return await anext(stream, None)

    while (part := anyio.from_thread.run(next_part)) is not None:
        yield part
