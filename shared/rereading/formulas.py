"""The formulas of a workbook's cells as its XML has them, found by regular expressions: with which those that a part
lists are compared. Of binary workbooks none is found."""

import html
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

from shared.domain.geometry import corners_of, range_name
from shared.rereading.beside import Package, sheet_members

_CELL: Final = re.compile(rb"<(?:\w+:)?c\s([^<>]*+)(?<!/)>((?:[^<]|<(?!/?(?:\w+:)?c[\s>])|(?!))*+)</(?:\w+:)?c>")
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f(\s[^<>]*?)?(?:/>|>([^<]*+)</(?:\w+:)?f>)")
_VALUE: Final = re.compile(rb"<(?:\w+:)?v[^>]*>[^<]")
_ATTRIBUTE: Final = re.compile(rb'(?<![\w:])([\w:]++)\s*+=\s*+(?:"([^"]*)"|\'([^\']*)\')')
_TOKENS: Final = re.compile(r'"[^"]*"|\'[^\']*\'|\[[^\]]*\]+|[$\w.\\?]+|(?s:.)')
_CELL_NAME: Final = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})")
_NEW: Final = re.compile(r"_xl(?:fn|ws|pm|udf|l)\.")
_CALLED: Final = re.compile(r"ANCHORARRAY|SINGLE|[()@#]")
_OPEN: Final = re.compile(r"^[\w.-]+:(?==|#)|COM\.MICROSOFT|ORG\.OPENOFFICE|ORG\.LIBREOFFICE|LEGACY|[\[\].\s]")
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_LAST_COLUMN: Final = 1 << 14
_LAST_ROW: Final = 1 << 20


class _Written(NamedTuple):
    """`text` as it is written for the cell of `row` and `column`; `bare`: without braces."""

    text: str
    row: int
    column: int
    kind: str = ""
    valued: bool = True


class WrittenFormulas:
    """By sheet and cell."""

    def __init__(self, path: Path) -> None:
        self._cells: dict[tuple[str, int, int], _Written] = {}
        self._arrays: list[tuple[str, tuple[int, int, int, int], _Written]] = []
        self.known = False
        try:
            with zipfile.ZipFile(path) as file:
                self._read(Package(file))
        except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, OSError):
            self._cells, self._arrays, self.known = {}, [], False

    def _read(self, package: Package) -> None:
        if package.has("content.xml"):
            self.known = True
            if b"formula=" in package.data("content.xml"):
                for table in package.root("content.xml").iterfind("{*}body/{*}spreadsheet/{*}table"):
                    self._read_open(table.get(f"{_TABLE}name", ""), table)
            return
        for name, member in sheet_members(package):
            if not member.endswith(".bin"):
                self.known = True
                self._read_sheet(name, package.data(member))

    def _read_sheet(self, sheet: str, data: bytes) -> None:
        shared: dict[str, _Written] = {}
        for found in _CELL.finditer(data):
            formula = _FORMULA.search(found[2])
            if formula is None:
                continue
            cell, own = _attributes(found[1]), _attributes(formula[1] or b"")
            column, row, *_ = corners_of(cell["r"])
            text, kind = html.unescape((formula[2] or b"").decode()), own.get("t", "")
            written = _Written(text, row, column, kind, _VALUE.search(found[2]) is not None)
            if kind == "shared" and not text.strip():
                master = shared.get(own.get("si", ""))
                written = master._replace(valued=written.valued) if master else written._replace(kind="lost")
            elif kind == "shared" and (own.get("ref") or own.get("si", "") not in shared):
                shared[own.get("si", "")] = written
            elif kind in ("array", "dataTable"):
                area = corners_of(own.get("ref", cell["r"]).replace("$", ""))
                if area[:2] != area[2:]:
                    self._arrays.append((sheet, area, written))
            self._cells[sheet, row, column] = written

    def _read_open(self, sheet: str, table: ElementTree.Element) -> None:
        row = 1
        for line in table.iterfind(".//{*}table-row"):
            column = 1
            for cell in line:
                text = cell.get(f"{_TABLE}formula")
                across, down = (int(cell.get(f"{_TABLE}number-matrix-{one}-spanned", 0)) for one in ("columns", "rows"))
                repeated = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
                if text is not None:
                    written = _Written(text, row, column, "open", len(cell) > 0)
                    lines = int(line.get(f"{_TABLE}number-rows-repeated", 1))
                    last = (column + max(repeated, across) - 1, row + max(lines, down) - 1)
                    if last != (column, row):
                        self._arrays.append((sheet, (column, row, *last), written))
                    self._cells[sheet, row, column] = written
                column += repeated
            row += int(line.get(f"{_TABLE}number-rows-repeated", 1))

    def at(self, sheet: str, cells: str) -> _Written | None:
        left, top, *_ = corners_of(cells)
        found = self._cells.get((sheet, top, left))
        if found is not None:
            return found
        over = (
            one for name, (x, y, right, bottom), one in self._arrays
            if name == sheet and x <= left <= right and y <= top <= bottom
        )  # fmt: skip
        return next(over, None)

    def differs(self, sheet: str, cells: str, shown: str) -> str | None:
        """What the file has instead of the formula that is shown for a cell; None where it has this one, and where
        nothing is known. A formula that could not be read is none that could be wrong."""
        written = self.at(sheet, cells)
        if not self.known or (written is not None and not shown):
            return None
        if written is None:
            return "no formula"
        bare = (shown[1:-1] if shown.startswith("{") else shown).removeprefix("=")
        expected = _expected(written, cells)
        marks = "_xlfn.SINGLE(" in expected or "_xlfn.ANCHORARRAY(" in expected
        match written.kind:
            case "dataTable":
                alike = bare.startswith("TABLE(")
            case "open":
                alike = _squeezed(expected) == _squeezed(bare)
            case _:
                alike = _called(expected, marks) == _called(bare, marks)
        return None if alike and written.kind != "lost" else expected


def _expected(written: _Written, cells: str) -> str:
    """The formula without its sign, for the first of these cells."""
    match written.kind:
        case "lost":
            return "a formula that is written nowhere"
        case "dataTable":
            return "a table of what-ifs"
        case "open":
            return written.text
        case _:
            left, top, *_ = corners_of(cells)
            shift = (top - written.row, left - written.column) if written.kind == "shared" else (0, 0)
            return "".join(_moved(written.text.strip(" \t\r\n").removeprefix("="), *shift))


def _called(formula: str, marks: bool) -> str:
    """Without what is written before new functions; `marks`: without the functions that are shown as marks."""
    plain = _NEW.sub("", formula)
    return _CALLED.sub("", plain) if marks else plain


def _squeezed(formula: str) -> str:
    return _OPEN.sub("", formula).removeprefix("=")


def _attributes(said: bytes) -> dict[str, str]:
    return {one[1].decode(): html.unescape((one[2] or one[3] or b"").decode()) for one in _ATTRIBUTE.finditer(said)}


def _moved(formula: str, down: int, across: int) -> Iterator[str]:
    """The pieces of a formula with its relative references moved."""
    tokens = _TOKENS.findall(formula)
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if not (down or across) or after in ("(", "!") or after.startswith("[") or token[0] in "\"'[":
            yield token
        elif (cell := _CELL_NAME.fullmatch(token)) is not None:
            yield _moved_cell(cell, down, across)
        elif _stands_for_lines(tokens, at):
            yield _moved_line(token, down, across)
        else:
            yield token


def _stands_for_lines(tokens: Sequence[str], at: int) -> bool:
    """Whether a token is the first or the last of columns or rows: A:C, 1:3."""
    ahead, behind = tokens[at + 1 : at + 3], tokens[max(0, at - 2) : at]
    first = len(ahead) > 1 and ahead[0] == ":" and _are_lines(tokens[at], ahead[1])
    return first or (len(behind) > 1 and behind[1] == ":" and _are_lines(behind[0], tokens[at]))


def _are_lines(one: str, other: str) -> bool:
    bare = one.lstrip("$"), other.lstrip("$")
    return all(said.isdecimal() for said in bare) or all(said.isalpha() and len(said) < 4 for said in bare)


def _moved_cell(cell: re.Match[str], down: int, across: int) -> str:
    column, row, *_ = corners_of(cell[2].upper() + cell[4]) if int(cell[4]) else (0, 0)
    if not 0 < row <= _LAST_ROW or column > _LAST_COLUMN:
        return cell[0]
    column, row = column + (0 if cell[1] else across), row + (0 if cell[3] else down)
    if not (0 < column <= _LAST_COLUMN and 0 < row <= _LAST_ROW):
        return "#REF!"
    letters = range_name(column, 1, column, 1)[:-1]
    return f"{cell[1]}{letters}{cell[3]}{row}"


def _moved_line(line: str, down: int, across: int) -> str:
    if line.startswith("$"):
        return line
    if line.isdecimal():
        return str(int(line) + down) if 0 < int(line) + down <= _LAST_ROW else "#REF!"
    column = corners_of(f"{line.upper()}1")[0] + across
    return range_name(column, 1, column, 1)[:-1] if 0 < column <= _LAST_COLUMN else "#REF!"
