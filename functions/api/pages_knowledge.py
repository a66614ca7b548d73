"""The pages around documents: knowledge bases, one knowledge base, the inspector."""

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from functions.api.pages_shell import PageContext, render_page
from functions.api.pages_storage import storage_origin
from shared.readers.registry import NAMES

router = APIRouter(include_in_schema=False)


@router.get("/", response_class=HTMLResponse)
def knowledge_bases(request: Request) -> HTMLResponse:
    """All knowledge bases of the caller, with counts."""
    context = PageContext(
        title="Knowledge bases",
        template="home.html",
        active="home",
        twin="/v1/knowledge-bases",
        module="home/main.js",
        styles=("documents",),
    )
    return render_page(context, storage=storage_origin(request))


@router.get("/kb/{slug}", response_class=HTMLResponse)
def knowledge_base(request: Request, slug: str) -> HTMLResponse:
    """The documents of one knowledge base, running ingestions and the place to drop files."""
    context = PageContext(
        title="Documents",
        template="documents.html",
        active="home",
        twin="/v1/documents",
        module="documents/main.js",
        styles=("documents",),
        data={"slug": slug, "formats": NAMES},
    )
    return render_page(context, storage=storage_origin(request))


@router.get("/documents/{document_id}", response_class=HTMLResponse)
def inspector(request: Request, document_id: UUID) -> HTMLResponse:
    """One document: pages, boxes, chunks and the proof; `?page=&chunk=` are read by the module."""
    context = PageContext(
        title="Inspector",
        template="inspector.html",
        active="home",
        twin=f"/v1/documents/{document_id}",
        module="inspector/main.js",
        styles=("inspector", "overlay", "cards", "panes", "edits"),
        data={"document-id": str(document_id)},
    )
    return render_page(context, storage=storage_origin(request))
