"""The formulas of old Excel workbooks' cells ([MS-XLS] 2.4.127), which xlrd passes over: of Excel 97 and later."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import olefile

from shared.readers.sheets.cells import Budget
from shared.readers.sheets.formulas import UNREADABLE, Formula
from shared.readers.sheets.legacy_boxes import records
from shared.readers.sheets.tokens import Names, formula_of, sheet_name

_FORMULA, _SHARED, _ARRAY = 0x06, 0x4BC, 0x221
_SHEET, _NAME, _BOOK, _EXTERNAL = 0x85, 0x18, 0x1AE, 0x17
_OWN: Final = b"\x01\x04"
_REFERS: Final = 0x01
_BUILT_IN_NAMES: Final = (
    "Consolidate_Area", "Auto_Open", "Auto_Close", "Extract", "Database", "Criteria", "Print_Area", "Print_Titles",
    "Recorder", "Data_Form", "Auto_Activate", "Auto_Deactivate", "Sheet_Title", "_FilterDatabase",
)  # fmt: skip
# (row, column) from 1 → formula.
Formulas = dict[tuple[int, int], Formula]


def formulas_of(path: Path, budget: Budget) -> list[Formulas]:
    """Of each worksheet in the file's order; none where the workbook is of before Excel 97. Raises OSError, ValueError,
    IndexError and struct.error for a damaged file, and RefusedFile for too many formulas."""
    if not olefile.isOleFile(str(path)):
        return []
    with olefile.OleFileIO(str(path)) as file:
        stream = file.openstream("Workbook").read() if file.exists("Workbook") else b""
    whole = list(records(stream, 0))
    listed = [data for number, data in whole if number == _SHEET]
    names = _names(whole, [_short_text(data, 6)[0] for data in listed])
    starts = [struct.unpack_from("<I", data)[0] for data in listed if data[5] == 0]
    # One that cells have in common is as long for each of them: each is counted before there is the next.
    return [{cell: budget.add_formula(said) for cell, said in _formulas(records(stream, at), names)} for at in starts]


def _names(whole: list[tuple[int, bytes]], sheets: list[str]) -> Names:
    own = [data[2:4] == _OWN for number, data in whole if number == _BOOK]
    found = Names(names=[_name(data) for number, data in whole if number == _NAME])
    places: list[str | None] = []
    for data in (data for number, data in whole if number == _EXTERNAL):
        for at in range(2, 2 + 6 * struct.unpack_from("<H", data)[0], 6):
            book, first, last = struct.unpack_from("<HHH", data, at)
            inside = book < len(own) and own[book] and max(first, last) < len(sheets)
            places.append(sheet_name(sheets[first], sheets[last]) if inside else None)
    found.sheets = places
    return found


def _name(data: bytes) -> str:
    (flags,), length = struct.unpack_from("<H", data), data[3]
    if flags & 0x20:
        return _BUILT_IN_NAMES[data[15]] if data[15] < len(_BUILT_IN_NAMES) else ""
    wide = data[14] & 1
    return data[15 : 15 + length * (2 if wide else 1)].decode("utf-16-le" if wide else "latin-1")


def _short_text(data: bytes, at: int) -> tuple[str, int]:
    wide = data[at + 1] & 1
    end = at + 2 + data[at] * (2 if wide else 1)
    return data[at + 2 : end].decode("utf-16-le" if wide else "latin-1"), end


def _formulas(found: Iterator[tuple[int, bytes]], names: Names) -> Iterator[tuple[tuple[int, int], str]]:
    """A formula that several cells have in common stands behind the first of them, by whose place the others name
    it."""
    shared: dict[tuple[int, int], bytes] = {}
    arrays: dict[tuple[int, int], bytes] = {}
    wanted: list[tuple[int, int, tuple[int, int]]] = []
    row = column = 0
    for number, data in found:
        if number == _FORMULA:
            row, column = struct.unpack_from("<HH", data)
            (size,) = struct.unpack_from("<H", data, 20)
            tokens = data[22 : 22 + size]
            if tokens[:1] == bytes([_REFERS]):
                at, over = struct.unpack_from("<HH", tokens, 1)
                wanted.append((row, column, (at, over)))
            else:
                yield (row + 1, column + 1), formula_of(tokens, names, row, column)
        elif number == _SHARED:
            (size,) = struct.unpack_from("<H", data, 8)
            shared[row, column] = data[10 : 10 + size]
        elif number == _ARRAY:
            (size,) = struct.unpack_from("<H", data, 12)
            arrays[row, column] = data[14 : 14 + size]
    for row, column, key in wanted:
        said = UNREADABLE
        if key in shared:
            said = formula_of(shared[key], names, row, column)
        elif key in arrays:
            inner = formula_of(arrays[key], names, *key)
            said = f"{{{inner}}}" if inner else UNREADABLE
        yield (row + 1, column + 1), said
