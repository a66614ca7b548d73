"""Rows of a table beyond its outermost rules: a header without a rule above it, a last row without one below."""

from collections.abc import Sequence

from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, rows_of
from shared.extraction.table_regions import Region, is_tabular

# Header rows above the first rule.
MAX_ROWS = 4
# A row belongs where it stands within this many of its heights of the table.
MAX_GAP = 1.1
# A cell's next line follows within half of its height.
MAX_LINE_GAP = 0.5
SAME_EDGE_PT = 3.0


def grow(region: Region, free: Sequence[Line]) -> None:
    """Adds the rows right above and below `region` whose pieces line up with its own."""
    taken = {line.order for line in region.lines}
    beside = [x for x in free if x.order not in taken and x.x0 >= region.x0 - 2 and x.x1 <= region.x1 + 2]
    above = [line for line in beside if line.middle < region.y0]
    below = [line for line in beside if line.middle > region.y1]
    for row in reversed(rows_of(above)[-MAX_ROWS:]):
        gap = region.y0 - max(line.y1 for line in row)
        if not (_belongs(row, region, gap) or _heads(row, region, gap)):
            break
        region.lines = [*row, *region.lines]
        region.y0 = min(line.y0 for line in row)
    for row in rows_of(below):
        gap = min(line.y0 for line in row) - region.y1
        if not (_belongs(row, region, gap) or _continues(row, region, gap)):
            break
        region.lines = [*region.lines, *row]
        region.y1 = max(line.y1 for line in row)


def _belongs(row: Sequence[Line], region: Region, gap: float) -> bool:
    near = gap <= MAX_GAP * max(line.height for line in row)
    if not near or not is_tabular(row) or caption_kind(row[0].text):
        return False
    return sum(_lines_up(line, region.lines) for line in row) > 0.5 * len(row)


def _continues(row: Sequence[Line], region: Region, gap: float) -> bool:
    """Further lines of the last row's cells: at their left edges, those of the first column apart."""
    cells = next((row for row in reversed(rows_of(region.lines)) if is_tabular(row)), [])
    later = sorted(line.x0 for line in cells)[1:]
    near = gap <= MAX_LINE_GAP * max(line.height for line in row)
    return near and all(any(abs(line.x0 - x0) < SAME_EDGE_PT for x0 in later) for line in row)


def _heads(row: Sequence[Line], region: Region, gap: float) -> bool:
    """A row of bold words, each above cells of a bold first row: a header over several columns."""
    near = gap <= MAX_GAP * max(line.height for line in row)
    first = rows_of(region.lines)[0]
    bold = all(line.bold for line in [*row, *first])
    return near and bold and is_tabular(row) and caption_kind(row[0].text) is None


def _lines_up(line: Line, others: Sequence[Line]) -> bool:
    return any(
        abs(line.x0 - o.x0) < SAME_EDGE_PT
        or abs(line.x1 - o.x1) < SAME_EDGE_PT
        or abs(line.x0 + line.x1 - o.x0 - o.x1) < 2 * SAME_EDGE_PT
        for o in others
    )
