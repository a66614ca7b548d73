"""The page shown for an unknown address or a server error."""

from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from functions.api.pages_shell import PageContext, render_page


class ErrorContext(PageContext):
    """What happened, what is safe, what to do next, and the id to quote."""

    status: int
    heading: str
    detail: str
    request_id: str


class ProblemPage(BaseModel):
    """The part of a problem+json document that the page shows."""

    status: int
    title: str
    detail: str
    request_id: str


def render_problem(problem: ProblemPage) -> HTMLResponse:
    """The error page of `problem`, with its status."""
    context = ErrorContext(
        title=problem.title,
        template="error.html",
        twin="/v1/knowledge-bases",
        module="error/main.js",
        status=problem.status,
        heading=problem.title,
        detail=problem.detail,
        request_id=problem.request_id,
    )
    return render_page(context, problem.status)
