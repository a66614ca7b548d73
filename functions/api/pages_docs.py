"""`/docs`: the API's document as pages that need no scripts, one per group of operations."""

from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from functions.api.challenge import origin_of
from functions.api.described import DescribedGroup, described_groups
from functions.api.identity import sent_by
from functions.api.pages_account import account_of
from functions.api.pages_settings import tabs_for
from functions.api.pages_shell import PageContext, render_page

QUERY_MAX = 200


class DocsContext(PageContext):
    """All groups for the list beside, the one that is shown, and what was looked for."""

    groups: list[DescribedGroup]
    shown: DescribedGroup | None
    query: str
    origin: str


def mount_docs(app: FastAPI) -> None:
    app.add_api_route("/docs", show_docs, name="docs", response_class=HTMLResponse, include_in_schema=False)
    app.add_api_route(
        "/docs/{group}", show_docs, name="docs_group", response_class=HTMLResponse, include_in_schema=False
    )


def show_docs(request: Request, group: str = "", q: str = "") -> HTMLResponse:
    """A group's operations; without one all groups, or the operations in which each word of `q` stands."""
    account = account_of(request)
    groups = _groups(request)
    shown = next((one for one in groups if one.slug == group), None)
    if group and shown is None:
        raise HTTPException(404)
    query = q.strip()[:QUERY_MAX]
    if query and not group:
        words = query.lower().split()
        found = [one._replace(operations=[op for op in one.operations if op.holds(words)]) for one in groups]
        groups = [one for one in found if one.operations]
    context = DocsContext(
        title=f"{shown.name} · API" if shown else "API",
        template="docs.html",
        active="docs",
        twin="/v1/openapi.json",
        module="docs/main.js",
        styles=("docs",),
        csrf=sent_by(request).get("csrf", ""),
        account=account,
        tabs=tabs_for(account),
        local=request.app.state.local,
        groups=groups,
        shown=shown,
        query=query,
        origin=origin_of(request),
    )
    return render_page(context)


def _groups(request: Request) -> list[DescribedGroup]:
    """Made once per address of the server: examples name it."""
    state, origin = request.app.state, origin_of(request)
    made = cast(dict[str, list[DescribedGroup]], getattr(state, "docs", None) or {})
    if origin not in made:
        made = {origin: described_groups(cast(dict[str, Any], request.app.openapi()), origin)}
        state.docs = made
    return made[origin]
