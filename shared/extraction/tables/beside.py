"""Tables beside each other that colours or rows at the same heights made one region."""

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.regions import Region, Segment
from shared.extraction.tables.rows import is_figure

# Rows among which the header is looked for, names of a table's columns, and how far its labels are from their name.
HEADER_ROWS = 4
MIN_NAMES = 2
SAME_EDGE_PT = 3.0


def split_beside(region: Region) -> list[Region]:
    """The region, or the two tables in it where the names of the columns are the same twice, the labels' first, and
    every rule and colour ends between the two."""
    for row in rows_of(region.lines)[:HEADER_ROWS]:
        half = len(row) // 2
        names = [line.text for line in row]
        if half < MIN_NAMES or names != 2 * names[:half] or is_figure(names[0]):
            continue
        left = [line for line in region.lines if line.x0 < row[half].x0 - SAME_EDGE_PT]
        right = [line for line in region.lines if line.x0 >= row[half].x0 - SAME_EDGE_PT]
        end, start = max(line.x1 for line in left), min(line.x0 for line in right)
        labelled = row[0].x0 <= min(line.x0 for line in left) + SAME_EDGE_PT
        x = _parting(region, end, start) if labelled else None
        if x is not None:
            return [_part(region, left, region.x0, x), _part(region, right, x, region.x1)]
    return [region]


def _parting(region: Region, start: float, end: float) -> float | None:
    """Where, in the white from start to end, what is drawn on the left ends, if nothing goes over that place and
    something is drawn on the right."""
    drawn = [h[1:] for h in region.horizontal if h not in region.tinted] + [(s[0], s[2]) for s in region.shades]
    x = max((x1 for _, x1 in drawn if start <= x1 < end), default=None)
    if x is None or any(x0 <= x < x1 for x0, x1 in drawn) or not any(x0 > x for x0, _ in drawn):
        return None
    return x


def _part(region: Region, lines: list[Line], x0: float, x1: float) -> Region:
    rules = {rule: clipped for rule in region.horizontal if (clipped := _clipped(rule, x0, x1))}
    return Region(
        region.kind,
        x0=min(line.x0 for line in lines),
        y0=region.y0,
        x1=max(line.x1 for line in lines),
        y1=region.y1,
        lines=lines,
        horizontal=sorted(rules.values()),
        vertical=[v for v in region.vertical if x0 <= v[0] <= x1],
        tinted=frozenset(rules[rule] for rule in region.tinted if rule in rules),
        heads={line.order: region.heads[line.order] for line in lines if line.order in region.heads},
        headed=True,
    )


def _clipped(rule: Segment, x0: float, x1: float) -> Segment | None:
    return (rule[0], max(rule[1], x0), min(rule[2], x1)) if rule[1] < x1 and rule[2] > x0 else None
