"""The page shown for an unknown address or a server error."""

from fastapi.responses import HTMLResponse
from pydantic import BaseModel
from starlette.requests import Request

from functions.api.errors import DETAILS
from functions.api.identity import sent_by
from functions.api.pages_account import account_if_known
from functions.api.pages_settings import tabs_for
from functions.api.pages_shell import PageContext, render_page

# Instead of what is told to programs, which are sent to the list of the API's addresses.
NO_PAGE = "There is no page at this address. It may be mistyped, or of something that has been deleted."


class ErrorContext(PageContext):
    """What happened, what is safe, what to do next, and the id to quote."""

    status: int
    heading: str
    detail: str
    request_id: str
    invited: list[str]


class ProblemPage(BaseModel):
    """The part of a problem+json document that the page shows."""

    status: int
    title: str
    detail: str
    request_id: str
    waking: bool = False
    invited: list[str] = []


def render_problem(request: Request, problem: ProblemPage) -> HTMLResponse:
    """The error page of `problem`, with its status; while the database is `waking`, one that goes on by itself. Whoever
    is `invited` by several organizations chooses one there. Whoever is signed in has the header of every other page."""
    account = None if problem.waking else account_if_known(request)
    context = ErrorContext(
        title=problem.title,
        template="waking.html" if problem.waking else "error.html",
        twin="/v1/ready" if problem.waking else "/v1/knowledge-bases",
        module="waking/main.js" if problem.waking else "error/main.js",
        local=request.app.state.local,
        csrf=sent_by(request).get("csrf", ""),
        account=account,
        tabs=tabs_for(account),
        invited=problem.invited,
        status=problem.status,
        heading=problem.title,
        detail=NO_PAGE if problem.detail == DETAILS[404] else problem.detail,
        request_id=problem.request_id,
    )
    return render_page(context, problem.status)
