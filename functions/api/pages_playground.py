"""The page where retrieval is tried out: question, answer, hits and the trace of how they were found."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from functions.api.pages_shell import PageContext, render_page
from functions.api.pages_storage import storage_origin

router = APIRouter(include_in_schema=False)


@router.get("/playground", response_class=HTMLResponse)
def playground(request: Request) -> HTMLResponse:
    """Search, look-up and ask; `?q=&kb=&mode=`, the settings, `b` and `trace` are read by the module."""
    context = PageContext(
        title="Playground",
        template="playground.html",
        active="playground",
        twin="/v1/knowledge-bases",
        module="playground/main.js",
        styles=("playground", "answer", "candidates"),
    )
    return render_page(context, storage=storage_origin(request))
