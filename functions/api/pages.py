"""The table of all web pages, the handler that renders them, and their static files.

A page is added by its row here, its template and its ES module; parameters for the module are attributes of <main>.
"""

import sys
from collections.abc import Callable
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from functions.api.challenge import origin_of
from functions.api.identity import CloudIdentity, Identify, sent_by
from functions.api.pages_account import account_of
from functions.api.pages_docs import mount_docs
from functions.api.pages_settings import TABS, tabs_for
from functions.api.pages_shell import PageContext, ShelfTab, render_page
from functions.api.static_files import FOR_EVER, STATIC, static_contents, static_root
from shared.access import require_role
from shared.domain.scope import Role
from shared.errors import AutriError
from shared.library.knowledge_bases import check_slug
from shared.runtime import Runtime


class Page(NamedTuple):
    """A page at `path`. `name` is its template's and its module's folder; `twin`, with the path's parameters filled in,
    is the address of its data as JSON. `role` is the least role that is shown it; None: it holds nothing of anybody's.
    `tab` is the path of the page of a knowledge base whose tab a single thing's page stands under.
    """

    path: str
    name: str
    title: str
    twin: str
    styles: tuple[str, ...]
    active: str = "home"
    role: Role | None = None
    tab: str = ""


SHELF = "/kb/{slug}"

PAGES = (
    Page("/", "home", "Knowledge bases", "/v1/knowledge-bases", ("documents",)),
    Page("/kb/{slug}", "documents", "Documents", "/v1/documents", ("documents",)),
    Page("/kb/{slug}/notebook", "notebook", "Notebook", "/v1/notebooks", ("documents", "answer", "notebook")),
    Page("/kb/{slug}/datasets", "datasets", "Datasets", "/v1/datasets", ("documents", "dataset")),
    Page("/kb/{slug}/plots", "plots", "Plots", "/v1/plots", ("documents", "plot")),
    Page("/kb/{slug}/summaries", "summaries", "Experiments", "/v1/summaries", ("documents", "summary")),
    Page("/kb/{slug}/digest", "digest", "Digest", "/v1/knowledge-bases", ("documents", "answer", "digest")),
    Page("/kb/{slug}/evaluation", "evaluation", "Evaluation", "/v1/knowledge-bases", ("evaluation",)),
    Page(
        "/kb/{slug}/evaluation/candidates", "candidates", "Candidates", "/v1/knowledge-bases",
        ("documents", "candidates", "gold_candidates"),
    ),
    Page("/kb/{slug}/review", "review", "Review", "/v1/knowledge-bases", ("cards", "documents", "review")),
    Page("/kb/{slug}/attributes", "schema", "Attributes", "/v1/knowledge-bases", ("documents", "schema")),
    Page(
        "/datasets/{dataset_id:uuid}", "dataset", "Dataset", "/v1/datasets/{dataset_id}", ("dataset",),
        tab=f"{SHELF}/datasets",
    ),
    Page("/plots/{plot_id:uuid}", "plot", "Plot", "/v1/plots/{plot_id}", ("plot",), tab=f"{SHELF}/plots"),
    Page(
        "/datasets/{dataset_id:uuid}/plot", "plot", "New plot", "/v1/datasets/{dataset_id}", ("plot",),
        tab=f"{SHELF}/plots",
    ),
    Page(
        "/documents/{document_id:uuid}", "inspector", "Inspector", "/v1/documents/{document_id}",
        ("inspector", "overlay", "part", "cards", "panes", "edits"),
    ),
    Page(
        "/documents/{document_id:uuid}/diff/{other_id:uuid}", "diff", "Differences",
        "/v1/documents/{document_id}/diff/{other_id}", ("diff",),
    ),
    Page(
        "/documents/{document_id:uuid}/summary", "summary", "Experiment summary", "/v1/documents/{document_id}/summary",
        ("documents", "summary"), tab=f"{SHELF}/summaries",
    ),
    Page(
        "/playground", "playground", "Ask & search", "/v1/knowledge-bases",
        ("playground", "answer", "candidates", "facets"), active="playground",
    ),
    *(
        Page(
            tab.path, f"settings/{tab.name}", tab.label, tab.twin, ("documents", "settings"), tab.path, tab.role
        )
        for tab in TABS
    ),
)  # fmt: skip


class VersionedFiles(StaticFiles):
    """Static files whose address changes with their content. They are held in memory: a page asks for fifty at once,
    and a file's response takes a thread for its size, its opening and each part of it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        content = static_contents().get(path) if scope["method"] == "GET" else None
        if content is None:
            response = await super().get_response(path, scope)
        else:
            response = Response(content, media_type=guess_type(path)[0])
        response.headers["Cache-Control"] = FOR_EVER
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


# Pages of a whole knowledge base: tabs below its name, in the order of their rows. What stands deeper is none.
SHELF_PAGES = tuple(page for page in PAGES if page.path.startswith(SHELF) and page.path.count("/") <= 3)


def shelf_tabs(page: Page) -> list[ShelfTab]:
    """The tabs of the knowledge base that `page` belongs to; none where it belongs to no one's."""
    place = page.tab or page.path
    above = [tab for tab in SHELF_PAGES if place.startswith(tab.path)]
    if not above:
        return []
    chosen = max(above, key=lambda tab: len(tab.path))
    marks = {chosen.path: "page" if chosen is page else "true"}
    return [
        ShelfTab(label=tab.title, below=tab.path.removeprefix(SHELF), current=marks.get(tab.path, ""))
        for tab in SHELF_PAGES
    ]


SIGNED_OUT = Page("/auth/signed-out", "signed_out", "Signed out", "/v1/health", (), active="")

# A conversation or a notebook, for whoever has its link.
SHARED = Page(
    "/shared/{token}", "shared", "Shared with you", "/v1/shared/{token}", ("answer", "notebook"), active=""
)  # fmt: skip

# For who is signed in and belongs nowhere, where the deployment lets people make organizations.
WELCOME = Page("/welcome", "welcome", "Create your organization", "/v1/health", (), active="")


def mount_pages(app: FastAPI, local: bool) -> None:
    """Adds the pages, `/favicon.ico` and `/static/{version}/…` to `app`.

    Their frame says who looks (`account_of`); the data comes from `/v1`, which asks for itself.
    """
    for page in PAGES:
        app.add_api_route(
            page.path, _handler(page), name=page.name, response_class=HTMLResponse, include_in_schema=False
        )
    mount_docs(app)
    app.add_api_route(SHARED.path, _shared, name=SHARED.name, include_in_schema=False)
    if not local:
        app.add_api_route(SIGNED_OUT.path, _signed_out, name=SIGNED_OUT.name, include_in_schema=False)
        app.add_api_route(WELCOME.path, _welcome, name=WELCOME.name, include_in_schema=False)
    app.add_api_route("/favicon.ico", _favicon, include_in_schema=False)
    app.mount(static_root(), VersionedFiles(directory=STATIC), name="static")


def _handler(page: Page) -> Callable[[Request], HTMLResponse]:
    def show(request: Request) -> HTMLResponse:
        account = account_of(request)
        if page.role is not None:
            require_role(account.user.role if account else None, page.role)
        if account is not None and "slug" in request.path_params:
            _check_shelf(request)
        context = _context(page, request)
        return render_page(
            context.model_copy(update={"account": account, "tabs": tabs_for(account)}),
            storage=request.app.state.storage,
        )

    return show


def _check_shelf(request: Request) -> None:
    """Raises NotFound where the sender sees no knowledge base of that slug: an address of nothing is no page."""
    state = request.app.state
    identity = cast(Identify, state.identify)(request)
    check_slug(cast(Runtime, state.runtime), identity, request.path_params["slug"])


def _shared(request: Request) -> HTMLResponse:
    """The frame for anybody, signed in or not; its data ask whether the link still shows something. The address is the
    secret: it is given to no other site, and to no search engine."""
    page = render_page(_context(SHARED, request).model_copy(update={"csrf": ""}))
    page.headers.update(
        {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
    )
    return page


def _signed_out(request: Request) -> HTMLResponse:
    """For nobody."""
    return render_page(_context(SIGNED_OUT, request))


def _welcome(request: Request) -> HTMLResponse:
    """For somebody signed in whom no organization knows. Raises NotSignedIn for anybody else."""
    cast(CloudIdentity, request.app.state.identify).recognize(request)
    return render_page(_context(WELCOME, request))


def _context(page: Page, request: Request) -> PageContext:
    parameters = {name: str(value) for name, value in request.path_params.items()}
    data = {name.replace("_", "-"): value for name, value in parameters.items()}
    if page.name == "settings/connect":
        data |= {"origin": origin_of(request)} | (own_command() if request.app.state.local else {})
    if page.name == "playground":
        data["plans"] = "yes" if _has_planner(request.app.state.runtime) else "no"
    return PageContext(
        title=page.title,
        template=f"{page.name}.html",
        active=page.active,
        twin=page.twin.format(**parameters),
        module=f"{page.name}/main.js",
        styles=page.styles,
        data=data,
        shelf=shelf_tabs(page),
        shelf_path=f"/kb/{quote(parameters['slug'], safe='')}" if "slug" in parameters else "",
        csrf=sent_by(request).get("csrf", ""),
        local=request.app.state.local,
    )


def _has_planner(runtime: Runtime) -> bool:
    """Whether a model answers that can call tools; one that is not set up right says so when it is asked."""
    try:
        model = runtime.answerer
    except AutriError:
        return False
    return model is not None and model.capabilities.tools


def own_command() -> dict[str, str]:
    """How an assistant on this machine starts `autri mcp`."""
    from shared.settings import LocalSettings

    return {"command": str(Path(sys.executable).with_name("autri")), "home": str(LocalSettings().home.resolve())}


def _favicon(_request: Request) -> Response:
    """Browsers request it whatever the page says."""
    return Response((STATIC / "icon.svg").read_bytes(), media_type="image/svg+xml")
