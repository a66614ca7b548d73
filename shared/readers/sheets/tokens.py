"""Formulas of Excel's binary workbooks, which are stored as tokens in reverse Polish notation ([MS-XLS] 2.5.198,
[MS-XLSB] 2.5.97). What is not known here is said to be unreadable, and never guessed."""

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import xlrd
import xlrd.formula

from shared.domain.geometry import letters_of
from shared.readers.sheets.formulas import MAX_CHARACTERS, OUTSIDE, UNREADABLE, as_shown

_INFIX: Final = {
    0x03: "+", 0x04: "-", 0x05: "*", 0x06: "/", 0x07: "^", 0x08: "&", 0x09: "<", 0x0A: "<=", 0x0B: "=", 0x0C: ">=",
    0x0D: ">", 0x0E: "<>", 0x0F: " ", 0x10: ",", 0x11: ":",
}  # fmt: skip
_FUNCTIONS: Final[Mapping[int, tuple[str, int, int]]] = {
    number: (str(said[0]), int(said[1]), int(said[2])) for number, said in vars(xlrd.formula)["func_defs"].items()
} | {
    480: ("IFERROR", 2, 2), 481: ("COUNTIFS", 2, 255), 482: ("SUMIFS", 3, 255), 483: ("AVERAGEIF", 2, 3),
    484: ("AVERAGEIFS", 3, 255),
}  # fmt: skip
_USERS: Final = 255
_PLAIN: Final = re.compile(r"[^\W\d][\w.]*")
_LIKE_A_CELL: Final = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]?\d*|[Cc]\d*")
_OPTIONAL_SUM: Final = 0x10
_CHOICE: Final = 0x04


@dataclass
class Names:
    """What tokens refer to by number: sheets, by the numbers of places outside (None: of another file), and names."""

    sheets: Sequence[str | None] = ()
    names: Sequence[str] = ()
    wide: bool = False
    functions: Mapping[int, tuple[str, int, int]] = field(default_factory=lambda: _FUNCTIONS)


class Unknown(Exception):
    """Tokens that are not known, or not as they are said to be."""


def formula_of(tokens: bytes, names: Names, row: int, column: int) -> str:
    """The formula of a cell, row and column from 0, as it is shown; UNREADABLE for one that cannot be told."""
    try:
        return as_shown(_Reader(tokens, names, row, column).read())
    except (Unknown, struct.error, LookupError, ValueError, RecursionError):
        return UNREADABLE


class _Reader:
    def __init__(self, tokens: bytes, names: Names, row: int, column: int) -> None:
        self._data, self._names, self._row, self._column = tokens, names, row, column
        self._at = 0
        self._stack: list[str] = []
        self._columns, self._rows = (1 << 14, 1 << 20) if names.wide else (1 << 8, 1 << 16)

    def read(self) -> str:
        while self._at < len(self._data):
            (kind,) = self._take("<B")
            self._token(kind & 0x1F | 0x20 if kind & 0x60 else kind)
            if self._stack and len(self._stack[-1]) > MAX_CHARACTERS:
                raise Unknown
        if len(self._stack) != 1:
            raise Unknown
        return self._stack[0]

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return found

    def _pop(self, count: int) -> list[str]:
        if count > len(self._stack):
            raise Unknown
        taken = self._stack[len(self._stack) - count :]
        del self._stack[len(self._stack) - count :]
        return taken

    def _token(self, kind: int) -> None:
        if kind in _INFIX:
            left, right = self._pop(2)
            self._stack.append(f"{left}{_INFIX[kind]}{right}")
        elif kind < 0x20:
            self._plain(kind)
        else:
            self._classed(kind)

    def _plain(self, kind: int) -> None:
        match kind:
            case 0x12 | 0x13:
                self._stack.append(("+" if kind == 0x12 else "-") + self._pop(1)[0])
            case 0x14:
                self._stack.append(f"{self._pop(1)[0]}%")
            case 0x15:
                self._stack.append(f"({self._pop(1)[0]})")
            case 0x16:
                self._stack.append("")
            case 0x17:
                self._stack.append('"' + self._text().replace('"', '""') + '"')
            case 0x19:
                self._attribute()
            case 0x1C:
                self._stack.append(xlrd.error_text_from_code[self._take("<B")[0]])
            case 0x1D:
                self._stack.append("TRUE" if self._take("<B")[0] else "FALSE")
            case 0x1E:
                self._stack.append(str(self._take("<H")[0]))
            case 0x1F:
                self._stack.append(f"{self._take('<d')[0]:.15g}".upper())
            case _:
                raise Unknown

    def _text(self) -> str:
        if self._names.wide:
            (length,), wide = self._take("<H"), 1
        else:
            length, wide = self._take("<BB")
        size = length * 2 if wide & 1 else length
        data = self._data[self._at : self._at + size]
        if len(data) < size:
            raise Unknown
        self._at += size
        return data.decode("utf-16-le" if wide & 1 else "latin-1")

    def _attribute(self) -> None:
        """How a function is computed, and where spaces are, which say nothing of what it is; a sum of one range."""
        kind, more = self._take("<BH")
        if kind & _OPTIONAL_SUM:
            self._stack.append(f"SUM({self._pop(1)[0]})")
        elif kind & _CHOICE:
            self._at += 2 * (more + 1)

    def _classed(self, kind: int) -> None:
        match kind:
            case 0x21:
                name, least, most = self._function(self._take("<H")[0])
                if least != most:
                    raise Unknown
                self._stack.append(f"{name}({','.join(self._pop(least))})")
            case 0x22:
                count, number = self._take("<BH")
                self._call(count & 0x7F, number & 0x7FFF)
            case 0x23:
                number, *_ = self._take("<I" if self._names.wide else "<HH")
                self._stack.append(self._names.names[number - 1])
            case 0x24 | 0x2C:
                self._stack.append(self._cell(*self._take("<IH" if self._names.wide else "<HH"), relative=kind == 0x2C))
            case 0x25 | 0x2D:
                self._stack.append(self._area(relative=kind == 0x2D))
            case 0x26 | 0x27 | 0x28:
                # What follows was computed once: its tokens stand behind.
                self._take("<IH")
            case 0x29:
                self._take("<H")
            case 0x2A | 0x2B:
                self._at += {(0x2A, False): 4, (0x2A, True): 6, (0x2B, False): 8, (0x2B, True): 12}[
                    kind, self._names.wide
                ]
                self._stack.append(OUTSIDE)
            case 0x3A | 0x3B | 0x3C | 0x3D:
                self._elsewhere(kind)
            case _:
                raise Unknown

    def _elsewhere(self, kind: int) -> None:
        sheet = self._names.sheets[self._take("<H")[0]]
        if sheet is None:
            raise Unknown
        if kind == 0x3A:
            said = self._cell(*self._take("<IH" if self._names.wide else "<HH"), relative=False)
        elif kind == 0x3B:
            said = self._area(relative=False)
        else:
            self._at += {(0x3C, False): 4, (0x3C, True): 6, (0x3D, False): 8, (0x3D, True): 12}[kind, self._names.wide]
            said = OUTSIDE
        self._stack.append(f"{sheet}!{said}")

    def _function(self, number: int) -> tuple[str, int, int]:
        if number not in self._names.functions:
            raise Unknown
        return self._names.functions[number]

    def _call(self, count: int, number: int) -> None:
        said = self._pop(count)
        if number == _USERS:
            if not said:
                raise Unknown
            self._stack.append(f"{said[0]}({','.join(said[1:])})")
            return
        self._stack.append(f"{self._function(number)[0]}({','.join(said)})")

    def _area(self, relative: bool) -> str:
        top, bottom, left, right = self._take("<IIHH" if self._names.wide else "<HHHH")
        whole = self._rows - 1
        if not relative and (top, bottom) == (0, whole):
            return f"{self._letters(left)}:{self._letters(right)}"
        if not relative and (left & 0x3FFF, right & 0x3FFF) == (0, self._columns - 1):
            return f"{self._line(top, left)}:{self._line(bottom, right)}"
        return f"{self._cell(top, left, relative)}:{self._cell(bottom, right, relative)}"

    def _line(self, row: int, column: int) -> str:
        return f"{'' if column & 0x8000 else '$'}{row + 1}"

    def _letters(self, column: int) -> str:
        return f"{'' if column & 0x4000 else '$'}{letters_of((column & 0x3FFF) + 1)}"

    def _cell(self, row: int, column: int, relative: bool) -> str:
        """In shared formulas what is relative is counted from the cell, and goes on at the other end of the sheet."""
        across, down = column & 0x4000, column & 0x8000
        column &= 0x3FFF
        if relative:
            column = (column + self._column) % self._columns if across else column
            row = (row + self._row) % self._rows if down else row
        if column >= self._columns or row >= self._rows:
            raise Unknown
        return f"{'' if across else '$'}{letters_of(column + 1)}{'' if down else '$'}{row + 1}"


def sheet_name(first: str, last: str | None = None) -> str:
    """As a reference has it: in quotation marks where it is not a plain word."""
    said = first if last is None or last == first else f"{first}:{last}"
    if all(_PLAIN.fullmatch(one) and not _LIKE_A_CELL.fullmatch(one) for one in said.split(":")):
        return said
    return "'" + said.replace("'", "''") + "'"
