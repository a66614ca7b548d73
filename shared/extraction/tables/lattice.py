"""The grid of a ruled table: cells are enclosed by drawn borders ("walls"), and merged where a border is missing."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.bands import evidence_of
from shared.extraction.tables.columns import Column
from shared.extraction.tables.grid import Grid, GridCell, centred_rows, dividers_of
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import is_figure
from shared.extraction.tables.walls import SAME_RULE_PT, LatticeRow, Walls, column_at

# Rows ruled off from which the others could be expected to be, too.
RULED_ROWS = 3
THIN_ROW_PT = 4.0
# Share of the rows a cell reaches over that have a number, from which it is one cell in each of them.
FIGURES_SHARE = 0.6

Place = tuple[int, int]


class _Block(NamedTuple):
    """A cell: its first row and column, and the number of rows and columns that it covers."""

    row: int
    column: int
    rows: int
    columns: int


def build_lattice(lines: Sequence[Line], columns: Sequence[Column], region: Region) -> Grid:
    """Assigns `lines` to cells in `columns`; every line ends up in exactly one cell."""
    levels = _levels(region, lines)
    rows = [LatticeRow(top, bottom) for top, bottom in pairwise(levels)]
    walls = Walls(columns, region, lines)
    blocks = _blocks(rows, walls, len(columns))
    parted = _parted(blocks, rows, columns, lines)
    blocks = _blocks(rows, walls, len(columns), parted) if parted else blocks
    rows = list(_split_by_text(rows, blocks, walls, columns))
    blocks = _blocks(rows, walls, len(columns), parted)
    grid = _grid(blocks, rows, columns, lines, region)
    grid.undecided = _is_undecided(rows, lines, columns)
    return grid


def _is_undecided(rows: Sequence[LatticeRow], lines: Sequence[Line], columns: Sequence[Column]) -> bool:
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
    blocks: Sequence[_Block], rows: Sequence[LatticeRow], columns: Sequence[Column], lines: Sequence[Line]
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


def _holds(block: _Block, line: Line, rows: Sequence[LatticeRow], columns: Sequence[Column]) -> bool:
    across = block.column <= column_at(line, columns) < block.column + block.columns
    return across and rows[block.row].top <= line.middle < rows[block.row + block.rows - 1].bottom


def _blocks(
    rows: Sequence[LatticeRow], walls: Walls, columns: int, parted: frozenset[tuple[int, float]] = frozenset()
) -> list[_Block]:
    """Places of the lattice that no wall divides, joined into rectangles."""
    parent = {(r, c): (r, c) for r in range(len(rows)) for c in range(columns)}

    def root(place: Place) -> Place:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for r, row in enumerate(rows):
        left, above = walls.left_of(row), walls.above(row) if r else set[int]()
        for c in range(columns):
            if c and c not in left:
                parent[root((r, c))] = root((r, c - 1))
            if r and (c, row.top) not in parted and c not in above:
                parent[root((r, c))] = root((r - 1, c))
    groups: dict[Place, list[Place]] = {}
    for place in parent:
        groups.setdefault(root(place), []).append(place)
    return _rectangles(groups.values())


def _rectangles(groups: Iterable[Sequence[Place]]) -> list[_Block]:
    """The bounding rectangles of the groups; overlapping ones are joined."""
    owners: dict[Place, _Block] = {}
    for group in groups:
        block = _around(group)
        while touching := {owners[place] for place in _places(block) if place in owners}:
            for place in [place for b in touching for place in _places(b)]:
                del owners[place]
            block = _around([place for b in [block, *touching] for place in _corners(b)])
        owners |= dict.fromkeys(_places(block), block)
    return sorted(set(owners.values()))


def _around(places: Iterable[Place]) -> _Block:
    rows, columns = zip(*places, strict=True)
    return _Block(min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1)


def _corners(block: _Block) -> list[Place]:
    return [(block.row, block.column), (block.row + block.rows - 1, block.column + block.columns - 1)]


def _places(block: _Block) -> list[Place]:
    rows, columns = range(block.row, block.row + block.rows), range(block.column, block.column + block.columns)
    return [(r, c) for r in rows for c in columns]


def _split_by_text(
    rows: Sequence[LatticeRow], blocks: Sequence[_Block], walls: Walls, columns: Sequence[Column]
) -> Iterable[LatticeRow]:
    """Splits rows of the lattice that have several rows of text without a rule between them."""
    place = _block_at(blocks)
    talls = [frozenset(c for c in range(len(columns)) if place[r, c].rows > 1) for r in range(len(rows))]
    bands = [
        rows_of([x for x in walls.lines_between(row.top, row.bottom) if column_at(x, columns) not in tall])
        for row, tall in zip(rows, talls, strict=True)
    ]
    evidence = evidence_of(bands, columns)
    for row, tall, band in zip(rows, talls, bands, strict=True):
        texts, centred = centred_rows(band, columns, len(rows), evidence) if band else ([], [])
        top, drawn, joined = row.top, True, tall
        for above, below in pairwise(texts):
            y = (max(line.y1 for line in above) + min(line.y0 for line in below)) / 2
            yield LatticeRow(top, y, joined, drawn)
            top, drawn = y, False
            joined = tall | {one.column for one in centred if one.line.y0 < y < one.line.y1}
        yield LatticeRow(top, row.bottom, joined, drawn)


def _block_at(blocks: Sequence[_Block]) -> dict[Place, _Block]:
    return {place: block for block in blocks for place in _places(block)}


def _grid(
    blocks: Sequence[_Block],
    rows: Sequence[LatticeRow],
    columns: Sequence[Column],
    lines: Sequence[Line],
    region: Region,
) -> Grid:
    """Assigns text to blocks, and drops rows and columns in which no block begins."""
    inside: dict[_Block, list[Line]] = {block: [] for block in blocks}
    place = _block_at(blocks)
    bottoms = list(accumulate([row.bottom for row in rows], max))
    for line in lines:
        r = min(bisect_right(bottoms, line.middle), len(rows) - 1)
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
    return list(accumulate((index in kept for index in range(count)), initial=0))
