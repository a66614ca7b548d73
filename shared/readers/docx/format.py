"""Word documents as a format."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat, has_part
from shared.readers.parted import PartedSource


def _matches(look: Look) -> bool:
    return has_part(look, "word/")


def _open_docx(path: Path, password: str | None) -> PartedSource:
    from shared.readers.docx.document import open_docx

    return open_docx(path, password)


def _reread_docx(path: Path) -> SecondText:
    from shared.rereading.docx import reread_docx

    return reread_docx(path)


def _version() -> str:
    from shared.readers.docx.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


DOCX: Final = StructuredFormat(
    "docx",
    "Word (.docx)",
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",),
    (".docx", ".docm", ".dotx"),
    _matches,
    _open_docx,
    _reread_docx,
    _version,
)
