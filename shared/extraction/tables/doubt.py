"""Signs that a table could also be read otherwise: what cannot be decided lowers its confidence, and its page is
flagged (see confidence.py).

Each is a place where the evidence that the mechanisms use is missing: no rule, no span and no distance tells which line
belongs to which cell.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region
from shared.extraction.tables.rows import SIGNED, YEAR
from shared.extraction.tables.stacked import are_stacked

# Share of its height by which a line of one row stands beside one of the next, from which the rows are not apart.
OVERLAP = 0.35
MIN_LABELS = 2
# White between texts of one cell, and between tables beside each other, from and up to which they may be of another,
# in type sizes.
APART_EM = 1.1
BESIDE_EM = 3.0

# Digits of a number that another one beside it does not group, and cells with two of them in one column.
LONG = 4
MIN_DOUBLED = 2
_LOSS = re.compile(r"^\(\d[\d,]*\.\d+\)$")

Rows = Sequence[Sequence[GridCell]]


def is_doubtful(grid: Grid, header: int, region: Region) -> bool:
    """Whether the table shows one of the signs; `header` is the number of its header rows."""
    above = grid.rows[:header]
    return (
        grid.undecided
        or any(_overlap(a, b) for a, b in pairwise(grid.rows))
        or _begins_without_label(grid.rows[header:])
        or any(_read_across(a, b, region) for a, b in pairwise(above))
        or any(_heads_unknown(row, below) for row, below in pairwise(above))
        or (region.kind != "grid" and any(_holds_several(cell) for row in grid.rows for cell in row))
        or _only_names(grid.rows, region)
        or _holds_two_values(grid.rows[header:])
    )


def are_pieces(one: Region, other: Region) -> bool:
    """Whether two tables stand so near each other that they may be one: nothing but a blank line is between, and no
    header begins the lower one."""
    if max(one, other, key=lambda region: region.y0).headed:
        return False
    size = max(line.size for line in [*one.lines[:1], *other.lines[:1]])
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return (across > 0 and -size <= down <= size) or (down > 0 and -BESIDE_EM * size <= across <= 0)


def _holds_several(cell: GridCell) -> bool:
    """Whether texts far apart stand side by side in one cell: a column may end between them."""
    return any(
        a.y0 < b.middle < a.y1 and b.x0 - a.x1 >= APART_EM * a.size and not _is_sign(a.text)
        for a, b in pairwise(cell.lines)
    )


def _holds_two_values(body: Rows) -> bool:
    """Whether several cells of one column hold two long numbers each: two columns a blank apart."""
    found = Counter(cell.column for row in body for cell in row if any(_has_two(line.text) for line in cell.lines))
    return max(found.values(), default=0) >= MIN_DOUBLED


def _has_two(text: str) -> bool:
    """Whether two words of the text have nothing but digits, and four of them at least, or decimals in parentheses;
    years are none, nor times of day."""
    if len(text) < 2 * LONG + 1:
        return False
    words = [word for word in text.split() if not any(c.isalpha() for c in word) and ":" not in word]
    return (
        sum((sum(c.isdigit() for c in w) >= LONG and not YEAR.match(w)) or _LOSS.match(w) is not None for w in words)
        > 1
    )


def _is_sign(text: str) -> bool:
    return text.lower() == SIGNED or not any(c.isalnum() for c in text)


def _only_names(rows: Rows, region: Region) -> bool:
    """Whether nothing but words stands side by side, with no colon, no figure, and no rule or colour between: these may
    be columns of names, each read from top to bottom."""
    texts = [line.text for row in rows for cell in row for line in cell.lines]
    bare = region.kind != "grid" and not region.vertical and not region.bands
    return bare and not any(any(c.isdigit() for c in text) or text.rstrip().endswith(":") for text in texts)


def _overlap(above: Sequence[GridCell], below: Sequence[GridCell]) -> bool:
    """Whether lines of two rows stand beside each other."""
    upper = [line for cell in above if cell.row_span == 1 for line in cell.lines]
    lower = [line for cell in below if cell.row_span == 1 for line in cell.lines]
    if not upper or not lower:
        return False
    depth = max(line.y1 for line in upper) - min(line.y0 for line in lower)
    return depth > OVERLAP * min(line.height for line in [*upper, *lower])


def _begins_without_label(body: Rows) -> bool:
    """Whether the first row has cells but no label, where later rows have one: a label beside the second of two rows
    may be that of both."""
    first = [_has(row, 0) for row in body]
    return len(body) > MIN_LABELS and not first[0] and sum(first) >= MIN_LABELS and _filled(body[0]) > 1


def _read_across(above: Sequence[GridCell], below: Sequence[GridCell], region: Region) -> bool:
    """Whether words of two header rows stand on each other like lines of one cell, with no rule between."""
    return any(
        upper.column == lower.column
        and upper.col_span == lower.col_span
        and upper.row_span == lower.row_span == 1
        and are_stacked(upper, lower, region)
        for upper in above
        for lower in below
        if upper.lines and lower.lines
    )


def _heads_unknown(row: Sequence[GridCell], below: Sequence[GridCell]) -> bool:
    """Whether words above the names of columns have a blank beside them over a further name: they may head it, too."""
    cells = [cell for cell in row if cell.column > 0]
    blank = {cell.column for cell in cells if not cell.lines and cell.row_span == 1}
    alone = [c.column for c in cells if c.lines and c.col_span == c.row_span == 1 and _has(below, c.column)]
    return any(beside in blank and _has(below, beside) for column in alone for beside in (column - 1, column + 1))


def _has(row: Sequence[GridCell], column: int) -> bool:
    return any(cell.column == column and cell.lines for cell in row)


def _filled(row: Sequence[GridCell]) -> int:
    return sum(bool(cell.lines) for cell in row)
