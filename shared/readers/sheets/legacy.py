"""Reads Excel's old workbooks (.xls, BIFF 2 to 8) with xlrd: the cells as they are shown, notes and boxes of text."""

import io
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import xlrd
import xlrd.book
from xlrd.biffh import XLRDError
from xlrd.compdoc import CompDocError

from shared.errors import RefusedFile
from shared.readers.sheets.cells import MAX_SHEETS, Area, Budget, Sheet, SheetCell, SheetNote, check_sheet
from shared.readers.sheets.container import DAMAGED
from shared.readers.sheets.formats import BUILT_IN, shown
from shared.readers.sheets.legacy_boxes import boxes_of
from shared.readers.sheets.legacy_formulas import Formulas, formulas_of

MAX_BYTES: Final = 100_000_000
# As xlrd numbers Excel 97's. Older ones have their notes in another way, which nothing proves.
BIFF_8: Final = 80
_ERRORS: Final = (
    XLRDError, CompDocError, OSError, ValueError, IndexError, KeyError, TypeError, AttributeError,
    AssertionError, struct.error, OverflowError, RecursionError, MemoryError,
)  # fmt: skip
# The formulas of named ranges say nothing that is shown, and one that xlrd does not know would end the workbook.
xlrd.book.evaluate_name_formula = lambda *_args, **_named: None
_LOCKED: Final = "The workbook is encrypted; save it without a password and upload that."


def read_legacy_workbook(path: Path) -> list[Sheet]:
    """The sheets with cells, in their order; hidden ones too. Raises RefusedFile."""
    if path.stat().st_size > MAX_BYTES:
        raise RefusedFile(f"The workbook is larger than {MAX_BYTES // 10**6} MB; save it as .xlsx and upload that.")
    try:
        book = xlrd.open_workbook(
            file_contents=path.read_bytes(), formatting_info=True, on_demand=True, logfile=io.StringIO()
        )
        if book.nsheets > MAX_SHEETS:
            raise RefusedFile(f"The file has more than {MAX_SHEETS} sheets; divide it into smaller files.")
        budget = Budget()
        found = [_sheet(book, number, budget) for number in range(book.nsheets)]
        for sheet, laid in zip(found, _boxes(path), strict=False):
            _add_notes(sheet, laid, budget)
        for sheet, formulas in zip(found, _formulas(path, budget), strict=False):
            for (row, column), said in formulas.items():
                sheet.add_formula(row, column, said)
    except RefusedFile:
        raise
    except _ERRORS as error:
        raise RefusedFile(_LOCKED if "encrypted" in str(error) else DAMAGED) from error
    return [sheet for sheet in found if sheet.rows or sheet.notes]


def _boxes(path: Path) -> list[list[SheetNote]]:
    """A workbook whose cells can be read is no worse for damaged drawings."""
    try:
        return boxes_of(path)
    except _ERRORS:
        return []


def _formulas(path: Path, budget: Budget) -> list[Formulas]:
    """Nor for damaged formulas."""
    try:
        return formulas_of(path, budget)
    except _ERRORS:
        return []


def _sheet(book: Any, number: int, budget: Budget) -> Sheet:
    read = book.sheet_by_index(number)
    sheet = Sheet(read.name, hidden=bool(read.visibility))
    for row in range(read.nrows):
        cells = {
            column + 1: cell
            for column in range(read.row_len(row))
            if (cell := _cell(book, read, row, column)) is not None and cell.text.strip()
        }
        if cells:
            budget.add_row(len(cells))
            sheet.rows[row + 1] = cells
    sheet.merged = [Area(top + 1, left + 1, bottom, right) for top, bottom, left, right in read.merged_cells]
    sheet.hidden_rows = {row + 1 for row, info in read.rowinfo_map.items() if info.hidden}
    sheet.hidden_columns = {column + 1 for column, info in read.colinfo_map.items() if info.hidden}
    notes = [(at, note.text) for at, note in sorted(read.cell_note_map.items()) if (note.text or "").strip()]
    if book.biff_version >= BIFF_8:
        areas = (Area(row + 1, column + 1, row + 1, column + 1) for (row, column), _ in notes)
        _add_notes(sheet, [SheetNote(text, area) for area, (_, text) in zip(areas, notes, strict=True)], budget)
    elif notes:
        sheet.unread = f"{len(notes)} {'note' if len(notes) == 1 else 'notes'} on cells"
    check_sheet(sheet)
    book.unload_sheet(number)
    return sheet


def _add_notes(sheet: Sheet, notes: Sequence[SheetNote], budget: Budget) -> None:
    for note in notes:
        budget.add_row(1)
        sheet.notes.append(note)


def _cell(book: Any, sheet: Any, row: int, column: int) -> SheetCell | None:
    kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
    if kind in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        style = sheet.cell_xf_index(row, column)
        key = book.xf_list[style].format_key if 0 <= style < len(book.xf_list) else 0
        own = book.format_map.get(key)
        code = BUILT_IN.get(key) or (own and own.format_str) or ""
        return shown(value, "" if code.lower() in ("general", "@") else code, bool(book.datemode))
    if kind == xlrd.XL_CELL_BOOLEAN:
        return SheetCell("TRUE" if value else "FALSE", "boolean")
    if kind == xlrd.XL_CELL_ERROR:
        return SheetCell(xlrd.error_text_from_code.get(value, "#UNKNOWN!"), "error")
    return SheetCell(value) if kind == xlrd.XL_CELL_TEXT else None
