"""Rules that filled cells stand for: cells of a table that have colours instead of lines around them.

Fills of one column that stand directly below each other give the rows; fills at the heights of these rows are cells of
the same table. Cells between them may be white: then only their neighbours say where they begin and end.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

Extent = tuple[float, float, float, float]
Segment = tuple[float, float, float]  # position, start, end

# Greatest distance of the edges of neighbouring cells: some are drawn with white between them.
TOUCH_PT = 2.5
# Fills below each other from which they are rows, and their least height and width: less is a line of text or a mark.
MIN_ROWS = 3
MIN_HEIGHT_PT = 6.0
MIN_WIDTH_PT = 10.0
# With more fills than this a page is a drawing.
MAX_FILLS = 2000


def rules_of_fills(fills: Sequence[Extent]) -> tuple[list[Segment], list[Segment]]:
    """Returns horizontal rules (y, x0, x1) and vertical rules (x, y0, y1) around the cells of filled tables."""
    horizontal: list[Segment] = []
    vertical: list[Segment] = []
    for cells, levels in _tables(fills):
        x0, x1 = min(cell[0] for cell in cells), max(cell[2] for cell in cells)
        edges = _levels([x for cell in cells for x in (cell[0], cell[2])])
        for y in levels:
            within = sorted((c[0], c[2]) for c in cells if c[1] + TOUCH_PT < y < c[3] - TOUCH_PT)
            horizontal += [(y, start, end) for start, end in _between(x0, x1, within)]
        for x in edges:
            within = sorted((c[1], c[3]) for c in cells if c[0] + TOUCH_PT < x < c[2] - TOUCH_PT)
            vertical += [(x, start, end) for start, end in _between(levels[0], levels[-1], within)]
    return horizontal, vertical


def _tables(fills: Sequence[Extent]) -> Iterator[tuple[list[Extent], list[float]]]:
    """The cells of each filled table, and the heights of the edges of its rows."""
    free = [f for f in fills if f[3] - f[1] >= MIN_HEIGHT_PT and f[2] - f[0] >= MIN_WIDTH_PT]
    if len(fills) > MAX_FILLS or not _stacks(free):
        return
    free = _without_parts(free)
    for stack in _stacks(free):
        levels = _levels([y for cell in stack for y in (cell[1], cell[3])])
        levels = _levels([*levels, *[f[1] for f in free if abs(f[3] - levels[0]) <= TOUCH_PT]])  # a header above
        row = [f for f in free if _at(f[1], levels) and _at(f[3], levels)]
        for cells in _side_by_side(row):
            if stack[0] in cells and len({round(cell[0] / TOUCH_PT) for cell in cells}) > 1:
                free = [f for f in free if f not in cells]
                yield cells, levels


def _without_parts(fills: Sequence[Extent]) -> list[Extent]:
    """The fills without those that mark a part of another, larger one."""
    largest = sorted(fills, key=_area, reverse=True)
    falling = [-_area(fill) for fill in largest]
    return [f for f in fills if not any(_holds(o, f) for o in largest[: bisect_left(falling, -_area(f) - 1)])]


def _area(fill: Extent) -> float:
    return (fill[2] - fill[0]) * (fill[3] - fill[1])


def _holds(other: Extent, fill: Extent) -> bool:
    return other[0] <= fill[0] + 1 and other[1] <= fill[1] + 1 and fill[2] <= other[2] + 1 and fill[3] <= other[3] + 1


def _stacks(fills: Sequence[Extent]) -> list[list[Extent]]:
    """Fills of one width that stand directly below each other; the highest stacks first."""
    columns: dict[tuple[int, int], list[Extent]] = {}
    for fill in sorted(fills, key=lambda f: f[1]):
        columns.setdefault((round(fill[0] / TOUCH_PT), round(fill[2] / TOUCH_PT)), []).append(fill)
    found: list[list[Extent]] = []
    for column in columns.values():
        run = column[:1]
        for above, below in pairwise(column):
            if abs(below[1] - above[3]) > TOUCH_PT:
                found.append(run)
                run = []
            run.append(below)
        found.append(run)
    return sorted((run for run in found if len(run) >= MIN_ROWS), key=len, reverse=True)


def _levels(values: Sequence[float]) -> list[float]:
    """The values without those that are nearly the same as the one before."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > TOUCH_PT:
            found.append(value)
    return found


def _at(value: float, levels: Sequence[float]) -> bool:
    return any(abs(value - level) <= TOUCH_PT for level in levels)


def _side_by_side(cells: Sequence[Extent]) -> Iterator[list[Extent]]:
    """The cells, in groups that white divides from top to bottom; cells too narrow to be told are no white."""
    group: list[Extent] = []
    right = 0.0
    for cell in sorted(cells):
        if group and cell[0] > right + MIN_WIDTH_PT:
            yield group
            group = []
        group.append(cell)
        right = max(right, cell[2]) if len(group) > 1 else cell[2]
    if group:
        yield group


def _between(start: float, end: float, covered: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The parts of a line that `covered` leaves free."""
    for x0, x1 in covered:
        if x0 > start + TOUCH_PT:
            yield start, x0
        start = max(start, x1)
    if end > start + TOUCH_PT:
        yield start, end
