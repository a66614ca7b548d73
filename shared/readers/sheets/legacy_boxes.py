"""Boxes of text that lie over the cells of an old Excel workbook ([MS-XLS] 2.4.329), which xlrd passes over."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import olefile

from shared.readers.sheets.cells import Area, SheetNote

_BEGIN, _END, _SHEET, _NEXT = 0x809, 0x0A, 0x85, 0x3C
_DRAWN, _OBJECT, _TEXT = 0xEC, 0x5D, 0x1B6
_NOTE: Final = 25
# Where a shape lies ([MS-ODRAW] 2.2.46, [MS-XLS] 2.5.193), and what has shapes in it.
_ANCHOR, _HOLDS = 0xF010, 0xF


def boxes_of(path: Path) -> list[list[SheetNote]]:
    """Of each worksheet in the file's order; none where the workbook is of before Excel 97. Raises OSError, ValueError
    and struct.error for a damaged file."""
    if not olefile.isOleFile(str(path)):
        return []
    with olefile.OleFileIO(str(path)) as file:
        stream = file.openstream("Workbook").read() if file.exists("Workbook") else b""
    listed = [data for number, data in records(stream, 0) if number == _SHEET]
    starts = [struct.unpack_from("<I", data)[0] for data in listed if data[5] == 0]
    return [list(_boxes(records(stream, at))) for at in starts]


def records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The records from a beginning to its end, without those of charts within."""
    depth = 0
    while at + 4 <= len(stream):
        number, size = struct.unpack_from("<HH", stream, at)
        depth += (number == _BEGIN) - (number == _END)
        if depth < 1:
            return
        if depth == 1:
            yield number, stream[at + 4 : at + 4 + size]
        at += 4 + size


def _boxes(records: Iterator[tuple[int, bytes]]) -> Iterator[SheetNote]:
    """A text stands behind where it lies and what it is of, in as many pieces as it needs."""
    area, kind, left, said = Area(1, 1, 1, 1), 0, 0, ""
    for number, data in records:
        if number == _DRAWN:
            area = _anchor(data) or area
        elif number == _OBJECT:
            kind = struct.unpack_from("<H", data, 4)[0]
        elif number == _TEXT:
            left, said = struct.unpack_from("<H", data, 10)[0], ""
        elif number == _NEXT and left and data:
            width = 2 if data[0] & 1 else 1
            piece = data[1 : 1 + left * width]
            left -= len(piece) // width
            said += piece.decode("utf-16-le" if width == 2 else "latin-1", "replace")
            if not left and kind != _NOTE:
                yield SheetNote(said, area, "text")


def _anchor(data: bytes) -> Area | None:
    found, at = None, 0
    while at + 8 <= len(data):
        version, kind, size = struct.unpack_from("<HHI", data, at)
        if kind == _ANCHOR:
            _, left, _, top, _, right, _, bottom, _ = struct.unpack_from("<9H", data, at + 8)
            found = Area(top + 1, left + 1, bottom + 1, right + 1)
        at += 8 if version & _HOLDS == _HOLDS else 8 + size
    return found
