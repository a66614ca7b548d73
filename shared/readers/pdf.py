"""The PDF reader: opens a source, or refuses it with one sentence, and reads its pages into page files."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

import pymupdf

from shared.contract import PASSWORD_MISSING, PASSWORD_WRONG
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.raw_page import RawPage, RawPictures
from shared.errors import RefusedFile
from shared.readers.pdf_characters import pictures_of, raw_pages_of
from shared.readers.pdf_page import page_file_of
from shared.readers.pdf_refusal import check_bytes
from shared.readers.pdf_render import RenderedPage, render
from shared.readers.sketch import sketch_page

__all__ = ["EXTRACTOR_VERSION", "Source", "open_source", "read_page", "render_page", "render_pages", "sketch_page"]

# Recorded on every row: reader, join rule (shared/extraction/compose.py) and layout engine together.
EXTRACTOR_VERSION: Final = f"pdf-3/mupdf-{pymupdf.mupdf_version}"

# What MuPDF and PyMuPDF raise over a file that they cannot read; MuPDF's own errors are no RuntimeError.
READ_ERRORS: Final = (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase)  # pyright: ignore[reportPrivateImportUsage]

# `pymupdf.PDF_ENCRYPT_NONE`, which its type information leaves out.
NO_ENCRYPTION: Final = 1

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


class Source:
    """An open PDF. Use as a context manager; not for use by several threads at once."""

    def __init__(self, document: pymupdf.Document, name: str) -> None:
        self.document = document
        self.name = name
        # Asked once, before the password is tried: asking tries the empty one and forgets the right one.
        self.is_protected = bool(document.needs_pass)

    @property
    def page_count(self) -> int:
        return self.document.page_count

    def save_opened(self, path: Path) -> None:
        """Write the same document without its protection."""
        self.document.save(path, encryption=NO_ENCRYPTION)

    @property
    def title(self) -> str | None:
        """The title in the document's metadata; None where it has none."""
        metadata = self.document.metadata or {}
        return (metadata.get("title") or "").strip() or None

    @property
    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that point to a page of this document, in their order; empty where they are damaged."""
        return list(_outline_entries(self.document))

    @property
    def is_blank(self) -> bool:
        """Whether no page has any text, image or drawing: what is left of a file that was cut off, most often."""
        return not any(_has_content(self.document[number]) for number in range(self.page_count))

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        """The library's two readings of a page (from 1), character by character, for verification; raises RefusedFile
        where it cannot be read."""
        with _readable(page):
            yield from raw_pages_of(self.document[page - 1])

    def pictures(self, page: int) -> RawPictures:
        """Where a page (from 1) has bitmaps and drawing, for verification; raises RefusedFile as above."""
        with _readable(page):
            return pictures_of(self.document[page - 1])

    def close(self) -> None:
        if not self.document.is_closed:
            self.document.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_source(path: Path | str, password: str | None = None) -> Source:
    """Open a PDF; raises RefusedFile with one sentence that says what is wrong and what to do."""
    path = Path(path)
    check_bytes(path)
    try:
        document = pymupdf.open(path, filetype="pdf")
    except READ_ERRORS as error:
        raise RefusedFile(
            "The PDF is damaged beyond repair or cut off; save it again in a viewer, or upload another copy."
        ) from error
    return _accepted(Source(document, path.name), password)


def _accepted(source: Source, password: str | None) -> Source:
    document = source.document
    if source.is_protected and not (password and document.authenticate(password)):
        source.close()
        raise RefusedFile(PASSWORD_WRONG if password else PASSWORD_MISSING)
    if document.page_count == 0:
        source.close()
        raise RefusedFile("The PDF has no readable pages; it may be cut off or empty: upload a complete copy.")
    return source


def _has_content(page: pymupdf.Page) -> bool:
    return bool(str(page.get_text()).strip() or page.get_images() or page.get_drawings())


def _outline_entries(document: pymupdf.Document) -> Iterator[OutlineEntry]:
    try:
        entries = document.get_toc(simple=False)
    except (*READ_ERRORS, KeyError, IndexError, TypeError):
        return  # damaged bookmarks are evidence lost, not a reason to refuse the document
    for level, title, page, target in entries:
        if 1 <= page <= document.page_count:
            yield OutlineEntry(level=level, title=_clean(title), page=page, y=_height(document, page, target))


def _clean(title: str) -> str:
    return title.replace("\x00", "").encode("utf-8", "ignore").decode().strip()


def _height(document: pymupdf.Document, page: int, target: dict[str, object]) -> float | None:
    point = target.get("to")
    if not isinstance(point, pymupdf.Point) or target.get("kind") != pymupdf.LINK_GOTO:
        return None
    height = float(document.page_cropbox(page - 1).height)
    return min(1.0, max(0.0, float(point.y) / height)) if height > 0 else None


def read_page(source: Source, page: int, characters: bool = False) -> PageFile:
    """Fragments, rules and images of one page (from 1); raises RefusedFile where the page cannot be read.

    With `characters` the fragments have `char_x`, so that parts of them can be referred to; everything else is equal.
    """
    with _readable(page):
        return page_file_of(source.document[page - 1], page, EXTRACTOR_VERSION, characters)


def render_page(source: Source, page: int, dpi: int = 200) -> bytes:
    """The page as displayed, as JPEG."""
    return render_pages(source, page, dpi).image


def render_pages(source: Source, page: int, dpi: int = 200) -> RenderedPage:
    """The page as JPEG and its thumbnail, from one pixmap."""
    with _readable(page):
        return render(source.document[page - 1], dpi)


@contextmanager
def _readable(page: int) -> Generator[None]:
    try:
        yield
    except READ_ERRORS as error:
        raise RefusedFile(
            f"Page {page} of the PDF cannot be read ({error}); save the file again in a viewer."
        ) from error
