"""The grid of a ruled table: cells are enclosed by drawn borders ("walls"), and merged where a border is missing."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.bands import evidence_of
from shared.extraction.tables.columns import Column
from shared.extraction.tables.grid import Grid, GridCell, centred_rows, dividers_of
from shared.extraction.tables.regions import Region, Segment, text_end
from shared.extraction.tables.rows import is_figure

SAME_RULE_PT = 3.0
# Share of a cell's side that a rule must cover to be its wall.
WALL_SHARE = 0.5
# Rows ruled off from which the others could be expected to be, too.
RULED_ROWS = 3
THIN_ROW_PT = 4.0
# Share of the rows a cell reaches over that have a number, from which it is one cell in each of them.
FIGURES_SHARE = 0.6
# Share of a text that is beyond a column's edge, from which it spans both columns, though another text is beside it.
CROSSED_SHARE = 0.2

Place = tuple[int, int]


class _Row(NamedTuple):
    """A row of the lattice. Where only text separates it from the row above, `joined` are the columns that it does not
    separate."""

    top: float
    bottom: float
    joined: frozenset[int] = frozenset()
    drawn_top: bool = True


class _Block(NamedTuple):
    """A cell: its first row and column, and the number of rows and columns that it covers."""

    row: int
    column: int
    rows: int
    columns: int


def build_lattice(lines: Sequence[Line], columns: Sequence[Column], region: Region) -> Grid:
    """Assigns `lines` to cells in `columns`; every line ends up in exactly one cell."""
    levels = _levels(region, lines)
    rows = [_Row(top, bottom) for top, bottom in pairwise(levels)]
    blocks = _blocks(rows, columns, region, lines)
    parted = _parted(blocks, rows, columns, lines)
    blocks = _blocks(rows, columns, region, lines, parted) if parted else blocks
    rows = list(_split_by_text(rows, blocks, lines, columns))
    blocks = _blocks(rows, columns, region, lines, parted)
    grid = _grid(blocks, rows, columns, lines, region)
    grid.undecided = _is_undecided(rows, lines, columns)
    return grid


def _is_undecided(rows: Sequence[_Row], lines: Sequence[Line], columns: Sequence[Column]) -> bool:
    """Whether text alone parts a row from the row above, neither with a label of its own, where others are ruled off:
    the two may be lines of one."""
    parted = [row for row in rows if not row.drawn_top]
    if not parted or len(rows) - len(parted) < RULED_ROWS:
        return False
    labels = [line for line in lines if line.x1 <= columns[0][1] + SAME_RULE_PT]
    return any(not any(row.top <= x.y0 + 0.25 * x.height and x.middle < row.bottom for x in labels) for row in parted)


def _levels(region: Region, lines: Sequence[Line]) -> list[float]:
    """The heights of all horizontal rules, edges of shaded rows, and edges of the region; without rows that have no
    height."""
    ends = [min(region.y0, *[line.y0 for line in lines]), max(region.y1, *[line.y1 for line in lines])]
    found: list[float] = []
    for y in sorted([*[h[0] for h in region.horizontal], *region.bands]):
        if (not found or y - found[-1] > SAME_RULE_PT) and ends[0] + SAME_RULE_PT < y < ends[1] - SAME_RULE_PT:
            found.append(y)
    kept = [ends[0]]
    for y in [*found, ends[1]]:
        thin = y - kept[-1] < THIN_ROW_PT and not any(kept[-1] <= line.middle < y for line in lines)
        if thin and len(kept) > 1:
            kept[-1] = y
        else:
            kept.append(y)
    return kept


def _parted(
    blocks: Sequence[_Block], rows: Sequence[_Row], columns: Sequence[Column], lines: Sequence[Line]
) -> frozenset[tuple[int, float]]:
    """Walls, as (column, height), through cells that reach over several rows but hold a number in each of them: these
    cells, and those beside them that have a text beside each of the numbers, are rows that only other columns rule."""
    tall = [b for b in blocks if b.rows > 1]
    inside = {b: [x for x in lines if _holds(b, x, rows, columns)] for b in tall}
    figures = {
        b: [row for row in rows_of(own) if any(is_figure(x.text) for x in row)] for b, own in inside.items() if own
    }
    found: set[tuple[int, float]] = set()
    for block in [b for b, numbers in figures.items() if len(numbers) >= max(2, FIGURES_SHARE * b.rows)]:
        beside = [
            b
            for b in tall
            if b.row == block.row
            and b.rows == block.rows
            and all(any(x.y0 < row[0].middle < x.y1 for x in inside[b]) for row in figures[block])
        ]
        if len(beside) > 1:
            found |= {
                (c, rows[r].top)
                for b in beside
                for c in range(b.column, b.column + b.columns)
                for r in range(b.row + 1, b.row + b.rows)
            }
    return frozenset(found)


def _holds(block: _Block, line: Line, rows: Sequence[_Row], columns: Sequence[Column]) -> bool:
    across = block.column <= column_at(line, columns) < block.column + block.columns
    return across and rows[block.row].top <= line.middle < rows[block.row + block.rows - 1].bottom


def _blocks(
    rows: Sequence[_Row], columns: Sequence[Column], region: Region, lines: Sequence[Line],
    parted: frozenset[tuple[int, float]] = frozenset(),
) -> list[_Block]:  # fmt: skip
    """Places of the lattice that no wall divides, joined into rectangles."""
    parent = {(r, c): (r, c) for r in range(len(rows)) for c in range(len(columns))}

    def root(place: Place) -> Place:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for r, row in enumerate(rows):
        walls = _vertical_walls(row, columns, region, lines)
        for c in range(len(columns)):
            if c and c not in walls:
                parent[root((r, c))] = root((r, c - 1))
            if r and (c, row.top) not in parted and not _has_wall_above(row, c, columns[c], region):
                parent[root((r, c))] = root((r - 1, c))
    groups: dict[Place, list[Place]] = {}
    for place in parent:
        groups.setdefault(root(place), []).append(place)
    return _rectangles(groups.values())


def _vertical_walls(row: _Row, columns: Sequence[Column], region: Region, lines: Sequence[Line]) -> set[int]:
    """Columns whose left edge is a wall in this row: drawn, or between texts side by side.

    A row without any drawn wall is divided wherever no text crosses; not at all where a single text stands in it and
    other rows have a wall between all columns.
    """
    inside = [line for line in lines if row.top <= line.middle < row.bottom]
    drawn = {c for c in range(1, len(columns)) if _is_drawn(columns[c][0], row, region.vertical)}
    ruled = {c for c in range(1, len(columns)) if _is_ruled(columns[c][0], region.vertical)}
    found = set(drawn)
    if not drawn and len(ruled) == len(columns) - 1 and len({column_at(line, columns) for line in inside}) == 1:
        return found
    for c in range(1, len(columns)):
        x = columns[c][0]
        side_by_side = _side_by_side(inside, columns, c)
        crossed = any(_crosses(line, x, CROSSED_SHARE if side_by_side else 0.0) for line in inside)
        if c not in found and not crossed and (not drawn or c not in ruled or side_by_side):
            found.add(c)
    return found


def _crosses(line: Line, x: float, share: float) -> bool:
    """Whether at least a point and `share` of the text is on either side of x."""
    right = text_end(line)
    return min(x - line.x0, right - x) > max(1.0, share * (right - line.x0))


def _is_drawn(x: float, row: _Row, vertical: Iterable[Segment]) -> bool:
    height = row.bottom - row.top
    covered = sum(min(y1, row.bottom) - max(y0, row.top) for at, y0, y1 in vertical
                  if abs(at - x) <= SAME_RULE_PT and y0 < row.bottom and y1 > row.top)  # fmt: skip
    return covered >= WALL_SHARE * height


def _is_ruled(x: float, vertical: Iterable[Segment]) -> bool:
    return any(abs(at - x) <= SAME_RULE_PT for at, _, _ in vertical)


def _side_by_side(inside: Sequence[Line], columns: Sequence[Column], c: int) -> bool:
    left = [line for line in inside if columns[c - 1][0] <= (line.x0 + line.x1) / 2 < columns[c][0]]
    right = [line for line in inside if columns[c][0] <= (line.x0 + line.x1) / 2 < columns[c][1]]
    return any(a.y0 < b.middle < a.y1 for a in left for b in right)


def _has_wall_above(row: _Row, c: int, column: Column, region: Region) -> bool:
    """Whether there is a wall above the row in column `c`."""
    if not row.drawn_top:
        return c not in row.joined
    x0, x1 = max(column[0], region.x0), min(column[1], region.x1)
    near = [h for h in region.horizontal if abs(h[0] - row.top) <= SAME_RULE_PT]
    drawn = [h for h in near if h not in region.tinted]
    if _covered(drawn, x0, x1) >= WALL_SHARE * (x1 - x0):
        return True
    if _covered(drawn, region.x0, region.x1) >= WALL_SHARE * (region.x1 - region.x0):
        return _ends_shading(row.top, x0, x1, region)  # the rule leaves out this column: only a colour of its own ends
    if _covered(near, x0, x1) >= WALL_SHARE * (x1 - x0):
        return True
    shaded = any(abs(y - row.top) <= SAME_RULE_PT for y in region.bands)
    return shaded and not _is_shaded_across(row.top, x0, x1, region)


def _covered(rules: Iterable[Segment], x0: float, x1: float) -> float:
    """How much of the width from x0 to x1 has a rule, where several lie over each other once."""
    covered, end = 0.0, x0
    for left, right in sorted((h[1], min(x1, h[2])) for h in rules):
        covered += max(0.0, right - max(left, end))
        end = max(end, right)
    return covered


def _is_shaded_across(y: float, x0: float, x1: float, region: Region) -> bool:
    """Whether a shading of the column, from x0 to x1, reaches over the height and none ends there: the cells above and
    below are one."""
    over = any(shade[1] < y < shade[3] for shade in _shades_of(x0, x1, region))
    return over and not _ends_shading(y, x0, x1, region)


def _ends_shading(y: float, x0: float, x1: float, region: Region) -> bool:
    """Whether a shading of the column, from x0 to x1, begins or ends at the height."""
    return any(abs(edge - y) <= SAME_RULE_PT for s in _shades_of(x0, x1, region) for edge in (s[1], s[3]))


def _shades_of(x0: float, x1: float, region: Region) -> Iterable[tuple[float, float, float, float]]:
    return [s for s in region.shades if min(x1, s[2]) - max(x0, s[0]) >= WALL_SHARE * (x1 - x0)]


def _rectangles(groups: Iterable[Sequence[Place]]) -> list[_Block]:
    """The bounding rectangles of the groups; overlapping ones are joined."""
    found: list[_Block] = []
    for group in groups:
        block = _around(group)
        while touching := [b for b in found if _overlap(b, block)]:
            found = [b for b in found if b not in touching]
            block = _around([place for b in [block, *touching] for place in _corners(b)])
        found.append(block)
    return sorted(found)


def _around(places: Iterable[Place]) -> _Block:
    rows, columns = zip(*places, strict=True)
    return _Block(min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1)


def _corners(block: _Block) -> list[Place]:
    return [(block.row, block.column), (block.row + block.rows - 1, block.column + block.columns - 1)]


def _overlap(a: _Block, b: _Block) -> bool:
    return (
        a.row < b.row + b.rows and b.row < a.row + a.rows
        and a.column < b.column + b.columns and b.column < a.column + a.columns
    )  # fmt: skip


def _split_by_text(
    rows: Sequence[_Row], blocks: Sequence[_Block], lines: Sequence[Line], columns: Sequence[Column]
) -> Iterable[_Row]:
    """Splits rows of the lattice that have several rows of text without a rule between them."""
    place = _block_at(blocks)
    talls = [frozenset(c for c in range(len(columns)) if place[r, c].rows > 1) for r in range(len(rows))]
    bands = [
        rows_of([x for x in lines if row.top <= x.middle < row.bottom and column_at(x, columns) not in tall])
        for row, tall in zip(rows, talls, strict=True)
    ]
    evidence = evidence_of(bands, columns)
    for row, tall, band in zip(rows, talls, bands, strict=True):
        texts, centred = centred_rows(band, columns, len(rows), evidence) if band else ([], [])
        top, drawn, joined = row.top, True, tall
        for above, below in pairwise(texts):
            y = (max(line.y1 for line in above) + min(line.y0 for line in below)) / 2
            yield _Row(top, y, joined, drawn)
            top, drawn = y, False
            joined = tall | {one.column for one in centred if one.line.y0 < y < one.line.y1}
        yield _Row(top, row.bottom, joined, drawn)


def _block_at(blocks: Sequence[_Block]) -> dict[Place, _Block]:
    return {(b.row + r, b.column + c): b for b in blocks for r in range(b.rows) for c in range(b.columns)}


def column_at(line: Line, columns: Sequence[Column]) -> int:
    """The index of the column at the line's centre."""
    middle = (line.x0 + line.x1) / 2
    return next((c for c, (_, x1) in enumerate(columns) if middle < x1), len(columns) - 1)


def _grid(
    blocks: Sequence[_Block], rows: Sequence[_Row], columns: Sequence[Column], lines: Sequence[Line], region: Region
) -> Grid:
    """Assigns text to blocks, and drops rows and columns in which no block begins."""
    inside: dict[_Block, list[Line]] = {block: [] for block in blocks}
    place = _block_at(blocks)
    for line in lines:
        r = next((r for r, row in enumerate(rows) if line.middle < row.bottom), len(rows) - 1)
        inside[place[r, column_at(line, columns)]].append(line)
    row_numbers = _renumber({b.row for b in blocks if inside[b]}, len(rows))
    column_numbers = _renumber({b.column for b in blocks if inside[b]}, len(columns))
    grid: list[list[GridCell]] = [[] for _ in range(row_numbers[-1])]
    for b in blocks:
        down = row_numbers[b.row + b.rows] - row_numbers[b.row]
        across = column_numbers[b.column + b.columns] - column_numbers[b.column]
        if down and across:
            texts = [line for visual in rows_of(inside[b]) for line in visual]
            grid[row_numbers[b.row]].append(GridCell(column_numbers[b.column], texts, across, down))
    return Grid(grid, dividers_of(region))


def _renumber(kept: set[int], count: int) -> list[int]:
    """The new index of each row (or column), and of the end, when only those in `kept` are kept."""
    return [sum(k < index for k in kept) for index in range(count + 1)]
