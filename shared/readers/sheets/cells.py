"""What a sheet holds, whatever its format: the cells that have text, where cells are merged, what is hidden."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

from shared.errors import RefusedFile
from shared.readers.sheets.formulas import MAX_CHARACTERS, UNREADABLE, Formula, SharedFormula

# Beyond these a file is refused: every cell of a stored document costs about 3 KB while it is put together.
MAX_CELLS: Final = 2_000_000
MAX_ROWS: Final = 500_000
# Of one sheet, from its first cell to its last: libraries lay a sheet out as a whole.
MAX_AREA: Final = 10_000_000
MAX_SHEETS: Final = 1_000
MAX_MERGED_CELLS: Final = 1_000_000
# Of all formulas of a file, shifted to each of their cells: beyond it is only said that a cell has one.
MAX_FORMULA_CHARACTERS: Final = 100_000_000
SMALLER: Final = "divide it into smaller files, or save the table as CSV, which may have {:,} rows and {:,} cells."
# A table has so many rows as passages, and as many as MAX_CELLS lets it; those behind them are kept in blocks beside
# the document.
PASSAGE_ROWS: Final = 20_000
BLOCK_ROWS: Final = 50_000
BLOCK_CELLS: Final = 500_000
BLOCK_CHARACTERS: Final = 16_000_000
# Of a table in plain text, which is read block by block: as many rows as a sheet of a workbook can have.
MAX_LONG_ROWS: Final = 1_048_576
MAX_LONG_AREA: Final = 20_000_000

Kind = Literal["text", "number", "date", "boolean", "error"]


class SheetCell(NamedTuple):
    """The text that a cell shows, and what it is."""

    text: str
    kind: Kind = "text"


class Area(NamedTuple):
    """Merged cells: the first and last row and column, from 1."""

    top: int
    left: int
    bottom: int
    right: int


class SheetNote(NamedTuple):
    """What is said beside the cells: a note on one (`footnote`), a box of text, or the description of a picture and the
    titles of a chart (`caption`). `area`: the cell, or the cells that it lies over."""

    text: str
    area: Area
    kind: Literal["footnote", "text", "caption"] = "footnote"


class Beyond(Protocol):
    """Rows of a sheet's last table behind those that the sheet has, block by block, read when they are asked for."""

    @property
    def columns(self) -> Sequence[int]: ...

    @property
    def firsts(self) -> Sequence[int]:
        """Of each block the number of its first row."""
        ...

    def block(self, at: int) -> dict[int, list[str]]:
        """Row → the texts of its cells from the first column on; quickest in order."""
        ...


@dataclass
class Sheet:
    """`rows` has row → column → cell, from 1, of cells with text alone; `beyond` those that are too many for it.
    `formulas` are those of cells, with text or without; of those without `uncalculated` have none because nobody has
    calculated them."""

    name: str
    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict[int, dict[int, SheetCell]])
    formulas: dict[int, dict[int, Formula]] = field(default_factory=dict[int, dict[int, Formula]])
    uncalculated: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    merged: list[Area] = field(default_factory=list[Area])
    notes: list[SheetNote] = field(default_factory=list[SheetNote])
    hidden: bool = False
    # What the file has beside the cells and the reader does not read, in words.
    unread: str = ""
    hidden_rows: set[int] = field(default_factory=set[int])
    hidden_columns: set[int] = field(default_factory=set[int])
    beyond: Beyond | None = None

    def add_formula(self, row: int, column: int, formula: Formula, calculated: bool = True) -> None:
        self.formulas.setdefault(row, {})[column] = formula
        if not calculated:
            self.uncalculated.setdefault(row, set()).add(column)


class Budget:
    """Counts what is read of a file, and refuses it where that is too much."""

    def __init__(self) -> None:
        self._cells = self._rows = self._formulas = self._characters = 0

    def add_row(self, cells: int) -> None:
        """Raises RefusedFile."""
        self.add_cells(cells, rows=1)

    def add_cells(self, cells: int, rows: int = 0) -> None:
        """Raises RefusedFile."""
        self._cells += cells
        self._rows += rows
        if self._cells > MAX_CELLS or self._rows > MAX_ROWS:
            smaller = SMALLER.format(MAX_LONG_ROWS, MAX_LONG_AREA)
            raise RefusedFile(f"The file has more than {MAX_ROWS:,} rows or {MAX_CELLS:,} cells; {smaller}")

    def add_formula(self, formula: Formula) -> Formula:
        """The formula, or UNREADABLE where it is too long, or all are. Raises RefusedFile for too many."""
        self._formulas += 1
        if self._formulas > MAX_CELLS:
            raise RefusedFile(f"The file has more than {MAX_CELLS:,} formulas; divide it into smaller files.")
        length = len(formula.text if isinstance(formula, SharedFormula) else formula)
        if length > MAX_CHARACTERS:
            return UNREADABLE
        self._characters += length
        return formula if self._characters <= MAX_FORMULA_CHARACTERS else UNREADABLE


def check_sheet(sheet: Sheet) -> None:
    """Raises RefusedFile for cells that are too far apart, and for too many merged ones."""
    columns = [column for row in sheet.rows.values() for column in (min(row), max(row))]
    if columns and (max(sheet.rows) - min(sheet.rows) + 1) * (max(columns) - min(columns) + 1) > MAX_AREA:
        raise RefusedFile(
            f"The cells of the sheet {sheet.name} are too far apart (row {max(sheet.rows):,}, column {max(columns):,});"
            " delete stray cells at its end, or save the table alone."
        )
    if sum((bottom - top + 1) * (right - left + 1) for top, left, bottom, right in clipped(sheet)) > MAX_MERGED_CELLS:
        raise RefusedFile(f"The sheet {sheet.name} has too many merged cells; unmerge them and upload the file again.")


def clipped(sheet: Sheet) -> list[Area]:
    """The merged areas, as far down and to the right as there are cells."""
    last, end = max(sheet.rows, default=0), max([max(row) for row in sheet.rows.values()], default=0)
    return [
        area._replace(bottom=min(area.bottom, last), right=min(area.right, end))
        for area in sheet.merged
        if area.top <= last and area.left <= end
    ]
