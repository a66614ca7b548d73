"""Divides a sheet into regions: cells that stand together, with blank rows and columns between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from shared.readers.sheets.cells import Area, Sheet, SheetCell, clipped

MAX_DEPTH = 8


class SheetRegion(NamedTuple):
    """Rows with cells, ascending, and columns with cells, ascending."""

    rows: list[int]
    columns: list[int]


@dataclass
class SheetGrid:
    """A sheet with its merged areas, each at all the cells that it is merged over, by row and column. `covered` are
    cells with text below others that are merged over them: nobody sees them."""

    sheet: Sheet
    merged: dict[int, dict[int, Area]]
    covered: dict[tuple[int, int], SheetCell]

    def cell(self, row: int, column: int) -> SheetCell | None:
        """The cell, or the one that is merged over it."""
        area = self.area(row, column)
        return self.sheet.rows.get(area.top, {}).get(area.left) if area else self.sheet.rows[row].get(column)

    def area(self, row: int, column: int) -> Area | None:
        return self.merged.get(row, {}).get(column)

    def filled(self, row: int, region: SheetRegion) -> list[int]:
        """The columns of a region's row that have a cell of their own there."""
        cells = self.sheet.rows[row]
        if len(cells) < len(region.columns):
            return [column for column in sorted(cells) if region.columns[0] <= column <= region.columns[-1]]
        return [column for column in region.columns if column in cells]


def grid_of(sheet: Sheet) -> SheetGrid:
    """Takes covered cells out of the sheet."""
    merged: dict[int, dict[int, Area]] = {}
    whole = {area[:2]: area for area in sheet.merged}
    for area in clipped(sheet):
        if sheet.rows.get(area.top, {}).get(area.left):
            for row in range(area.top, area.bottom + 1):
                merged.setdefault(row, {}).update(dict.fromkeys(range(area.left, area.right + 1), whole[area[:2]]))
    covered: dict[tuple[int, int], SheetCell] = {}
    for row, areas in merged.items():
        cells = sheet.rows.get(row, {})
        for column, area in areas.items():
            if column in cells and (row, column) != area[:2]:
                covered[row, column] = cells.pop(column)
        if row in sheet.rows and not cells:
            del sheet.rows[row]
    return SheetGrid(sheet, merged, covered)


def regions_of(grid: SheetGrid) -> list[SheetRegion]:
    """From top to bottom, those beside each other from left to right."""
    rows = sorted(grid.sheet.rows)
    return list(_divided(grid, rows, 1, 1 << 24, 0)) if rows else []


def _divided(grid: SheetGrid, rows: Sequence[int], first: int, last: int, depth: int) -> Iterator[SheetRegion]:
    bands = list(_bands(grid, rows, first, last))
    for band in bands:
        groups = _groups(grid, band, first, last)
        if depth >= MAX_DEPTH or (len(groups) == 1 and (len(bands) == 1 or depth)):
            yield SheetRegion(band, sorted({column for group in groups for column in group}))
            continue
        for group in groups:
            inside = [row for row in band if any(group[0] <= column <= group[-1] for column in grid.sheet.rows[row])]
            yield from _divided(grid, inside, group[0], group[-1], depth + 1)


def _bands(grid: SheetGrid, rows: Sequence[int], first: int, last: int) -> Iterator[list[int]]:
    """Rows between which no row is blank in these columns; what is merged over a row fills it."""
    band: list[int] = []
    reach = 0
    for row in rows:
        if band and row > reach + 1:
            yield band
            band = []
        band.append(row)
        areas = [area.bottom for area in grid.merged.get(row, {}).values() if first <= area.left <= last]
        reach = max(reach, row, *areas) if areas else max(reach, row)
    if band:
        yield band


def _groups(grid: SheetGrid, band: Sequence[int], first: int, last: int) -> list[list[int]]:
    """The band's columns, divided at blank columns where what follows is a table of its own."""
    used: set[int] = set()
    bridged: set[int] = set()
    for row in band:
        used.update(column for column in grid.sheet.rows[row] if first <= column <= last)
        bridged.update(column for column, area in grid.merged.get(row, {}).items() if column > area.left)
    columns = sorted(used)
    groups = [[columns[0]]]
    for column in columns[1:]:
        gap = range(groups[-1][-1] + 1, column)
        if gap and not all(one in bridged for one in gap):
            groups.append([column])
        else:
            groups[-1].append(column)
    joined = [groups[0]]
    for group in groups[1:]:
        if _stands_alone(grid, band, joined[-1], group):
            joined.append(group)
        else:
            joined[-1] = joined[-1] + group
    return joined


def _stands_alone(grid: SheetGrid, band: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether columns behind a blank one are something else: they share no row with those before it, or have several
    columns of which the first has words, as the labels of rows are. Else the blank column only spaces the table."""
    kinds: list[bool] = []
    shared = 0
    for row in band:
        cells = grid.sheet.rows[row]
        there = [column for column in cells if right[0] <= column <= right[-1]]
        shared += bool(there) and any(left[0] <= column <= left[-1] for column in cells)
        if right[0] in cells:
            kinds.append(cells[right[0]].kind == "text")
    if not shared:
        return True
    return len(right) > 1 and len(left) > 1 and len(kinds) > 1 and 2 * sum(kinds[1:]) > len(kinds) - 1
