"""The table of all web pages, the handler that renders them, and their static files.

A page is added by its row here, its template and its ES module; parameters for the module are attributes of <main>.
"""

from collections.abc import Callable
from typing import NamedTuple, cast

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from functions.api.caller import SIGNED_IN
from functions.api.identity import CloudIdentity, sent_by
from functions.api.pages_shell import PageContext, render_page
from functions.api.static_files import FOR_EVER, STATIC, static_root


class Page(NamedTuple):
    """A page at `path`. `name` is its template's and its module's folder; `twin`, with the path's parameters filled in,
    is the address of its data as JSON."""

    path: str
    name: str
    title: str
    twin: str
    styles: tuple[str, ...]
    active: str = "home"


PAGES = (
    Page("/", "home", "Knowledge bases", "/v1/knowledge-bases", ("documents",)),
    Page("/kb/{slug}", "documents", "Documents", "/v1/documents", ("documents",)),
    Page("/kb/{slug}/evaluation", "evaluation", "Evaluation", "/v1/knowledge-bases", ("evaluation",)),
    Page(
        "/documents/{document_id:uuid}", "inspector", "Inspector", "/v1/documents/{document_id}",
        ("inspector", "overlay", "cards", "panes", "edits"),
    ),
    Page(
        "/documents/{document_id:uuid}/diff/{other_id:uuid}", "diff", "Differences",
        "/v1/documents/{document_id}/diff/{other_id}", ("diff",),
    ),
    Page(
        "/playground", "playground", "Playground", "/v1/knowledge-bases", ("playground", "answer", "candidates"),
        active="playground",
    ),
)  # fmt: skip


class VersionedFiles(StaticFiles):
    """Static files whose address changes with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = FOR_EVER
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


SIGNED_OUT = Page("/auth/signed-out", "signed_out", "Signed out", "/v1/health", (), active="")

# For who is signed in and belongs nowhere, where the deployment lets people make organizations.
WELCOME = Page("/welcome", "welcome", "Create your organization", "/v1/health", (), active="")


def _recognized(request: Request) -> None:
    cast(CloudIdentity, request.app.state.identify).recognize(request)


def mount_pages(app: FastAPI, local: bool) -> None:
    """Adds the pages, `/favicon.ico` and `/static/{version}/…` to `app`.

    On one machine pages are open: they hold no data, and `/v1` asks who reads it. Elsewhere they ask as well, so that
    people are sent to sign in before they see an empty frame.
    """
    guards = [] if local else [SIGNED_IN]
    for page in PAGES:
        app.add_api_route(
            page.path,
            _handler(page),
            name=page.name,
            response_class=HTMLResponse,
            include_in_schema=False,
            dependencies=guards,
        )
    if not local:
        app.add_api_route(SIGNED_OUT.path, _handler(SIGNED_OUT), name=SIGNED_OUT.name, include_in_schema=False)
        welcome = [Depends(_recognized)]
        app.add_api_route(
            WELCOME.path, _handler(WELCOME), name=WELCOME.name, include_in_schema=False, dependencies=welcome
        )
    app.add_api_route("/favicon.ico", _favicon, include_in_schema=False)
    app.mount(static_root(), VersionedFiles(directory=STATIC), name="static")


def _handler(page: Page) -> Callable[[Request], HTMLResponse]:
    def show(request: Request) -> HTMLResponse:
        parameters = {name: str(value) for name, value in request.path_params.items()}
        context = PageContext(
            title=page.title,
            template=f"{page.name}.html",
            active=page.active,
            twin=page.twin.format(**parameters),
            module=f"{page.name}/main.js",
            styles=page.styles,
            data={name.replace("_", "-"): value for name, value in parameters.items()},
            csrf=sent_by(request).get("csrf", ""),
        )
        return render_page(context, storage=request.app.state.storage)

    return show


def _favicon(_request: Request) -> Response:
    """Browsers request it whatever the page says."""
    return Response((STATIC / "icon.svg").read_bytes(), media_type="image/svg+xml")
