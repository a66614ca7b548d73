"""The PDF reader: opens a file, or refuses it with one sentence, and reads its pages into page files."""

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pymupdf

from shared.contract import PASSWORD_MISSING, PASSWORD_WRONG
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.raw_page import RawForm, RawPage, RawPictures
from shared.errors import RefusedFile, StorageFull
from shared.readers.pdf.dates import read_pdf_date
from shared.readers.pdf.page import page_file_of
from shared.readers.pdf.render import render
from shared.readers.source import RenderedPage
from shared.rereading.characters import drawn_page_of, form_of, pictures_of, raw_pages_of

# Recorded on every row: reader, join rule (shared/extraction/compose.py) and layout engine together.
EXTRACTOR_VERSION: Final = f"pdf-12/mupdf-{pymupdf.mupdf_version}"

# Exceptions of MuPDF and PyMuPDF for a page that they cannot read (MuPDF's own errors are no RuntimeError), or that is
# missing because a repair has found fewer pages.
READ_ERRORS: Final = (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase)

# `pymupdf.PDF_ENCRYPT_NONE`, which its type information leaves out.
NO_ENCRYPTION: Final = 1

_DAMAGED: Final = "The PDF is damaged beyond repair or cut off; save it again in a viewer, or upload another copy."
# The filter of a file that is encrypted for holders of certificates (PDF 32000-1, 7.6.4); it is written as it is.
_CERTIFICATES: Final = b"/Adobe.PubSec"
_FOR_CERTIFICATES: Final = (
    "The PDF is encrypted for people with certain certificates; open it in a viewer as one of them, save a copy without"
    " protection, and upload that."
)
_TOO_LARGE: Final = "The PDF needs more memory than a file may take; save it again in a viewer, or divide it."

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


class PdfSource:
    """An open PDF, as `readers.source.Source` describes it."""

    def __init__(self, document: pymupdf.Document, name: str, page_count: int, is_protected: bool) -> None:
        self.document = document
        self.name = name
        self.page_count = page_count
        self.is_protected = is_protected

    def save_opened(self, path: Path) -> None:
        """Write the same document without its protection; raises StorageFull where there is no room for it."""
        try:
            self.document.save(path, encryption=NO_ENCRYPTION)
        except Exception as error:
            if shutil.disk_usage(path.parent).free < Path(self.document.name or "").stat().st_size:
                raise StorageFull(f"There is no room for the opened copy in {path.parent}. Make some.") from error
            raise RefusedFile(_TOO_LARGE if _is_memory(error) else _DAMAGED) from error

    @property
    def title(self) -> str | None:
        """The title in the document's metadata; None where it has none."""
        with _opening():
            metadata = self.document.metadata or {}
        return (metadata.get("title") or "").strip() or None

    @property
    def made(self) -> date | None:
        """The day when the document was made, or else last changed, by its metadata; None where that says neither."""
        with _opening():
            metadata = self.document.metadata or {}
        return read_pdf_date(metadata.get("creationDate")) or read_pdf_date(metadata.get("modDate"))

    @property
    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that point to a page of this document, in their order; empty where they are damaged."""
        try:
            with _opening():
                return list(_outline_entries(self.document))
        except RefusedFile:
            return []  # evidence lost, not a reason to refuse the document

    @property
    def is_blank(self) -> bool:
        """Whether no page shows anything that can be read, which is mostly what remains of a truncated file."""
        return not any(self._shows_something(page) for page in range(1, self.page_count + 1))

    def _shows_something(self, page: int) -> bool:
        try:
            with _readable(page):
                return _has_content(self.document[page - 1])
        except RefusedFile:
            return False

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        """The library's readings of a page (from 1), character by character, for verification; raises RefusedFile
        where it cannot be read."""
        with _readable(page):
            yield from raw_pages_of(self.document[page - 1])

    def drawn_page(self, page: int) -> RawPage:
        """The reading of a page (from 1) without replacement text, for verification; raises RefusedFile as above."""
        with _readable(page):
            return drawn_page_of(self.document[page - 1])

    def pictures(self, page: int) -> RawPictures:
        """Where a page (from 1) has bitmaps and drawing, for verification; raises RefusedFile as above."""
        with _readable(page):
            return pictures_of(self.document[page - 1])

    def form(self, page: int) -> RawForm:
        """What is drawn on a page (from 1) and its fields, for verification; raises RefusedFile as above."""
        with _readable(page):
            return form_of(self.document[page - 1])

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        with _readable(page):
            return page_file_of(self.document[page - 1], page, EXTRACTOR_VERSION, characters)

    def render_page(self, page: int, dpi: int = 200) -> RenderedPage:
        with _readable(page):
            return render(self.document[page - 1], dpi)

    def close(self) -> None:
        if not self.document.is_closed:
            self.document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_pdf(path: Path, password: str | None = None) -> PdfSource:
    """Raises RefusedFile with one sentence that says what is wrong and what to do."""
    try:
        with _opening():
            document = pymupdf.open(path, filetype="pdf")
    except RefusedFile as error:
        if _CERTIFICATES in path.read_bytes():
            raise RefusedFile(_FOR_CERTIFICATES) from error
        raise
    try:
        return _accepted(document, path.name, password)
    except BaseException:
        document.close()
        raise


def _accepted(document: pymupdf.Document, name: str, password: str | None) -> PdfSource:
    # The library opens text as text, whatever type it is told; asked for a PDF's objects, it would crash.
    if not document.is_pdf:
        raise RefusedFile(_DAMAGED)
    with _opening():
        # Read once, before the password is tried: reading it tries the empty password and discards the right one.
        is_protected = bool(document.needs_pass)
        is_open = not is_protected or bool(password and document.authenticate(password))
    if not is_open:
        raise RefusedFile(PASSWORD_WRONG if password else PASSWORD_MISSING)
    with _opening():
        page_count = int(document.page_count)
    if page_count <= 0:
        raise RefusedFile("The PDF has no readable pages; it may be cut off or empty: upload a complete copy.")
    return PdfSource(document, name, page_count, is_protected)


def _has_content(page: pymupdf.Page) -> bool:
    """Whether anything is drawn (text, pictures, lines, shadings), or there are notes or fields of forms."""
    return bool(page.get_bboxlog()) or page.first_annot is not None or page.first_widget is not None


def _outline_entries(document: pymupdf.Document) -> Iterator[OutlineEntry]:
    for level, title, page, target in document.get_toc(simple=False):
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


@contextmanager
def _opening() -> Generator[None]:
    """Turns whatever the library raises about the file as a whole into a refusal. Its errors must not leave this
    module: they are of many kinds, and some cannot be sent to another process."""
    try:
        yield
    except Exception as error:
        raise RefusedFile(_TOO_LARGE if _is_memory(error) else _DAMAGED) from error


@contextmanager
def _readable(page: int) -> Generator[None]:
    try:
        yield
    except READ_ERRORS as error:
        said = str(error)
        why = said.partition(": ")[2] if said.startswith("code=") else said
        raise RefusedFile(f"Page {page} of the PDF cannot be read ({why}); save the file again in a viewer.") from error


def _is_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "malloc" in str(error)
