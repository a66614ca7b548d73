"""Reads Excel's binary workbooks (.xlsb) from their container: the cells as they are shown ([MS-XLSB] 2.1.4, 2.4)."""

import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple

import xlrd

from shared.errors import RefusedFile
from shared.readers.sheets.beside import notes_drawn
from shared.readers.sheets.cells import MAX_SHEETS, Area, Budget, Sheet, SheetCell, SheetNote, check_sheet
from shared.readers.sheets.container import DAMAGED, Container, opened, relations
from shared.readers.sheets.formats import BUILT_IN, shown
from shared.readers.sheets.formulas import UNREADABLE
from shared.readers.sheets.tokens import Names, formula_of, sheet_name

# Numbers of records, [MS-XLSB] 2.3.2.
_ROW: Final = 0


class _Cell(IntEnum):
    """What a cell holds; from FORMULA_TEXT to FORMULA_ERROR as the result of a formula."""

    BLANK = 1
    PACKED = 2
    ERROR = 3
    BOOLEAN = 4
    NUMBER = 5
    TEXT = 6
    SHARED = 7
    FORMULA_TEXT = 8
    FORMULA_NUMBER = 9
    FORMULA_BOOLEAN = 10
    FORMULA_ERROR = 11
    RICH = 62


_CELLS: Final = frozenset(_Cell)
# The same as cells 1 to 7 without a column: each is in the next one.
_SHORT: Final = {kind + 11: kind for kind in _Cell if kind <= _Cell.SHARED}
_ITEM: Final = 19
_FORMAT: Final = 44
_STYLE: Final = 47
_COLUMN: Final = 60
_PROPERTIES: Final = 153
_SHEET: Final = 156
_MERGED: Final = 176
_STYLES: Final = 617
_STYLES_END: Final = 618
_COMMENT: Final = 635
_COMMENT_TEXT: Final = 637
_NAME: Final = 39
_ARRAY: Final = 426
_COMMON: Final = 427
_OWN_BOOK: Final = frozenset({357, 358})
_BOOKS: Final = _OWN_BOOK | {355, 667}
_PLACES: Final = 362
_REFERS: Final = 1
_MOST_COLUMNS: Final = 1 << 14
_CONTINUES: Final = 0x80


class _Record(NamedTuple):
    kind: int
    data: bytes


def read_binary_workbook(path: Path) -> list[Sheet]:
    """The sheets with cells, in their order; hidden ones too. Raises RefusedFile."""
    try:
        with opened(path) as container:
            return list(_Workbook(container).sheets())
    except (struct.error, IndexError) as error:
        raise RefusedFile(DAMAGED) from error


class _Workbook:
    def __init__(self, container: Container) -> None:
        self._container = container
        links = relations(container, "")
        self._main = next((to for kind, to in links.values() if kind == "officeDocument"), "xl/workbook.bin")
        if not container.has(self._main):
            raise RefusedFile(DAMAGED)
        self._links = relations(container, self._main)
        self._strings = [_wide(one.data, 1)[0] for one in self._linked("sharedStrings") if one.kind == _ITEM]
        self._formats = self._cell_formats()
        self._since_1904 = False
        self._budget = Budget()

    def sheets(self) -> Iterator[Sheet]:
        found: list[tuple[str, str, bool]] = []
        for kind, data in _records(self._container, self._main):
            if kind == _PROPERTIES:
                self._since_1904 = bool(data[0] & 1)
            elif kind == _SHEET:
                (state,) = struct.unpack_from("<I", data)
                key, at = _wide(data, 8)
                link, target = self._links.get(key, ("", ""))
                if link == "worksheet" and self._container.has(target):
                    found.append((_wide(data, at)[0], target, state != 0))
        if len(found) > MAX_SHEETS:
            raise RefusedFile(f"The file has more than {MAX_SHEETS} sheets; divide it into smaller files.")
        names = Names(wide=True)
        with suppress(struct.error, IndexError, RefusedFile):
            names = self._names()
        for name, target, hidden in found:
            sheet = Sheet(name, hidden=hidden)
            self._read(sheet, target)
            for (row, column), said in self._formulas(target, names):
                sheet.add_formula(row, column, self._budget.add_formula(said))
            for note in self._notes(target):
                self._budget.add_row(1)
                sheet.notes.append(note)
            check_sheet(sheet)
            yield sheet

    def _read(self, sheet: Sheet, target: str) -> None:
        row, column, hidden, cells = 0, 0, 0, dict[int, SheetCell]()
        for kind, data in _records(self._container, target):
            if kind == _ROW:
                row, column, hidden, cells = struct.unpack_from("<I", data)[0] + 1, 0, data[11] & 0x10, {}
            elif kind in _CELLS or kind in _SHORT:
                short = kind in _SHORT
                column = column + 1 if short else struct.unpack_from("<I", data)[0] + 1
                if not 0 < column <= _MOST_COLUMNS:
                    raise RefusedFile(DAMAGED)
                cell = self._cell(_SHORT[kind], data) if short else self._cell(kind, data[4:])
                if cell is None or not cell.text.strip():
                    continue
                if not cells:
                    sheet.rows[row] = cells
                    if hidden:
                        sheet.hidden_rows.add(row)
                self._budget.add_cells(1, rows=int(not cells))
                cells[column] = cell
            elif kind == _MERGED:
                top, bottom, left, right = struct.unpack_from("<4I", data)
                sheet.merged.append(Area(top + 1, left + 1, bottom + 1, right + 1))
            elif kind == _COLUMN and data[16] & 1:
                first, last = struct.unpack_from("<2I", data)
                sheet.hidden_columns.update(range(first + 1, min(last + 1, _MOST_COLUMNS) + 1))

    def _names(self) -> Names:
        """What formulas refer to by number. The places count all sheets, whatever they are."""
        names, own, sheets, places = list[str](), list[bool](), list[str](), list[str | None]()
        for kind, data in _records(self._container, self._main):
            if kind == _SHEET:
                sheets.append(_wide(data, _wide(data, 8)[1])[0])
            elif kind == _NAME:
                names.append(_wide(data, 9)[0])
            elif kind in _BOOKS:
                own.append(kind in _OWN_BOOK)
            elif kind == _PLACES:
                for at in range(4, 4 + 12 * struct.unpack_from("<I", data)[0], 12):
                    book, first, last = struct.unpack_from("<Iii", data, at)
                    inside = book < len(own) and own[book] and 0 <= min(first, last) <= max(first, last) < len(sheets)
                    places.append(sheet_name(sheets[first], sheets[last]) if inside else None)
        return Names(places, names, wide=True)

    def _formulas(self, target: str, names: Names) -> Iterator[tuple[tuple[int, int], str]]:
        """(row, column) from 1, and the formula. What several cells have in common stands behind the first of them."""
        row, column = 0, 0
        shared, arrays = (
            dict[int, list[tuple[tuple[int, ...], bytes]]](),
            dict[int, list[tuple[tuple[int, ...], bytes]]](),
        )
        wanted: list[tuple[int, int, int]] = []
        for kind, data in _records(self._container, target):
            if kind == _ROW:
                (row,) = struct.unpack_from("<I", data)
            elif kind in _RESULTS:
                (column,) = struct.unpack_from("<I", data)
                tokens = _tokens(data, _behind_result(kind, data) + 2)
                if tokens[:1] == bytes([_REFERS]) and len(tokens) > 4:
                    wanted.append((row, column, struct.unpack_from("<I", tokens, 1)[0]))
                else:
                    yield (row + 1, column + 1), formula_of(tokens, names, row, column)
            elif kind in (_COMMON, _ARRAY):
                area = struct.unpack_from("<4I", data)
                kept = shared if kind == _COMMON else arrays
                kept.setdefault(area[0], []).append((area, _tokens(data, 16 if kind == _COMMON else 17)))
        for row, column, first in wanted:
            yield (row + 1, column + 1), _common(shared.get(first, ()), arrays.get(first, ()), names, row, column)

    def _notes(self, target: str) -> Iterator[SheetNote]:
        for kind, member in relations(self._container, target).values():
            area = Area(1, 1, 1, 1)
            for record, data in _records(self._container, member) if kind == "comments" else ():
                if record == _COMMENT:
                    top, bottom, left, right = struct.unpack_from("<4I", data, 4)
                    area = Area(top + 1, left + 1, bottom + 1, right + 1)
                elif record == _COMMENT_TEXT:
                    yield SheetNote(_wide(data, 1)[0], area)
        yield from notes_drawn(self._container, target)

    def _cell(self, kind: int, data: bytes) -> SheetCell | None:
        """Of a cell without its column: three bytes of a style and one of flags, and what it holds."""
        match kind:
            case _Cell.PACKED:
                return self._number(_packed(data), data)
            case _Cell.NUMBER | _Cell.FORMULA_NUMBER:
                return self._number(struct.unpack_from("<d", data, 4)[0], data)
            case _Cell.ERROR | _Cell.FORMULA_ERROR:
                return SheetCell(xlrd.error_text_from_code.get(data[4], "#UNKNOWN!"), "error")
            case _Cell.BOOLEAN | _Cell.FORMULA_BOOLEAN:
                return SheetCell("TRUE" if data[4] else "FALSE", "boolean")
            case _Cell.TEXT | _Cell.FORMULA_TEXT:
                return SheetCell(_wide(data, 4)[0])
            case _Cell.RICH:
                return SheetCell(_wide(data, 5)[0])
            case _Cell.SHARED:
                return SheetCell(self._strings[struct.unpack_from("<I", data, 4)[0]])
            case _:
                return None

    def _number(self, value: float, data: bytes) -> SheetCell:
        style = int.from_bytes(data[:3], "little")
        code = self._formats[style] if style < len(self._formats) else ""
        return shown(value, code, self._since_1904)

    def _linked(self, kind: str) -> Iterator[_Record]:
        target = next((to for said, to in self._links.values() if said == kind), "")
        return _records(self._container, target) if self._container.has(target) else iter(())

    def _cell_formats(self) -> list[str]:
        """The format's code of every style; empty for a number that is shown as it is."""
        codes: dict[int, str] = dict(BUILT_IN)
        found: list[str] = []
        of_cells = False
        for kind, data in self._linked("styles"):
            of_cells = kind == _STYLES or (of_cells and kind != _STYLES_END)
            if kind == _FORMAT:
                codes[struct.unpack_from("<H", data)[0]] = _wide(data, 2)[0]
            elif kind == _STYLE and of_cells:
                found.append(codes.get(struct.unpack_from("<H", data, 2)[0], ""))
        return [code if code.lower() not in ("general", "@") else "" for code in found]


def _records(container: Container, member: str) -> Iterator[_Record]:
    """A record has its number in one or two bytes, its length in up to four, of seven bits each, the lowest first."""
    data = container.bytes_of(member)
    at = 0
    while at < len(data):
        kind, at = _varying(data, at, 2)
        size, at = _varying(data, at, 4)
        yield _Record(kind, data[at : at + size])
        at += size


_RESULTS: Final = frozenset(kind for kind in _Cell if _Cell.FORMULA_TEXT <= kind <= _Cell.FORMULA_ERROR)
_Areas = Sequence[tuple[tuple[int, ...], bytes]]


def _common(shared: _Areas, arrays: _Areas, names: Names, row: int, column: int) -> str:
    """The formula of a cell that it has in common with others."""
    for (top, bottom, left, right), tokens in shared:
        if top <= row <= bottom and left <= column <= right:
            return formula_of(tokens, names, row, column)
    for (top, bottom, left, right), tokens in arrays:
        if top <= row <= bottom and left <= column <= right:
            said = formula_of(tokens, names, top, left)
            return f"{{{said}}}" if said else UNREADABLE
    return UNREADABLE


def _behind_result(kind: int, data: bytes) -> int:
    if kind == _Cell.FORMULA_TEXT:
        return _wide(data, 8)[1]
    return 16 if kind == _Cell.FORMULA_NUMBER else 9


def _tokens(data: bytes, at: int) -> bytes:
    """Those of a formula; nothing where the record ends before them."""
    if at + 4 > len(data):
        return b""
    (size,) = struct.unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + size]


def _varying(data: bytes, at: int, longest: int) -> tuple[int, int]:
    value = 0
    for place in range(longest):
        byte = data[at + place]
        value |= (byte & (_CONTINUES - 1)) << 7 * place
        if not byte & _CONTINUES:
            return value, at + place + 1
    return value, at + longest


def _wide(data: bytes, at: int) -> tuple[str, int]:
    """The string that begins at a byte, and where it ends; one that is not there is empty (XLNullableWideString)."""
    (size,) = struct.unpack_from("<I", data, at)
    if size == 0xFFFFFFFF:
        return "", at + 4
    end = at + 4 + 2 * size
    if end > len(data):
        raise RefusedFile(DAMAGED)
    return data[at + 4 : end].decode("utf-16-le", "replace").replace("\0", ""), end


def _packed(data: bytes) -> float:
    """RkNumber ([MS-XLSB] 2.5.122): 30 bits of a whole number or a float's first, and whether it is a hundredfold."""
    (packed,) = struct.unpack_from("<i", data, 4)
    value = float(packed >> 2) if packed & 2 else struct.unpack("<d", b"\0\0\0\0" + struct.pack("<i", packed & ~3))[0]
    return value / 100 if packed & 1 else value
