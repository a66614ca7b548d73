"""The drawn borders ("walls") of a ruled table: which edges of the places of its lattice are walls."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shared.extraction.page_view import Line
from shared.extraction.tables.columns import Column
from shared.extraction.tables.regions import Region, Segment, text_end

SAME_RULE_PT = 3.0
# Share of a cell's side that a rule must cover to be its wall.
WALL_SHARE = 0.5
# Share of a text that is beyond a column's edge, from which it spans both columns, though another text is beside it.
CROSSED_SHARE = 0.2


class LatticeRow(NamedTuple):
    """A row of the lattice. Where only text separates it from the row above, `joined` are the columns that it does not
    separate."""

    top: float
    bottom: float
    joined: frozenset[int] = frozenset()
    drawn_top: bool = True


class Walls:
    """The walls of a region's columns. What is asked of each row again is sorted or gathered once: the lines by their
    height, for each column the rules at its left edge and the shadings over it."""

    def __init__(self, columns: Sequence[Column], region: Region, lines: Sequence[Line]) -> None:
        self._columns, self._region, self._lines = columns, region, lines
        by_height = sorted((line.middle, n) for n, line in enumerate(lines))
        self._heights, self._numbers = [height for height, _ in by_height], [n for _, n in by_height]
        self._verticals = [[v for v in region.vertical if abs(v[0] - x) <= SAME_RULE_PT] for x, _ in columns]
        self._ruled = {c for c in range(1, len(columns)) if self._verticals[c]}
        self._extents = [(max(x0, region.x0), min(x1, region.x1)) for x0, x1 in columns]
        self._shades = [
            [s for s in region.shades if min(x1, s[2]) - max(x0, s[0]) >= WALL_SHARE * (x1 - x0)]
            for x0, x1 in self._extents
        ]

    def lines_between(self, top: float, bottom: float) -> list[Line]:
        """The lines whose middle is from `top` up to `bottom` (exclusive), in their order."""
        first, behind = bisect_left(self._heights, top), bisect_left(self._heights, bottom)
        return [self._lines[n] for n in sorted(self._numbers[first:behind])]

    def left_of(self, row: LatticeRow) -> set[int]:
        """Columns whose left edge is a wall in this row: drawn, or between texts side by side.

        A row without any drawn wall is divided wherever no text crosses; not at all where a single text stands in it
        and other rows have a wall between all columns.
        """
        columns, ruled, inside = self._columns, self._ruled, self.lines_between(row.top, row.bottom)
        drawn = {c for c in range(1, len(columns)) if _is_drawn(self._verticals[c], row)}
        found = set(drawn)
        if not drawn and len(ruled) == len(columns) - 1 and len({column_at(line, columns) for line in inside}) == 1:
            return found
        for c in [c for c in range(1, len(columns)) if c not in drawn]:
            side_by_side = _side_by_side(inside, columns, c)
            x, share = columns[c][0], CROSSED_SHARE if side_by_side else 0.0
            may_divide = not drawn or c not in ruled or side_by_side
            if may_divide and not any(line.x0 < x < line.x1 and _crosses(line, x, share) for line in inside):
                found.add(c)
        return found

    def above(self, row: LatticeRow) -> set[int]:
        """Columns that have a wall above the row."""
        if not row.drawn_top:
            return {c for c in range(len(self._columns)) if c not in row.joined}
        region = self._region
        near = [h for h in region.horizontal if abs(h[0] - row.top) <= SAME_RULE_PT]
        drawn = [h for h in near if h not in region.tinted]
        whole = _covered(drawn, region.x0, region.x1) >= WALL_SHARE * (region.x1 - region.x0)
        banded = any(abs(y - row.top) <= SAME_RULE_PT for y in region.bands)
        found: set[int] = set()
        for c, (x0, x1) in enumerate(self._extents):
            if _covered(drawn, x0, x1) >= WALL_SHARE * (x1 - x0):
                found.add(c)
            elif whole:  # the rule leaves out this column: only a colour of its own ends
                if self._ends_shading(row.top, c):
                    found.add(c)
            elif _covered(near, x0, x1) >= WALL_SHARE * (x1 - x0) or (
                banded and not self._is_shaded_across(row.top, c)
            ):
                found.add(c)
        return found

    def _is_shaded_across(self, y: float, c: int) -> bool:
        """Whether a shading of the column reaches over the height and none ends there: the cells above and below are
        one."""
        return any(shade[1] < y < shade[3] for shade in self._shades[c]) and not self._ends_shading(y, c)

    def _ends_shading(self, y: float, c: int) -> bool:
        """Whether a shading of the column begins or ends at the height."""
        return any(abs(edge - y) <= SAME_RULE_PT for s in self._shades[c] for edge in (s[1], s[3]))


def column_at(line: Line, columns: Sequence[Column]) -> int:
    """The index of the column at the line's centre."""
    middle = (line.x0 + line.x1) / 2
    for c, (_, x1) in enumerate(columns):  # a loop, because this runs for every line of every table
        if middle < x1:
            return c
    return len(columns) - 1


def _crosses(line: Line, x: float, share: float) -> bool:
    """Whether at least a point and `share` of the text is on either side of x."""
    right = text_end(line)
    return min(x - line.x0, right - x) > max(1.0, share * (right - line.x0))


def _is_drawn(rules: Iterable[Segment], row: LatticeRow) -> bool:
    """Whether the upright rules of one edge cover the height of the row."""
    covered = sum(min(y1, row.bottom) - max(y0, row.top) for _, y0, y1 in rules if y0 < row.bottom and y1 > row.top)
    return covered >= WALL_SHARE * (row.bottom - row.top)


def _side_by_side(inside: Sequence[Line], columns: Sequence[Column], c: int) -> bool:
    left = [line for line in inside if columns[c - 1][0] <= (line.x0 + line.x1) / 2 < columns[c][0]]
    right = [line for line in inside if columns[c][0] <= (line.x0 + line.x1) / 2 < columns[c][1]]
    return any(a.y0 < b.middle < a.y1 for a in left for b in right)


def _covered(rules: Iterable[Segment], x0: float, x1: float) -> float:
    """How much of the width from x0 to x1 has a rule, where several lie over each other once."""
    covered, end = 0.0, x0
    for left, right in sorted((h[1], min(x1, h[2])) for h in rules):
        covered += max(0.0, right - max(left, end))
        end = max(end, right)
    return covered
