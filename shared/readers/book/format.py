"""E-books and saved web pages as formats."""

import re
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat, has_part, is_text
from shared.readers.parted import PartedSource

_SAVED: Final = (".mhtml", ".mht")
_SNAPSHOT: Final = re.compile(rb"^(?:Snapshot-Content-Location|X-MimeOLE: Produced By Microsoft MimeOLE)", re.I | re.M)
_RELATED: Final = re.compile(rb"^Content-Type:\s*multipart/related", re.I | re.M)


def _is_epub(look: Look) -> bool:
    return b"application/epub+zip" in look.head[:128] or (
        look.ending == ".epub" and has_part(look, "META-INF/container")
    )


def _is_saved_page(look: Look) -> bool:
    if not is_text(look.head):
        return False
    return look.ending in _SAVED or bool(_SNAPSHOT.search(look.head) and _RELATED.search(look.head))


def _open_epub(path: Path, password: str | None) -> PartedSource:
    from shared.readers.book.epub import open_epub

    return open_epub(path, password)


def _open_mhtml(path: Path, password: str | None) -> PartedSource:
    from shared.readers.book.mhtml import open_mhtml

    return open_mhtml(path, password)


def _reread_epub(path: Path) -> SecondText:
    from shared.rereading.book import reread_epub

    return reread_epub(path)


def _reread_mhtml(path: Path) -> SecondText:
    from shared.rereading.book import reread_mhtml

    return reread_mhtml(path)


def _epub_version() -> str:
    from shared.readers.book.epub import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _mhtml_version() -> str:
    from shared.readers.book.mhtml import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


EPUB: Final = StructuredFormat(
    "epub",
    "e-book (EPUB)",
    ("application/epub+zip",),
    (".epub",),
    _is_epub,
    _open_epub,
    _reread_epub,
    _epub_version,
)
MHTML: Final = StructuredFormat(
    "mhtml",
    "saved web page (MHTML)",
    ("multipart/related",),
    _SAVED,
    _is_saved_page,
    _open_mhtml,
    _reread_mhtml,
    _mhtml_version,
)
