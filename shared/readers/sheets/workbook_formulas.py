"""The formulas of an Excel workbook's cells (ECMA-376 part 1, 18.3.1.40): own, shared, and those of arrays."""

from typing import Final
from xml.etree.ElementTree import Element

from shared.domain.geometry import corners_of
from shared.readers.sheets.cells import MAX_CELLS, Area, Budget, Sheet
from shared.readers.sheets.formulas import UNREADABLE, Formula, SharedFormula, as_shown

_ON: Final = frozenset({"1", "true", "on"})


class FormulaReader:
    """Adds the formulas of one sheet to it, cell by cell, and behind the last one those of arrays."""

    def __init__(self, sheet: Sheet, budget: Budget) -> None:
        self._sheet, self._budget = sheet, budget
        self._shared: dict[str, Formula] = {}
        self._arrays: list[tuple[Area, str]] = []

    def read(self, cell: Element, row: int, column: int) -> None:
        """Of a cell, if it has an `f`. Raises RefusedFile where there are too many."""
        found = cell.find("f")
        if found is None:
            return
        calculated = _is_calculated(cell)
        formula = self._budget.add_formula(self._formula(found, cell, row, column))
        self._sheet.add_formula(row, column, formula, calculated)

    def _formula(self, found: Element, cell: Element, row: int, column: int) -> Formula:
        written = found.text or ""
        match found.get("t", "normal"):
            case "shared":
                key = found.get("si", "")
                if not written.strip():
                    return self._shared.get(key, UNREADABLE)
                formula = SharedFormula(as_shown(written), row, column)
                if found.get("ref") or key not in self._shared:
                    self._shared[key] = formula
                return formula.text
            case "array":
                # A dynamic array, of one cell or of those that it spills over, is shown without braces.
                said = as_shown(written) if cell.get("cm", "0") != "0" else f"{{{as_shown(written)}}}"
            case "dataTable":
                said = _data_table(found)
            case _:
                return as_shown(written) if written.strip() else UNREADABLE
        self._arrays.append((_area(found, row, column), said))
        return said

    def spread(self) -> None:
        """Every cell of an array has its formula, which the file says once."""
        left = MAX_CELLS
        for area, said in self._arrays:
            inside = range(area.left, area.right + 1)
            for row in range(area.top, area.bottom + 1) if area.bottom - area.top < left else ():
                cells = self._sheet.rows.get(row, {})
                left -= 1 + min(len(cells), len(inside))
                few, many = (cells, inside) if len(cells) < len(inside) else (inside, cells)
                for column in [one for one in few if one in many]:
                    if column not in self._sheet.formulas.get(row, {}):
                        self._sheet.add_formula(row, column, self._budget.add_formula(said))


def _is_calculated(cell: Element) -> bool:
    """Whether a program has put a result beside the formula: a text may be empty, a number is not."""
    value = cell.find("v")
    return value is not None and (bool(value.text) or cell.get("t") == "str")


def _area(found: Element, row: int, column: int) -> Area:
    reference = found.get("ref")
    if not reference:
        return Area(row, column, row, column)
    left, top, right, bottom = corners_of(reference.replace("$", ""))
    return Area(top, left, bottom, right)


def _data_table(found: Element) -> str:
    """What is shown of a table of what-ifs: the cells that its row and its column stand for."""
    first, second = found.get("r1", ""), found.get("r2", "")
    if found.get("dt2D") not in _ON:
        first, second = (first, "") if found.get("dtr") in _ON else ("", first)
    return f"{{=TABLE({first},{second})}}"
