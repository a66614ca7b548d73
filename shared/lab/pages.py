"""A page of HTML to keep: no script, nothing from elsewhere, every picture in it."""

import base64
from functools import cache
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from shared.lab.notebook.markup import element, join

STYLE = Path(__file__).with_name("page.css")


@cache
def _style() -> str:
    return STYLE.read_text()


@cache
def policy_of_page(*, asks: bool = False) -> str:
    """The content security policy that the page states, for who serves it; `asks`: it has a form."""
    hashed = base64.b64encode(sha256(_style().encode()).digest()).decode()
    target = "'self'" if asks else "'none'"
    return f"default-src 'none'; img-src data:; style-src 'sha256-{hashed}'; base-uri 'none'; form-action {target}"


def whole_page(title: str, body: Markup, *, asks: bool = False) -> bytes:
    """`title` is text; `asks` as in `policy_of_page`."""
    head = join(
        (
            Markup('<meta charset="utf-8">'),
            Markup('<meta http-equiv="Content-Security-Policy" content="{}">').format(policy_of_page(asks=asks)),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="robots" content="noindex, nofollow">'),
            Markup('<meta name="referrer" content="no-referrer">'),
            element("title", title),
            Markup("<style>{}</style>").format(Markup(_style())),  # noqa: S704 our own file
        )
    )
    whole = Markup('<!doctype html>\n<html lang="en">\n<head>{}</head>\n<body>{}</body>\n</html>\n')
    return str(whole.format(head, element("main", body))).encode()
