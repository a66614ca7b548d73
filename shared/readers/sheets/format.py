"""Workbooks and tables in plain text as formats."""

import zipfile
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import ZIP, Look, StructuredFormat, has_stream, holds_opendocument, named_text
from shared.readers.parted import PartedSource

_WORKBOOK: Final = (".xlsx", ".xlsm", ".xltx", ".xltm")
_BINARY: Final = (".xlsb",)
_DELIMITED: Final = (".csv", ".tsv", ".tab")


def _is_workbook(look: Look) -> bool:
    return _holds(look, "workbook.xml", _WORKBOOK)


def _is_binary(look: Look) -> bool:
    return _holds(look, "workbook.bin", _BINARY)


def _holds(look: Look, member: str, endings: tuple[str, ...]) -> bool:
    """A ZIP container with a workbook, or one that is called so and is too damaged to tell."""
    if not look.head.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(look.path) as file:
            return any(name.lower().rpartition("/")[2] == member for name in file.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return look.ending in endings


def _is_opendocument(look: Look) -> bool:
    return holds_opendocument(look, b"spreadsheet")


def _open_workbook(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_workbook

    return open_workbook(path, password)


def _open_binary(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_binary_workbook

    return open_binary_workbook(path, password)


def _is_legacy(look: Look) -> bool:
    """A compound file with a workbook in it."""
    return has_stream(look, "Workbook", "Book", "WORKBOOK", "BOOK")


def _open_legacy(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_legacy_workbook

    return open_legacy_workbook(path, password)


def _open_opendocument(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_opendocument

    return open_opendocument(path, password)


def _open_delimited(path: Path, password: str | None) -> PartedSource:
    from shared.readers.sheets.document import open_delimited

    return open_delimited(path, password)


def _reread_workbook(path: Path) -> SecondText:
    from shared.rereading.sheets import reread_workbook

    return reread_workbook(path)


def _reread_delimited(path: Path) -> SecondText:
    from shared.rereading.delimited import reread_delimited

    return reread_delimited(path)


def _version() -> str:
    from shared.readers.sheets.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


XLSX: Final = StructuredFormat(
    "xlsx",
    "Excel workbook",
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",),
    _WORKBOOK,
    _is_workbook,
    _open_workbook,
    _reread_workbook,
    _version,
)
XLSB: Final = StructuredFormat(
    "xlsb",
    "Excel binary workbook (.xlsb)",
    ("application/vnd.ms-excel.sheet.binary.macroenabled.12",),
    _BINARY,
    _is_binary,
    _open_binary,
    _reread_workbook,
    _version,
)
XLS: Final = StructuredFormat(
    "xls",
    "Excel workbook of before 2007 (.xls)",
    ("application/vnd.ms-excel",),
    (".xls", ".xlt"),
    _is_legacy,
    _open_legacy,
    _reread_workbook,
    _version,
)
ODS: Final = StructuredFormat(
    "ods",
    "OpenDocument spreadsheet",
    ("application/vnd.oasis.opendocument.spreadsheet",),
    (".ods",),
    _is_opendocument,
    _open_opendocument,
    _reread_workbook,
    _version,
)
CSV: Final = StructuredFormat(
    "csv",
    "table in plain text (CSV)",
    ("text/csv", "text/tab-separated-values"),
    _DELIMITED,
    named_text(*_DELIMITED),
    _open_delimited,
    _reread_delimited,
    _version,
)
