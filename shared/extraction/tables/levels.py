"""Levels of a header: which of its lines are one level, and how many columns a word of an upper level heads.

Evidence, the surest first: a rule below the words that ends where their columns end; words that reach over columns
which have words of their own below; words of one line, each over one of the equal runs of names ("2025 | 2024 | 2025 |
2024") in a line below; words of one line, each in the middle of its columns, that together head every column;
a scale in parentheses, alone in its line and set to no column; a remark in parentheses, alone in the middle of the
whole table and set to no column.
"""

import re
from collections.abc import Sequence

from shared.extraction.page_view import Line
from shared.extraction.tables.columns import Column
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region, Segment
from shared.extraction.tables.rows import YEAR, is_figure

# Greatest distance of the middle of words from that of the columns that they head.
OFF_CENTRE_PT = 3.0
# Greatest distance of a rule below words (share of their height), and of its ends from the words.
RULE_GAP = 0.7
SAME_EDGE_PT = 2.0
# Greatest distance of the ends of words from those of a rule that only underlines them.
UNDERLINE_PT = 1.0
# A rule over more than this share of the table's width divides rows and heads nothing.
WHOLE_WIDTH = 0.9
MAX_LEVELS = 6
_SCALE = re.compile(r"\bin (?:thousands|millions|billions)\b", re.I)


def widen_headers(grid: Grid, columns: Sequence[Column], region: Region) -> None:
    """Lets the words of the first rows of `grid` span the columns that they head, where these are empty beside them."""
    _move_labels(grid, columns, region)
    count = next((n for n, row in enumerate(grid.rows) if _has_figure(row)), 0)
    if not 0 < count < len(grid.rows) or count > MAX_LEVELS or len(columns) < 3:
        return
    extents = _extents(grid.rows[count:], columns)
    for at, row in enumerate(grid.rows[:count]):
        if any(_spread(row, names, extents) for names in grid.rows[at + 1 : count]):
            continue
        ranges = _ranges(row, extents, region)
        for cell in [cell for cell in row if cell.lines]:
            first, last = ranges.get(cell.column, (cell.column, cell.column))
            _widen(row, cell, first, last)


def _move_labels(grid: Grid, columns: Sequence[Column], region: Region) -> None:
    """Moves a label of the rows below it (`Assets:`), alone in the middle of the table, from the column that it happens
    to be over into the first, across all."""
    left, right = _edges(region)
    for row in grid.rows[1:]:
        filled = [cell for cell in row if cell.lines]
        alone = len(filled) == 1 and all(cell.row_span == 1 for cell in row)
        if alone and _is_group(filled[0].lines) and _is_centred(filled[0], left, right):
            row[:] = [GridCell(0, filled[0].lines, len(columns))]


def _edges(region: Region) -> tuple[float, float]:
    return min(line.x0 for line in region.lines), max(line.x1 for line in region.lines)


def _is_group(lines: Sequence[Line]) -> bool:
    """Whether the words of a cell announce the rows below it: they end in a colon."""
    return bool(lines) and lines[-1].text.rstrip().endswith((":", "："))


def _spread(row: list[GridCell], names: Sequence[GridCell], extents: Sequence[Column]) -> bool:
    """Lets each of the words span its run of columns, where `names` below are as many equal runs of different names.
    Returns whether they are."""
    heads = [cell for cell in row if cell.lines and cell.column > 0]
    texts = [" ".join(line.text for line in cell.lines) for cell in names if cell.column > 0]
    run = len(texts) // max(1, len(heads))
    if len(heads) < 2 or len(texts) != len(extents) - 1 or run < 2 or texts != texts[:run] * len(heads):
        return False
    if "" in texts or len(set(texts[:run])) < run or any(cell.row_span > 1 for cell in row) or row[0].col_span > 1:
        return False
    starts = range(1, len(extents), run)
    if not all(extents[at][0] < _middle(c) < extents[at + run - 1][1] for c, at in zip(heads, starts, strict=True)):
        return False
    row[:] = [row[0], *[GridCell(at, cell.lines, run) for cell, at in zip(heads, starts, strict=True)]]
    return True


def _middle(cell: GridCell) -> float:
    return (min(x.x0 for x in cell.lines) + max(x.x1 for x in cell.lines)) / 2


def _has_figure(row: Sequence[GridCell]) -> bool:
    return any(is_figure(line.text) and not YEAR.match(line.text) for cell in row for line in cell.lines)


def _extents(rows: Sequence[Sequence[GridCell]], columns: Sequence[Column]) -> list[Column]:
    """The left and right edges of what stands in each column below the header."""
    inside: list[list[Line]] = [[] for _ in columns]
    for row in rows:
        for cell in row:
            if cell.col_span == 1:
                inside[cell.column] += cell.lines
    return [
        (min((x.x0 for x in lines), default=x0), max((x.x1 for x in lines), default=x1))
        for lines, (x0, x1) in zip(inside, columns, strict=True)
    ]


def _ranges(row: Sequence[GridCell], extents: Sequence[Column], region: Region) -> dict[int, tuple[int, int]]:
    """The first and last column that the words of a cell head, by the cell's column."""
    cells = [cell for cell in row if cell.lines]
    found = {cell.column: ruled for cell in cells if (ruled := _ruled(cell, extents, region))}
    return found or _covering(cells, extents, region)


def _ruled(cell: GridCell, extents: Sequence[Column], region: Region) -> tuple[int, int] | None:
    """The columns over the part of a rule that underlines the words."""
    x0, x1 = min(x.x0 for x in cell.lines), max(x.x1 for x in cell.lines)
    low = max(cell.lines, key=lambda x: x.y1)
    rules = [rule for rule in region.horizontal if _underlines(rule, low, x0, x1, region)]
    if all(_is_underline(rule, x0, x1) for rule in rules):
        return None
    left, right = min(rule[1] for rule in rules), max(rule[2] for rule in rules)
    over = [i for i, (a, b) in enumerate(extents) if left - SAME_EDGE_PT <= (a + b) / 2 <= right + SAME_EDGE_PT]
    return (over[0], over[-1]) if over and over[0] <= cell.column <= over[-1] else None


def _underlines(rule: Segment, low: Line, x0: float, x1: float, region: Region) -> bool:
    y, start, end = rule
    near = low.middle <= y <= low.y1 + RULE_GAP * low.height
    partly = end - start < WHOLE_WIDTH * (region.x1 - region.x0)
    return near and partly and start <= x0 + SAME_EDGE_PT and end >= x1 - SAME_EDGE_PT


def _covering(cells: Sequence[GridCell], extents: Sequence[Column], region: Region) -> dict[int, tuple[int, int]]:
    """Ranges of columns, one for each cell in whose middle it stands, that leave no column out but the first."""
    found: dict[int, tuple[int, int]] = {}
    heads = [cell for cell in cells if cell.column > 0]
    if any(cell.row_span > 1 for cell in heads):
        return {}
    alone = len(cells) == 1 and bool(heads) and _is_unit(heads[0])
    if alone and (_is_scale_beside(heads[0], extents[1:]) or _is_remark_of_all(heads[0], extents[1:], _edges(region))):
        return {heads[0].column: (1, len(extents) - 1)}
    if len(cells) == 1 and heads and _is_underlined(heads[0], region):
        return _widest(heads[0], extents)
    start = 1
    for cell, end in zip(heads, [*[one.column for one in heads[1:]], len(extents)], strict=False):
        lasts = [
            last
            for last in range(cell.column + cell.col_span - 1, end)
            if _is_centred(cell, extents[start][0], extents[last][1])
        ]
        if start > cell.column or not lasts or not (len(heads) > 1 or _is_unit(cell)):
            return {}
        found[cell.column] = start, lasts[-1]
        start = lasts[-1] + 1
    return found if found and start == len(extents) else {}


def _is_underlined(cell: GridCell, region: Region) -> bool:
    """Whether a rule below the words is as long as they are."""
    x0, x1 = min(x.x0 for x in cell.lines), max(x.x1 for x in cell.lines)
    low = max(cell.lines, key=lambda x: x.y1)
    rules = [rule for rule in region.horizontal if _underlines(rule, low, x0, x1, region)]
    return any(_is_underline(rule, x0, x1) for rule in rules)


def _is_underline(rule: Segment, x0: float, x1: float) -> bool:
    """Whether the rule goes from the first letter of the words to their last, and says nothing of columns."""
    return abs(rule[1] - x0) <= UNDERLINE_PT and abs(rule[2] - x1) <= UNDERLINE_PT


def _widest(cell: GridCell, extents: Sequence[Column]) -> dict[int, tuple[int, int]]:
    """The most columns in whose middle the words stand."""
    ranges = [
        (first, last)
        for first in range(1, cell.column + 1)
        for last in range(cell.column + cell.col_span - 1, len(extents))
        if last > first and _is_centred(cell, extents[first][0], extents[last][1])
    ]
    return {cell.column: max(ranges, key=lambda one: one[1] - one[0])} if ranges else {}


def _is_scale_beside(cell: GridCell, extents: Sequence[Column]) -> bool:
    """Whether the words are a scale (`($ in millions)`) that is set to no column: neither to its middle nor an edge."""
    scale = _SCALE.search(cell.lines[0].text) is not None
    return scale and _off_edges(cell, extents) > OFF_CENTRE_PT and _is_off_centre(cell, extents)


def _is_remark_of_all(cell: GridCell, extents: Sequence[Column], edges: Column) -> bool:
    """Whether the words are set to the middle between the edges, and not to the middle or an edge of a column."""
    off = abs(_middle(cell) - (edges[0] + edges[1]) / 2)
    return off <= OFF_CENTRE_PT and off < _off_edges(cell, extents) and _is_off_centre(cell, extents)


def _off_edges(cell: GridCell, extents: Sequence[Column]) -> float:
    """How far the edges of the words are from those of the nearest column."""
    line = cell.lines[0]
    return min(abs(a - b) for x0, x1 in extents for a, b in ((line.x0, x0), (line.x1, x1)))


def _is_off_centre(cell: GridCell, extents: Sequence[Column]) -> bool:
    return min(abs(_middle(cell) - (x0 + x1) / 2) for x0, x1 in extents) > 2 * OFF_CENTRE_PT


def _is_centred(cell: GridCell, x0: float, x1: float) -> bool:
    return abs(_middle(cell) - (x0 + x1) / 2) <= OFF_CENTRE_PT


def _is_unit(cell: GridCell) -> bool:
    text = cell.lines[0].text.strip()
    return len(cell.lines) == 1 and text.startswith("(") and text.endswith(")")


def _widen(row: list[GridCell], cell: GridCell, first: int, last: int) -> None:
    """Spans the columns from `first` to `last`, unless other words or cells that span are among them."""
    among = [c for c in row if c is not cell and c.column <= last and c.column + c.col_span > first]
    if last <= first or any(c.lines or c.col_span > 1 for c in among) or cell.row_span > 1:
        return
    if cell.column + cell.col_span - 1 > last or len(among) + cell.col_span != last - first + 1:
        return
    row[:] = [c for c in row if c not in among]
    cell.column, cell.col_span = first, last - first + 1
