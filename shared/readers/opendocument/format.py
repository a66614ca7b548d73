"""OpenDocument texts and presentations as formats."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import Look, StructuredFormat, holds_opendocument
from shared.readers.parted import PartedSource


def _holds(kind: bytes) -> Callable[[Look], bool]:
    return lambda look: holds_opendocument(look, kind)


def _open_odt(path: Path, password: str | None) -> PartedSource:
    from shared.readers.opendocument.document import open_odt

    return open_odt(path, password)


def _open_odp(path: Path, password: str | None) -> PartedSource:
    from shared.readers.opendocument.document import open_odp

    return open_odp(path, password)


def _reread(path: Path) -> SecondText:
    from shared.rereading.opendocument import reread_opendocument

    return reread_opendocument(path)


def _version() -> str:
    from shared.readers.opendocument.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


ODT: Final = StructuredFormat(
    "odt",
    "OpenDocument text",
    ("application/vnd.oasis.opendocument.text",),
    (".odt", ".ott"),
    _holds(b"text"),
    _open_odt,
    _reread,
    _version,
)
ODP: Final = StructuredFormat(
    "odp",
    "OpenDocument presentation",
    ("application/vnd.oasis.opendocument.presentation",),
    (".odp", ".otp"),
    _holds(b"presentation"),
    _open_odp,
    _reread,
    _version,
)
