"""Which caption (`Table 3: …`) belongs to which table."""

import math
from collections.abc import Iterable, Iterator, Sequence

from shared.extraction.figures import LABEL_CHARACTERS, above, begins_caption, caption_lines
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line
from shared.extraction.tables.regions import Region

# In heights of the caption's first line.
CAPTION_DISTANCE = 3.0


def caption_of(
    region: Region, others: Sequence[Region], free: Sequence[Line], captions: Sequence[Sequence[Line]]
) -> list[Line]:
    """The nearest free caption above the table, measured from the caption's last line, or else below it. One between
    two tables belongs to that on the side where the other `captions` of the page have theirs, else to the nearer.
    `others` are the page's other tables, as far as they are known."""
    nearest: list[Line] = []
    least = math.inf
    for caption in captions_of(free):
        lines = above(caption, region.y0)
        distance = _distance(lines, region)
        if distance < least and not _is_of_another(lines, region, others, captions):
            nearest, least = lines, distance
    return nearest


def captions_of(free: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of each caption of a table."""
    for position, line in enumerate(free):
        if caption_kind(line.text) == "table" and begins_caption(free, position):
            yield caption_lines(free, position)


def is_above_figure(region: Region, free: Sequence[Line]) -> bool:
    """Whether the caption below a drawn grid, which has no other, says that it is a figure; between the two are short
    labels at most."""
    if region.kind != "grid":
        return False
    low = region.y1
    below = [(at, x) for at, x in enumerate(free) if x.y0 >= low and x.x0 < region.x1 and x.x1 > region.x0]
    for at, line in sorted(below, key=lambda one: one[1].y0):
        if line.y0 - low > CAPTION_DISTANCE * line.height:
            return False
        if caption_kind(line.text):
            return caption_kind(line.text) == "figure" and begins_caption(free, at)
        if len(line.text) > LABEL_CHARACTERS:
            return False
        low = max(low, line.y1)
    return False


def _distance(lines: Sequence[Line], region: Region) -> float:
    """In points, infinite where they are too far from each other; a caption below is a line farther than one above."""
    first = lines[0]
    if first.x1 < region.x0 or first.x0 > region.x1:
        return math.inf
    is_over = first.middle < region.y0
    distance = region.y0 - lines[-1].y1 if is_over else first.y0 - region.y1 + first.height
    return distance if -first.height <= distance <= CAPTION_DISTANCE * first.height else math.inf


def _is_of_another(
    lines: Sequence[Line], region: Region, others: Sequence[Region], captions: Iterable[Sequence[Line]]
) -> bool:
    """Whether the caption over the region is that of a table over the caption."""
    tables = [region, *others]
    over, under = _gaps(lines, tables)
    if lines[0].middle >= region.y0 or over == math.inf:
        return False
    sides = [_gaps(caption, tables) for caption in captions]
    alone = [a == math.inf for a, b in sides if (a == math.inf) != (b == math.inf)]
    if len(alone) != 2 * sum(alone):
        return sum(alone) < len(alone) / 2
    return over < under


def _gaps(lines: Sequence[Line], tables: Iterable[Region]) -> tuple[float, float]:
    """How far the nearest tables over and under the caption are; infinite where none is within reach."""
    over = under = math.inf
    reach = CAPTION_DISTANCE * lines[0].height
    for table in tables:
        if lines[0].x1 < table.x0 or lines[0].x0 > table.x1:
            continue
        if table.y0 > lines[0].middle:
            under = min(under, table.y0 - lines[-1].y1)
        elif lines[0].y0 - table.y1 <= reach:
            over = min(over, max(0.0, lines[0].y0 - table.y1))
    return over, under if under <= reach else math.inf
