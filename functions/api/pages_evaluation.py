"""The page that shows how good retrieval is on a knowledge base: scorecard, history, the questions it does worst on."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from functions.api.pages_shell import PageContext, render_page
from functions.api.pages_storage import storage_origin

router = APIRouter(include_in_schema=False)


@router.get("/kb/{slug}/evaluation", response_class=HTMLResponse)
def evaluation(request: Request, slug: str) -> HTMLResponse:
    """Runs over gold questions; `?run=&measure=` are read by the module."""
    context = PageContext(
        title="Evaluation",
        template="evaluation.html",
        active="home",
        twin="/v1/knowledge-bases",
        module="evaluation/main.js",
        styles=("evaluation",),
        data={"slug": slug},
    )
    return render_page(context, storage=storage_origin(request))
