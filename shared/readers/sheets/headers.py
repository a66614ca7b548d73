"""Finds the header rows of a region: words above columns that have values, on one level or several."""

import re
from collections.abc import Sequence
from typing import Final

from shared.readers.sheets.cells import SheetCell
from shared.readers.sheets.regions import SheetGrid, SheetRegion
from shared.values.fields import MOST_ROWS, begins_with_field
from shared.values.units import whole_unit

# Behind so many rows of words alone, the words are the table's content.
MOST_LEVELS: Final = 5
# A row with words in this share of the columns names the columns.
NAMES: Final = 0.6
UNIT_CHARACTERS: Final = 14
NAME_CHARACTERS: Final = 60
# So many rows of notes may stand above the names of the columns.
MOST_NOTES: Final = 12
_BRACKETED: Final = re.compile(r"\([^()]*[^\W\d_][^()]*\)|\[[^\[\]]*[^\W\d_][^\[\]]*\]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?:\.0)?")
_UNIT: Final = re.compile(r"[\[(].*[\])]|[A-Za-z%$€£µ°Ωμ]{1,5}[²³]?(?:[/·.*^\-][A-Za-z0-9²³]{1,4}){0,3}[²³]?")


def header_rows(grid: SheetGrid, region: SheetRegion) -> int:
    """How many of the region's first rows are its header; 0 for none."""
    rows, width = region.rows, len(region.columns)
    if width < 2 or len(rows) < 2:
        return 0
    if are_form(grid, region):
        return 0
    words = next((at for at, row in enumerate(rows) if not _names(grid, region, row, at)), len(rows))
    if not words:
        return 0
    if words == len(rows) or words > MOST_LEVELS:
        return _levels(grid, region, min(words, len(rows) - 1), wordy=True)
    return _levels(grid, region, words, wordy=False)


def are_form(grid: SheetGrid, region: SheetRegion) -> bool:
    """Whether all rows of the region, from the first one on, are fields: labels beside their values."""
    if len(region.columns) > 4 or len(region.rows) > MOST_ROWS:
        return False
    texts = [[_text(grid.sheet.rows[row].get(column)) for column in region.columns] for row in region.rows]
    return begins_with_field(texts)


def _text(cell: SheetCell | None) -> str:
    return cell.text if cell else ""


def notes_above(grid: SheetGrid, region: SheetRegion) -> int:
    """How many of the region's first rows are notes above the names of its columns: the first row of words in every
    column that has something from there on, above other things than words, is those names. A row above it that begins
    in the first column and fills few others is no level of a header; neither is what stands above such a row."""
    for at in range(min(MOST_NOTES, len(region.rows) - 1) + 1):
        named = SheetRegion(region.rows[at:], _columns(grid, region, region.rows[at:]))
        if _is_named(grid, named, region.rows[:at]):
            above = at
            while above and not _begins(grid, region.rows[above - 1], named):
                above -= 1
            loose = any(
                _begins(grid, row, named) and _covered(grid, named, row) < NAMES * len(named.columns)
                for row in region.rows[:above]
            )
            return above if loose else 0
    return 0


def _columns(grid: SheetGrid, region: SheetRegion, rows: Sequence[int]) -> list[int]:
    return sorted({column for row in rows for column in grid.filled(row, region)})


def _is_named(grid: SheetGrid, region: SheetRegion, above: Sequence[int]) -> bool:
    """Whether the first row names every column, of which one has values other than words in most rows, and none
    `above`."""
    row, *below = region.rows
    if len(region.columns) < 2 or not below or grid.filled(row, region) != region.columns:
        return False
    cells = grid.sheet.rows
    if any(cells[row][column].kind != "text" or _spans(grid, row, column) for column in region.columns):
        return False
    if not _distinct(grid, region, row):
        return False
    return any(
        2 * sum(_is_value(cells[one].get(column)) for one in below) > len(below)
        and not any(_is_value(cells[one].get(column)) for one in above)
        for column in region.columns
    )


def _is_value(cell: SheetCell | None) -> bool:
    return cell is not None and cell.kind not in ("text", "error")


def _begins(grid: SheetGrid, row: int, region: SheetRegion) -> bool:
    """Whether the row has a cell of its own in the first column."""
    return region.columns[0] in grid.sheet.rows[row] and grid.area(row, region.columns[0]) is None


def _levels(grid: SheetGrid, region: SheetRegion, words: int, wordy: bool) -> int:
    """The header ends with the first row that names the columns each, and a row of units below it."""
    for at in range(min(words, MOST_LEVELS)):
        row = region.rows[at]
        if any(_spans(grid, row, column) for column in grid.filled(row, region)):
            continue
        if _covered(grid, region, row) < NAMES * len(region.columns):
            continue
        if wordy and not _distinct(grid, region, row):
            return 0
        # Where all cells are words, short ones are no units: nothing is measured.
        if not wordy and at + 1 < words and at + 2 < len(region.rows) and _units(grid, region, region.rows[at + 1]):
            return at + 2
        return at + 1
    return 0 if wordy else 1


def _names(grid: SheetGrid, region: SheetRegion, row: int, at: int) -> bool:
    """Whether every cell of the row can be the name of a column: words, in the first rows years and dates, and in the
    first one numbers above words."""
    cells = [grid.sheet.rows[row][column] for column in grid.filled(row, region)]
    if all(cell.kind in ("text", "error") for cell in cells):
        return True
    if at == 0 and all(
        cell.kind == "text" or (cell.kind == "number" and _above_words(grid, region, column))
        for column, cell in zip(grid.filled(row, region), cells, strict=True)
    ):
        return True
    years = sum(cell.kind == "number" and _YEAR.fullmatch(cell.text) is not None for cell in cells)
    words = sum(cell.kind in ("text", "error", "date") for cell in cells)
    if at >= MOST_LEVELS or years + words < len(cells):
        return False
    other = region.rows[-1] if len(region.rows) <= at + 1 else region.rows[at + 1]
    below = [grid.sheet.rows[other].get(column) for column in grid.filled(row, region)]
    return not any(
        (one.kind != "text" and (there is None or (there.kind == one.kind and bool(_YEAR.fullmatch(there.text)))))
        or (there is not None and one.kind == there.kind == "date")
        for one, there in zip(cells, below, strict=True)
    )  # fmt: skip


def _above_words(grid: SheetGrid, region: SheetRegion, column: int) -> bool:
    below = [grid.sheet.rows[row].get(column) for row in region.rows[1:]]
    kinds = {cell.kind for cell in below if cell is not None}
    return bool(kinds) and kinds <= {"text", "boolean"}


def _covered(grid: SheetGrid, region: SheetRegion, row: int) -> int:
    """How many columns have a word in this row, or one that is merged down to it."""
    return sum(grid.cell(row, column) is not None for column in region.columns)


def _spans(grid: SheetGrid, row: int, column: int) -> bool:
    area = grid.area(row, column)
    return area is not None and area.right > area.left


def _distinct(grid: SheetGrid, region: SheetRegion, row: int) -> bool:
    """Whether the names differ, are short and are not like what stands below them: otherwise they are the first row of
    a table of words. A name with digits above others with digits, as telephone numbers are, is none."""
    columns = grid.filled(row, region)
    said = [grid.sheet.rows[row][column].text for column in columns]
    if len(set(said)) < len(said) or any(len(one) > NAME_CHARACTERS for one in said):
        return False
    for column, name in zip(columns, said, strict=True):
        rows = [grid.sheet.rows[one] for one in region.rows if one > row]
        below = [one[column].text for one in rows if column in one]
        if _has_digit(name) and 2 * sum(map(_has_digit, below)) > len(below):
            return False
    return True


def _has_digit(said: str) -> bool:
    return any(sign.isdigit() for sign in said)


def _units(grid: SheetGrid, region: SheetRegion, row: int) -> bool:
    """Whether the row looks like units: short ones, of which at least half are known or in brackets, where the column
    of the rows' names has one too; or whether all that it says stands in brackets."""
    columns = grid.filled(row, region)
    said: Sequence[str] = [grid.sheet.rows[row][column].text.strip() for column in columns]
    if said and all(len(one) <= NAME_CHARACTERS and _BRACKETED.fullmatch(one) for one in said):
        return True
    if not said or not all(len(one) <= UNIT_CHARACTERS and _UNIT.fullmatch(one) for one in said):
        return False
    known = sum(one.startswith(("[", "(")) or whole_unit(one) is not None for one in said)
    return columns[0] != region.columns[0] or 2 * known >= len(said)
