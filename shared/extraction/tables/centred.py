"""Cells that stand in the middle between two lines of the cells beside them: a label merged over two rows, or a cell of
one line beside cells of two."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.extraction.page_view import Line
from shared.extraction.tables.columns import Column, covered_column
from shared.extraction.tables.rows import is_figure

# Share of its height by which a centred line overlaps the lines above and below it; lines of one cell overlap less.
OVERLAP = 0.3
# Greatest distance from the middle between two rows, as a share of the distance of these rows.
OFF_CENTRE = 0.22

Rows = list[list[Line]]


class Centred(NamedTuple):
    """A line in the middle between two rows, and its column."""

    line: Line
    column: int


def take_centred(band: Rows, columns: Sequence[Column]) -> tuple[Rows, list[Centred]]:
    """The rows of text between two rules without the lines that stand between two rows, and these lines."""
    if not any(_overlap(above, below) for above, below in pairwise(band)):
        return band, []
    kept: Rows = []
    found: list[Centred] = []
    for n, row in enumerate(band):
        if 0 < n < len(band) - 1 and _is_between(band[n - 1], row, band[n + 1], columns):
            found += [Centred(line, covered_column(line, columns)) for line in row]
        else:
            kept.append(row)
    for above, below in pairwise(kept):
        if _overlap(above, below):
            found += _taken(above, below, columns)
    return [row for row in kept if row], found


def is_one_row(above: Sequence[Line], below: Sequence[Line], columns: Sequence[Column], beside: set[int]) -> bool:
    """Whether two rows are the lines of single cells, with the columns `beside` centred between them: these are most
    columns, or both rows have words in the same columns."""
    upper, lower = _columns(above, columns), _columns(below, columns)
    if any(is_figure(x.text) for x in above) and any(is_figure(x.text) for x in below):
        return False
    return upper == lower and (len(upper) == 1 or len(beside) >= len(upper) or 0 not in upper)


def _overlap(above: Sequence[Line], below: Sequence[Line]) -> bool:
    height = min(above[0].height, below[0].height)
    return max(x.y1 for x in above) - min(x.y0 for x in below) > OVERLAP * height


def _columns(row: Sequence[Line], columns: Sequence[Column]) -> set[int]:
    return {covered_column(line, columns) for line in row}


def _is_between(above: list[Line], row: list[Line], below: list[Line], columns: Sequence[Column]) -> bool:
    """Whether the row overlaps both others, in columns where they have nothing."""
    if not (_overlap(above, row) and _overlap(row, below)):
        return False
    return not _columns(row, columns) & (_columns(above, columns) | _columns(below, columns))


def _taken(above: list[Line], below: list[Line], columns: Sequence[Column]) -> list[Centred]:
    """Takes lines out of two rows, to one of which they were counted, that stand in the middle between them."""
    taken: list[Centred] = []
    upper, lower = min(x.middle for x in above), max(x.middle for x in below)
    for row, other in ((above, below), (below, above)):
        there = _columns(other, columns)
        for line in [x for x in row if abs(x.middle - (upper + lower) / 2) <= OFF_CENTRE * (lower - upper)]:
            if len(row) > 1 and covered_column(line, columns) not in there:
                row.remove(line)
                taken.append(Centred(line, covered_column(line, columns)))
    return taken
