"""Formulas as their program shows them, and those that many cells have in common, shifted to each."""

import re
from typing import Final, NamedTuple

from shared.domain.geometry import column_of, letters_of

MAX_COLUMN: Final = 1 << 14
MAX_ROW: Final = 1 << 20
# Excel takes 8,192 characters, LibreOffice eight times as many.
MAX_CHARACTERS: Final = 1 << 16
UNREADABLE: Final = ""
OUTSIDE: Final = "#REF!"

# What a formula is made of: strings, quoted names of sheets, names in brackets, references, words, and signs.
_PARTS: Final = re.compile(
    r"""
    "(?:[^"]|""|(?!))*+" | '(?:[^']|''|(?!))*+'
    | \[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.|(?!))*+\]|(?!))*+\]
    | (?P<columns>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})(?![\w.(!\[\\?])
    | (?P<rows>\$?[0-9]{1,7}:\$?[0-9]{1,7})(?![\w.(!\[\\?])
    | (?P<stays>\$?)(?P<column>[A-Za-z]{1,3})(?P<row_stays>\$?)(?P<row>[0-9]{1,7})(?![\w.(!\[\\?])
    | [\w.\\?]++
    """,
    re.VERBOSE | re.DOTALL,
)
_STRINGS: Final = re.compile(r'("(?:[^"]|""|(?!))*+")')
# What Excel writes before the names of functions and parameters that came after 2007, and does not show.
_PREFIX: Final = re.compile(r"_xl(?:fn|ws|pm|udf|l)\.(?:_xlws\.)?")
_SPILLED: Final = re.compile(r"_xlfn\.ANCHORARRAY\(([^()\"]*+)\)")
_ONE: Final = re.compile(r"_xlfn\.SINGLE\(([^()\",]*+)\)")


class _Reference(NamedTuple):
    """A cell as the formula has it: the column and the row from 1 and whether each stays where the formula is shifted;
    0 for what it does not say."""

    column: int
    column_stays: bool
    row: int
    row_stays: bool


class SharedFormula:
    """A formula that was written for one cell and holds for others, where its references are as far away."""

    def __init__(self, formula: str, row: int, column: int) -> None:
        self._own = (row, column)
        self.text = formula
        self._parts: list[str | _Reference] | None = None

    def at(self, row: int, column: int) -> str:
        """The formula of the cell, both from 1. A reference that leaves the sheet is #REF!."""
        down, across = row - self._own[0], column - self._own[1]
        if not down and not across:
            return self.text
        if self._parts is None:
            self._parts = _parts_of(self.text)
        return "".join([part if isinstance(part, str) else _shifted(part, down, across) for part in self._parts])


Formula = str | SharedFormula


def formula_at(formula: Formula, row: int, column: int) -> str:
    return formula if isinstance(formula, str) else formula.at(row, column)


def as_shown(written: str) -> str:
    """A formula as a program of the Office Open XML family writes it, as it is shown."""
    said = written.strip(" \t\r\n").removeprefix("=")
    if "_xl" in said:
        pieces = _STRINGS.split(said)
        said = "".join([_plain(piece) if not at % 2 else piece for at, piece in enumerate(pieces)])
    return f"={said}"


def _plain(piece: str) -> str:
    piece = _ONE.sub(r"@\1", _SPILLED.sub(r"\1#", piece))
    return _PREFIX.sub("", piece)


def _parts_of(formula: str) -> list[str | _Reference]:
    """Pieces of text, and the references between them."""
    found: list[str | _Reference] = []
    at = 0
    for part in _PARTS.finditer(formula):
        references = _references(part)
        if references is None:
            continue
        found.append(formula[at : part.start()])
        found += references
        at = part.end()
    found.append(formula[at:])
    return found


def _references(part: re.Match[str]) -> list[str | _Reference] | None:
    """None for what is none, as a name that looks like one: the last column is XFD."""
    if part["column"] is not None:
        column, row = column_of(part["column"].upper()), int(part["row"])
        if column > MAX_COLUMN or not 0 < row <= MAX_ROW:
            return None
        return [_Reference(column, bool(part["stays"]), row, bool(part["row_stays"]))]
    said = part["columns"] or part["rows"]
    if said is None:
        return None
    ends: list[_Reference] = []
    for end in said.split(":"):
        bare = end.lstrip("$")
        column, row = (0, int(bare)) if bare.isdecimal() else (column_of(bare.upper()), 0)
        if column > MAX_COLUMN or row > MAX_ROW:
            return None
        ends.append(_Reference(column, bare != end, row, bare != end))
    return [ends[0], ":", ends[1]]


def _shifted(reference: _Reference, down: int, across: int) -> str:
    column, column_stays, row, row_stays = reference
    said = ""
    if column:
        column += 0 if column_stays else across
        if not 0 < column <= MAX_COLUMN:
            return OUTSIDE
        said = f"${letters_of(column)}" if column_stays else letters_of(column)
    if row:
        row += 0 if row_stays else down
        if not 0 < row <= MAX_ROW:
            return OUTSIDE
        said += f"${row}" if row_stays else str(row)
    return said
