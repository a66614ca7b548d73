"""Web pages as a format."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import WEB_PAGE, Look, StructuredFormat, is_text, markup_name
from shared.readers.parted import PartedSource

_ENDINGS: Final = (".html", ".htm", ".xhtml")


def _matches(look: Look) -> bool:
    return is_text(look.head) and (look.ending in _ENDINGS or markup_name(look.head) == WEB_PAGE)


def _open_html(path: Path, password: str | None) -> PartedSource:
    from shared.readers.html.document import open_html

    return open_html(path, password)


def _reread_html(path: Path) -> SecondText:
    from shared.rereading.html import reread_html

    return reread_html(path)


def _version() -> str:
    from shared.readers.html.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


HTML: Final = StructuredFormat(
    "html", "HTML", ("text/html", "application/xhtml+xml"), _ENDINGS, _matches, _open_html, _reread_html, _version
)
