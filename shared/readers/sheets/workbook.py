"""Reads Excel workbooks (.xlsx, .xlsm) from their container: the cells as they are shown (ECMA-376 part 1, 18)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

from shared.domain.geometry import corners_of
from shared.errors import RefusedFile
from shared.readers.sheets.beside import notes_beside
from shared.readers.sheets.cells import MAX_SHEETS, Area, Budget, Sheet, SheetCell, check_sheet
from shared.readers.sheets.container import DAMAGED, Container, attribute, opened, relations
from shared.readers.sheets.formats import BUILT_IN, shown
from shared.readers.sheets.workbook_formulas import FormulaReader

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ON: Final = frozenset({"1", "true", "on"})


def read_workbook(path: Path) -> list[Sheet]:
    """The sheets with cells, in their order; hidden ones too. Raises RefusedFile."""
    with opened(path) as container:
        return list(_Workbook(container).sheets())


class _Workbook:
    def __init__(self, container: Container) -> None:
        self._container = container
        self._main = self._first("", "officeDocument") or "xl/workbook.xml"
        if not container.has(self._main):
            raise RefusedFile(DAMAGED)
        self._links = relations(container, self._main)
        self._strings = self._shared_strings()
        self._formats = self._cell_formats()
        self._since_1904 = False
        self._budget = Budget()

    def sheets(self) -> Iterator[Sheet]:
        found: list[tuple[str, str, bool]] = []
        for element in self._container.elements(self._main, "sheet", "workbookPr"):
            if element.tag == "workbookPr":
                # An extension of the format has another element of this name.
                self._since_1904 |= attribute(element, "date1904") in _ON
                continue
            kind, target = self._links.get(_reference(element), ("", ""))
            if kind == "worksheet" and self._container.has(target):
                found.append((element.get("name", ""), target, element.get("state", "visible") != "visible"))
        if len(found) > MAX_SHEETS:
            raise RefusedFile(f"The file has more than {MAX_SHEETS} sheets; divide it into smaller files.")
        for name, target, hidden in found:
            sheet = Sheet(name, hidden=hidden)
            self._read(sheet, target)
            for note in notes_beside(self._container, target):
                self._budget.add_row(1)
                sheet.notes.append(note)
            check_sheet(sheet)
            yield sheet

    def _read(self, sheet: Sheet, target: str) -> None:
        number, formulas = 0, FormulaReader(sheet, self._budget)
        for element in self._container.elements(target, "row", "mergeCell", "col"):
            if element.tag == "row":
                number = int(element.get("r") or number + 1)
                self._read_row(sheet, number, element, formulas)
            elif element.tag == "col" and element.get("hidden") in _ON:
                last = min(int(element.get("max", "0")), 1 << 14)
                sheet.hidden_columns.update(range(int(element.get("min", "0")), last + 1))
            elif element.tag == "mergeCell":
                left, top, right, bottom = corners_of(element.get("ref", "").replace("$", ""))
                sheet.merged.append(Area(top, left, bottom, right))
        formulas.spread()

    def _read_row(self, sheet: Sheet, number: int, element: Element, formulas: FormulaReader) -> None:
        cells: dict[int, SheetCell] = {}
        column = 0
        for one in element:
            if one.tag != "c":
                continue
            name = one.get("r")
            column = corners_of(name)[0] if name else column + 1
            cell = self._cell(one)
            if cell is not None and cell.text.strip():
                cells[column] = cell
            formulas.read(one, number, column)
        if cells:
            self._budget.add_row(len(cells))
            sheet.rows[number] = cells
            if element.get("hidden") in _ON:
                sheet.hidden_rows.add(number)

    def _cell(self, element: Element) -> SheetCell | None:
        kind = element.get("t", "n")
        if kind == "inlineStr":
            inline = element.find("is")
            return SheetCell(_text(inline)) if inline is not None else None
        said = element.findtext("v")
        if not said:
            return None
        match kind:
            case "s":
                return SheetCell(self._strings[int(said)])
            case "str":
                return SheetCell(_plain(said))
            case "b":
                return SheetCell("TRUE" if said.strip() in _ON else "FALSE", "boolean")
            case "e":
                return SheetCell(said, "error")
            case "d":
                return SheetCell(said, "date")
            case _:
                return self._number(float(said), int(element.get("s") or 0))

    def _number(self, value: float, style: int) -> SheetCell:
        code = self._formats[style] if 0 <= style < len(self._formats) else ""
        return shown(value, code, self._since_1904)

    def _first(self, member: str, kind: str) -> str | None:
        return next((target for said, target in relations(self._container, member).values() if said == kind), None)

    def _linked(self, kind: str) -> str | None:
        target = next((target for said, target in self._links.values() if said == kind), None)
        return target if target and self._container.has(target) else None

    def _shared_strings(self) -> list[str]:
        member = self._linked("sharedStrings")
        return [_text(one) for one in self._container.elements(member, "si")] if member else []

    def _cell_formats(self) -> list[str]:
        """The format's code of every style; empty for a number that is shown as it is."""
        member = self._linked("styles")
        codes: dict[int, str] = dict(BUILT_IN)
        found: list[str] = []
        for one in self._container.elements(member, "numFmts", "cellXfs") if member else ():
            if one.tag == "numFmts":
                codes |= {int(code.get("numFmtId", "0")): code.get("formatCode", "") for code in one}
            else:
                found = [codes.get(int(style.get("numFmtId") or 0), "") for style in one]
        return [code if code.lower() not in ("general", "@") else "" for code in found]


def _reference(element: Element) -> str:
    """The id by which a sheet refers to its member; `sheetId` is another."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _text(element: Element) -> str:
    """The words of a string with or without formatted runs; not how they are pronounced."""
    pieces: list[str] = []
    for one in element:
        if one.tag == "t":
            pieces.append(_spaced(one))
        elif one.tag == "r":
            pieces += [_spaced(said) for said in one if said.tag == "t"]
    return _plain("".join(pieces))


def _spaced(element: Element) -> str:
    """Spaces at the ends of a string count where it says so."""
    said = element.text or ""
    return said if attribute(element, "space") == "preserve" else said.strip(" \t\r\n")


def _plain(said: str) -> str:
    """Characters that XML cannot hold are written by their codes: two halves make one, and none is zero."""
    if "_x" not in said:
        return said
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), said)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")
