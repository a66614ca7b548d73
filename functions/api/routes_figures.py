"""The cut-out images of a document's figures."""

from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import FileResponse, RedirectResponse, Response

from functions.api.caller import Reader
from functions.api.routes_pages import ASK_AGAIN
from shared.library import figures as library

router = APIRouter(prefix="/documents/{document_id}/figures", tags=["pages"])


@router.get(
    "/{chunk_id}/image",
    response_class=Response,
    responses={
        200: {"content": {"image/jpeg": {}}, "description": "The image"},
        302: {"description": "The image is at this address for a few minutes"},
    },
)
def figure_image(caller: Reader, document_id: UUID, chunk_id: UUID) -> Response:
    """The figure alone, cut out of its page, as JPEG. Streamed here; in the cloud a short-lived address."""
    key = library.figure_image_key(caller.runtime, caller.identity, document_id, chunk_id)
    url = caller.runtime.blobs.read_url(key)
    if url is not None:
        return RedirectResponse(url, 302, {"Cache-Control": "private, no-store"})
    headers = {"Cache-Control": ASK_AGAIN}
    return FileResponse(caller.runtime.blobs.local_copy(key), media_type="image/jpeg", headers=headers)
