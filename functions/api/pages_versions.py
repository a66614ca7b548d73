"""The page on which two versions of a document are read side by side."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from functions.api.pages_shell import PageContext, render_page
from functions.api.pages_storage import storage_origin

router = APIRouter(include_in_schema=False)


@router.get("/documents/{document_id}/diff/{other_id}", response_class=HTMLResponse)
def diff(request: Request, document_id: UUID, other_id: UUID) -> HTMLResponse:
    """What changed from the first version to the second; `?show=` is read by the module."""
    context = PageContext(
        title="Differences",
        template="diff.html",
        active="home",
        twin=f"/v1/documents/{document_id}/diff/{other_id}",
        module="diff/main.js",
        styles=("diff",),
        data={"a": str(document_id), "b": str(other_id)},
    )
    return render_page(context, storage=storage_origin(request))
