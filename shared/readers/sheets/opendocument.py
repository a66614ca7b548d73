"""Reads OpenDocument spreadsheets (.ods): every cell has the text that it shows (OpenDocument 1.3 part 3, 9)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal
from xml.etree.ElementTree import Element

from shared.errors import RefusedFile
from shared.readers.sheets.cells import MAX_SHEETS, Area, Budget, Kind, Sheet, SheetCell, SheetNote, check_sheet
from shared.readers.sheets.container import BROKEN, DAMAGED, ENCRYPTED, Container, attribute, opened
from shared.readers.sheets.formats import shown
from shared.readers.sheets.opendocument_formulas import as_calc_shows
from shared.readers.zipped import embedded_part

# A row or cell that is said to be there this often stands for the empty rest of the sheet.
MOST_COLUMNS: Final = 1 << 14
_KINDS: Final[dict[str, Kind]] = {
    "float": "number", "percentage": "number", "currency": "number", "date": "date", "time": "date",
    "boolean": "boolean",
}  # fmt: skip
_VALUES: Final = ("value", "date-value", "time-value", "boolean-value", "string-value")
_TITLES: Final = ("title", "subtitle", "footer")
_HIDDEN: Final = frozenset({"collapse", "filter"})


def read_opendocument(path: Path) -> list[Sheet]:
    """The sheets with cells, in their order; hidden ones too. Raises RefusedFile."""
    with opened(path) as container:
        if container.says("META-INF/manifest.xml", b"encryption-data"):
            raise RefusedFile(ENCRYPTED)
        if not container.has("content.xml"):
            raise RefusedFile(DAMAGED)
        reader = _Reader(container)
        reader.read()
        return [sheet for sheet in reader.sheets if sheet.rows or sheet.notes]


class _Reader:
    def __init__(self, container: Container) -> None:
        self._container = container
        # The titles of each embedded object: one file may show it in a hundred thousand places.
        self._charts: dict[str, list[str]] = {}
        self.sheets: list[Sheet] = []
        self._budget = Budget()
        self._hidden_styles: set[str] = set()
        self._begin()

    def _begin(self) -> None:
        self._sheet, self._row, self._column = Sheet(""), 1, 1

    def read(self) -> None:
        """A table's rows come before the table itself, which has its name."""
        for element in self._container.elements("content.xml", "table-row", "table-column", "table", "style", "shapes"):
            match element.tag:
                case "style":
                    if any(attribute(one, "display") == "false" for one in element):
                        self._hidden_styles.add(attribute(element, "name") or "")
                case "shapes":
                    self._read_beside(element, Area(1, 1, 1, 1))
                case "table-column":
                    self._read_column(element)
                case "table-row":
                    self._row = self._read_row(self._sheet, element, self._row)
                case _:
                    self._end(element)

    def _end(self, table: Element) -> None:
        if len(self.sheets) >= MAX_SHEETS:
            raise RefusedFile(f"The file has more than {MAX_SHEETS} sheets; divide it into smaller files.")
        self._sheet.name = attribute(table, "name") or ""
        self._sheet.hidden = (attribute(table, "style-name") or "") in self._hidden_styles
        check_sheet(self._sheet)
        self.sheets.append(self._sheet)
        self._begin()

    def _read_column(self, element: Element) -> None:
        end = self._column + _times(element, "number-columns-repeated")
        if attribute(element, "visibility") in _HIDDEN:
            self._sheet.hidden_columns.update(range(self._column, min(end, MOST_COLUMNS)))
        self._column = end

    def _read_beside(self, element: Element, area: Area) -> None:
        """Of a cell, what is not its own text; shapes that are bound to no cell stand at the first."""
        for one in element:
            for text, kind in self._beside([one]) if one.tag != "p" else ():
                if text.strip():
                    self._budget.add_row(1)
                    self._sheet.notes.append(SheetNote(text, area, kind))

    def _beside(self, elements: Iterable[Element]) -> Iterator[tuple[str, Literal["footnote", "text", "caption"]]]:
        """Notes, texts of shapes, descriptions of pictures and titles of charts below elements."""
        for one in elements:
            match one.tag:
                case "annotation":
                    yield "\n".join(_paragraph(line) for line in one.iter("p")), "footnote"
                case "desc":
                    yield one.text or "", "caption"
                case "p":
                    yield _paragraph(one), "text"
                case "object":
                    yield from ((said, "caption") for said in self._titles(attribute(one, "href") or ""))
                case _:
                    yield from self._beside(one)

    def _titles(self, href: str) -> list[str]:
        """The titles of a chart and its axes. What it draws stands in cells; a damaged one says nothing."""
        member = embedded_part(href)
        if member not in self._charts:
            self._charts[member] = []
            with suppress(RefusedFile, *BROKEN):
                titles = self._container.elements(member, *_TITLES) if self._container.has(member) else ()
                self._charts[member] = ["\n".join(_paragraph(line) for line in one.iter("p")) for one in titles]
        return self._charts[member]

    def _read_row(self, sheet: Sheet, element: Element, row: int) -> int:
        """Returns the number of the row behind it."""
        times = _times(element, "number-rows-repeated")
        cells: dict[int, SheetCell] = {}
        column = 1
        for one in element:
            if one.tag not in ("table-cell", "covered-table-cell"):
                continue
            repeated = _times(one, "number-columns-repeated")
            text = "\n".join(_paragraph(line) for line in one if line.tag == "p") or _value(one)
            self._read_beside(one, Area(row, column, row, column))
            if (formula := attribute(one, "formula")) is not None:
                self._add_formulas(sheet, one, formula, Area(row, column, row + times - 1, column + repeated - 1))
            if text.strip():
                cell = SheetCell(text, _KINDS.get(attribute(one, "value-type") or "", "text"))
                if column + repeated - 1 > MOST_COLUMNS:
                    raise RefusedFile(DAMAGED)
                cells |= dict.fromkeys(range(column, column + repeated), cell)
                down, across = _times(one, "number-rows-spanned"), _times(one, "number-columns-spanned")
                if down > 1 or across > 1:
                    sheet.merged.append(Area(row, column, row + down - 1, column + across - 1))
            column += repeated
        for at in range(row, row + times) if cells else ():
            self._budget.add_row(len(cells))
            sheet.rows[at] = cells
            if attribute(element, "visibility") in _HIDDEN:
                sheet.hidden_rows.add(at)
        return row + times

    def _add_formulas(self, sheet: Sheet, cell: Element, written: str, area: Area) -> None:
        """An array's formula is that of all cells that it fills, which is said at the first."""
        down, across = _times(cell, "number-matrix-rows-spanned"), _times(cell, "number-matrix-columns-spanned")
        said = as_calc_shows(written, is_array=attribute(cell, "number-matrix-rows-spanned") is not None)
        calculated = attribute(cell, "value-type") is not None
        bottom, right = max(area.bottom, area.top + down - 1), max(area.right, area.left + across - 1)
        if right > MOST_COLUMNS:
            raise RefusedFile(DAMAGED)
        for row in range(area.top, bottom + 1):
            for column in range(area.left, right + 1):
                sheet.add_formula(row, column, self._budget.add_formula(said), calculated)


def _value(cell: Element) -> str:
    """The value of a cell without words: programs that write results and not how they are shown leave these out."""
    for name in _VALUES:
        if (said := attribute(cell, name)) is not None:
            return shown(float(said), "").text if name == "value" else said.upper() if name == "boolean-value" else said
    return ""


def _times(element: Element, name: str) -> int:
    return max(1, int(attribute(element, name) or 1))


def _paragraph(element: Element) -> str:
    """The text of a paragraph, spaces and tabs included; notes on it are not."""
    pieces = [element.text or ""]
    for one in element:
        match one.tag:
            case "s":
                pieces.append(" " * min(_times(one, "c"), 1000))
            case "tab" | "line-break":
                pieces.append(" ")
            case "annotation":
                pass
            case _:
                pieces.append(_paragraph(one))
        pieces.append(one.tail or "")
    return "".join(pieces)
