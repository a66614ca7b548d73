"""Rich Text Format as a format."""

from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat
from shared.readers.parted import PartedSource

_BEGINNING: Final = b"{\\rtf"


def _matches(look: Look) -> bool:
    return look.head.lstrip().startswith(_BEGINNING)


def _open_rtf(path: Path, password: str | None) -> PartedSource:
    from shared.readers.rtf.document import open_rtf

    return open_rtf(path, password)


def _reread_rtf(path: Path) -> SecondText:
    from shared.rereading.rtf import reread_rtf

    return reread_rtf(path)


def _version() -> str:
    from shared.readers.rtf.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


RTF: Final = StructuredFormat(
    "rtf", "Rich Text (.rtf)", ("application/rtf", "text/rtf"), (".rtf",), _matches, _open_rtf, _reread_rtf, _version
)
