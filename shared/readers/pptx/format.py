"""Presentations as a format."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat, has_part
from shared.readers.parted import PartedSource


def _matches(look: Look) -> bool:
    return has_part(look, "ppt/")


def _open_pptx(path: Path, password: str | None) -> PartedSource:
    from shared.readers.pptx.document import open_pptx

    return open_pptx(path, password)


def _reread_pptx(path: Path) -> SecondText:
    from shared.rereading.pptx import reread_pptx

    return reread_pptx(path)


def _version() -> str:
    from shared.readers.pptx.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


PPTX: Final = StructuredFormat(
    "pptx",
    "PowerPoint (.pptx)",
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation",),
    (".pptx", ".pptm", ".ppsx"),
    _matches,
    _open_pptx,
    _reread_pptx,
    _version,
)
