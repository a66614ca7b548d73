"""The frame of every page: its typed context, the template environment and the security headers.

The server renders the frame and what the first paint needs; ES modules load the data from `/v1`.
"""

from functools import cache
from pathlib import Path

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel

from functions.api.pages_settings import SettingsTab
from functions.api.static_files import imported_modules, static_root
from shared.domain.account import AccountProfile
from shared.readers.registry import ACCEPTED, NAMES

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"


class ShelfTab(BaseModel):
    """A page of a knowledge base, as its tabs name it; `below` is its path below the knowledge base's own. `current`:
    "page" where it is what is shown, "true" where that stands under it."""

    label: str
    below: str
    current: str


class PageContext(BaseModel):
    """The variables of a template. `twin` is the address of the page's data as JSON, `module` its entry ES module.

    `data` become `data-*` attributes of <main>, where the module reads them: there is no inline script. `csrf` is the
    session's token, which changes carry; empty where no cookie signs people in. `account` is who looks, `tabs` are the
    settings that are theirs. `shelf` are the pages of the knowledge base that this one is a page of,
    `shelf_path` its address; empty where the page's module finds out which it is.
    `local`: this is one machine, where nobody signs in.
    """

    title: str
    template: str
    active: str = ""
    twin: str
    module: str
    styles: tuple[str, ...] = ()
    data: dict[str, str] = {}
    csrf: str = ""
    account: AccountProfile | None = None
    tabs: list[SettingsTab] = []
    shelf: list[ShelfTab] = []
    shelf_path: str = ""
    local: bool = False


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content_security_policy(storage: str = "") -> str:
    """Allows nothing inline and no other origin, except `storage`, to which page images and uploads are redirected."""
    stored = f" {storage}" if storage else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "font-src 'self'",
            f"img-src 'self' data:{stored}",
            f"connect-src 'self'{stored}",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def render_page(context: PageContext, status: int = 200, storage: str = "") -> HTMLResponse:
    """The page as a response; `storage` as in `content_security_policy`."""
    html = (
        _environment()
        .get_template(context.template)
        .render(
            page=context,
            static=static_root(),
            modules=imported_modules(context.module),
            accepted=ACCEPTED,
            formats=NAMES,
        )
    )
    headers = {
        "Content-Security-Policy": content_security_policy(storage),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        # With a session, nothing of a page may be left for whoever uses the browser next.
        "Cache-Control": "no-store" if context.csrf else "no-cache",
    }
    return HTMLResponse(html, status_code=status, headers=headers)
