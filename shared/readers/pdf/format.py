"""PDF as a format."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondReader
from shared.readers.formats import Format, Look
from shared.readers.pdf.signature import is_pdf
from shared.readers.source import PagedSource


def _matches(look: Look) -> bool:
    return is_pdf(look.path, look.head)


def _open_pdf(path: Path, password: str | None) -> PagedSource:
    from shared.readers.pdf.document import open_pdf

    return open_pdf(path, password)


def _reread_pdf(path: Path) -> AbstractContextManager[SecondReader]:
    from shared.rereading.pdfium import PdfiumReader

    return PdfiumReader(path)


def _version() -> str:
    from shared.readers.pdf.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


PDF: Final = Format("pdf", "PDF", ("application/pdf",), (".pdf",), _matches, _open_pdf, _reread_pdf, _version)
