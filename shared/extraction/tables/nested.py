"""Grids that are drawn within a cell of another table: their text is the cell's."""

from collections.abc import Sequence

from shared.extraction.page_view import Line
from shared.extraction.tables.regions import TOUCH_PT, Region, Segment

# Columns of a table that another one is in a cell of, at least: a frame around a page's parts has fewer.
MIN_COLUMNS = 3


def is_nested(inner: Region, outer: Region, horizontal: Sequence[Segment], free: Sequence[Line]) -> bool:
    """Whether the grid is drawn between two neighbouring upright rules of another one of several columns, with text of
    the same cell above or below it, and of other cells left or right of it."""
    if inner is outer or not (outer.y0 < inner.y0 and inner.y1 < outer.y1):
        return False
    sides = sorted({outer.x0, outer.x1, *[x for x, y0, y1 in outer.vertical if y0 < inner.y0 and inner.y1 < y1]})
    left = max((x for x in sides if x <= inner.x0 + TOUCH_PT), default=None)
    right = min((x for x in sides if x >= inner.x1 - TOUCH_PT), default=None)
    if left is None or right is None or len(sides) <= MIN_COLUMNS or any(left < x < right for x in sides):
        return False
    across = [y for y, x0, x1 in horizontal if x0 <= left + TOUCH_PT and x1 >= right - TOUCH_PT]
    top, bottom = (
        max([y for y in across if y < inner.y0], default=outer.y0),
        min([y for y in across if y > inner.y1], default=outer.y1),
    )
    level = [x for x in free if outer.x0 <= x.x0 < outer.x1 and inner.y0 < x.middle < inner.y1]
    own = [x for x in free if left <= x.x0 and x.x1 <= right and top < x.middle < bottom]
    return any(not left <= x.x0 < right for x in level) and any(not inner.y0 < x.middle < inner.y1 for x in own)


def without_nested(
    horizontal: Sequence[Segment], vertical: Sequence[Segment], nested: Sequence[Region]
) -> tuple[list[Segment], list[Segment]]:
    """The rules without those of the nested grids."""
    return (
        [h for h in horizontal if not any(_is_in(h[1], h[0], h[2], h[0], one) for one in nested)],
        [v for v in vertical if not any(_is_in(v[0], v[1], v[0], v[2], one) for one in nested)],
    )


def _is_in(x0: float, y0: float, x1: float, y1: float, grid: Region) -> bool:
    return grid.x0 <= x0 and x1 <= grid.x1 and grid.y0 <= y0 and y1 <= grid.y1
