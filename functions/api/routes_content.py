"""On one machine the application itself takes an upload's bytes, as they arrive and without holding them."""

from collections.abc import AsyncIterator, Iterator
from uuid import UUID

import anyio.from_thread
import anyio.to_thread
from fastapi import APIRouter, Request, Response

from functions.api.caller import Editor
from shared.ingestion.uploads import receive_upload

router = APIRouter(tags=["ingestion"])

BINARY = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}


@router.put("/uploads/{upload_id}/content", status_code=204, openapi_extra=BINARY)
async def put_content(request: Request, caller: Editor, upload_id: UUID) -> Response:
    """Send an announced file's bytes; its ingestion starts when they have arrived. One machine only."""
    parts = _blocking(request.stream())
    await anyio.to_thread.run_sync(receive_upload, caller.runtime, caller.identity, upload_id, parts)
    return Response(status_code=204)


def _blocking(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    """The parts of `stream` for a worker thread, which waits for each of them on the event loop."""

    async def next_part() -> bytes | None:
        return await anext(stream, None)

    while (part := anyio.from_thread.run(next_part)) is not None:
        yield part
