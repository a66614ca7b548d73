"""Puts the pages and their static files onto the application."""

from fastapi import FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from functions.api import pages_evaluation, pages_knowledge, pages_playground, pages_versions
from functions.api.pages_shell import STATIC, static_root

FOR_EVER = "public, max-age=31536000, immutable"


class VersionedFiles(StaticFiles):
    """Static files whose address changes with their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = FOR_EVER
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def favicon(request: Request) -> Response:
    """Browsers ask for it whatever the page says."""
    return Response((STATIC / "icon.svg").read_bytes(), media_type="image/svg+xml")


def mount_pages(app: FastAPI) -> None:
    """Adds the pages, `/favicon.ico` and `/static/{version}/…` to `app`."""
    app.include_router(pages_knowledge.router)
    app.include_router(pages_playground.router)
    app.include_router(pages_versions.router)
    app.include_router(pages_evaluation.router)
    app.add_api_route("/favicon.ico", favicon, include_in_schema=False)
    app.mount(static_root(), VersionedFiles(directory=STATIC), name="static")
