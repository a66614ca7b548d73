"""Headers whose cells have different numbers of lines: rows of text are no rows of the header then.

Words that stand on each other over the same columns, with no rule between, are lines of one cell. A cell is a level
above another where it ends before that one begins, so cells that are set to a common bottom, top or middle are one
level, however many lines each has. A unit in brackets, alone in its row, is a cell of its own; so are years where
words are over some of them only.
"""

from collections.abc import Sequence

from shared.extraction.page_view import Line
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import BRACKETED, YEAR

# Greatest distance of words that may be lines of one cell, in line heights.
LINE_GAP = 0.5
# Share of its height by which a cell of an upper level may reach into one below it.
OVERLAP = 0.3
# Greatest distance of the edges, or the middles, of lines of one cell.
SAME_EDGE_PT = 3.0


def join_stacked(grid: Grid, count: int, region: Region) -> int:
    """Joins the lines of each cell in the first `count` rows of the grid, its header, and returns how many rows it has
    then. Where all cells have as many lines, these may as well be levels, and stay rows."""
    rows = grid.rows[:count]
    if len({tuple((cell.column, cell.col_span) for cell in row if cell.lines) for row in rows}) < 2:
        return count
    if region.kind == "grid" or count < 2 or any(cell.row_span > 1 for row in rows for cell in row):
        return count
    cells: list[GridCell] = []
    for row in [[cell for cell in row if cell.lines] for row in rows]:
        own = (len(row) == 1 and BRACKETED.match(row[0].lines[0].text)) or _are_years(row, cells)
        for cell in row:
            above = _above(cell, cells)
            if above and not own and _is_same_place(above, cell) and are_stacked(above, cell, region):
                above.lines += cell.lines
            else:
                cells.append(GridCell(cell.column, [*cell.lines], cell.col_span))
    levels = _levels(cells)
    height = max(levels)
    width = max(cell.column + cell.col_span for cell in rows[0])
    levelled = [
        [cell for cell, level in zip(cells, levels, strict=True) if level == height - at] for at in range(height)
    ]
    if height >= count:
        return count
    grid.rows[:count] = [_filled(row, width) for row in levelled]
    grid.heads = min(grid.heads, height)
    return height


def are_stacked(upper: GridCell, lower: GridCell, region: Region) -> bool:
    """Whether the words of `lower` are close below those of `upper`, set like them, with no rule between."""
    last, first = max(upper.lines, key=lambda x: x.y1), min(lower.lines, key=lambda x: x.y0)
    parted = any(last.middle < y < first.middle and x0 < last.x1 and x1 > last.x0 for y, x0, x1 in region.horizontal)
    return not parted and _are_alike(last, first) and first.y0 - last.y1 < LINE_GAP * last.height


def _above(cell: GridCell, cells: Sequence[GridCell]) -> GridCell | None:
    return next((c for c in reversed(cells) if _over_same(c, cell)), None)


def _are_years(row: Sequence[GridCell], cells: Sequence[GridCell]) -> bool:
    """Whether the row is years, some of them below words and others not: the words head several."""
    names = [cell for cell in row if cell.column > 0]
    bare = any(_above(cell, cells) is None for cell in names)
    return bare and all(YEAR.match(cell.lines[0].text) for cell in names)


def _is_same_place(one: GridCell, other: GridCell) -> bool:
    """Whether both are over the same columns, the words below each other: at one edge or in one middle."""
    last, first = one.lines[-1], other.lines[0]
    middle = abs(last.x0 + last.x1 - first.x0 - first.x1) <= 2 * SAME_EDGE_PT
    edge = min(abs(last.x0 - first.x0), abs(last.x1 - first.x1)) <= SAME_EDGE_PT
    return (one.column, one.col_span) == (other.column, other.col_span) and (middle or edge)


def _over_same(one: GridCell, other: GridCell) -> bool:
    return one.column < other.column + other.col_span and other.column < one.column + one.col_span


def _levels(cells: Sequence[GridCell]) -> list[int]:
    """For each cell the number of levels from it down to the lowest: one more than that of any cell below it."""
    found: dict[int, int] = {}
    for at in sorted(range(len(cells)), key=lambda at: -_top(cells[at].lines)):
        below = [found[other] for other in found if _is_above(cells[at].lines, cells[other].lines)]
        found[at] = 1 + max(below, default=0)
    return [found[at] for at in range(len(cells))]


def _is_above(upper: Sequence[Line], lower: Sequence[Line]) -> bool:
    height = min(line.height for line in [*upper, *lower])
    return max(line.y1 for line in upper) <= _top(lower) + OVERLAP * height


def _top(lines: Sequence[Line]) -> float:
    return min(line.y0 for line in lines)


def _filled(row: Sequence[GridCell], width: int) -> list[GridCell]:
    """The row with an empty cell in each column that none of its cells is over."""
    taken = {column for cell in row for column in range(cell.column, cell.column + cell.col_span)}
    return sorted(
        [*row, *[GridCell(column) for column in range(width) if column not in taken]], key=lambda cell: cell.column
    )


def _are_alike(one: Line, other: Line) -> bool:
    """Whether both are of one size and weight; signs may be of a font of their own (`(n = 432)`)."""
    return round(2 * one.size) == round(2 * other.size) and one.bold == other.bold
