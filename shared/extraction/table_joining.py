"""Parts of one table that lines of their own divide (`Net income per share:`), joined again."""

from collections.abc import Sequence

from shared.extraction.headings import HeadingJudge
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView
from shared.extraction.table_columns import find_columns
from shared.extraction.table_grid import build_grid
from shared.extraction.table_headers import header_rows
from shared.extraction.table_regions import Region

SAME_EDGE_PT = 12.0
MAX_INDENTATION = 0.08
MAX_LABELS = 3
MAX_LABEL_CHARACTERS = 80
MAX_STEP = 2.4


def joined(above: Region, below: Region, view: PageView, judge: HeadingJudge) -> Region | None:
    """One region of the two and the labels between them; None where they are tables of their own: apart, of other
    width or columns, or the lower one with a header."""
    labels = [line for line in view.free if above.y1 - 2 <= line.middle <= below.y0 + 2 and _overlaps(line, above)]
    if "grid" in (above.kind, below.kind) or not _same_width(above, below) or not _follow(above, labels, below):
        return None
    columns = [find_columns(region.lines, region) for region in (above, below)]
    edge = min(found[1][0] for found in columns)
    if any(line.x1 > edge or judge.is_large(line) or not _is_label(line) for line in labels):
        return None
    if header_rows(build_grid(below.lines, columns[1], below), below, judge):
        return None
    whole = _union(above, labels, below)
    return whole if len(find_columns(whole.lines, whole)) in map(len, columns) else None


def _overlaps(line: Line, region: Region) -> bool:
    return line.x0 < region.x1 and line.x1 > region.x0


def _same_width(above: Region, below: Region) -> bool:
    """The right edges agree; the left ones to an indentation."""
    indentation = max(SAME_EDGE_PT, MAX_INDENTATION * (above.x1 - above.x0))
    return abs(above.x0 - below.x0) <= indentation and abs(above.x1 - below.x1) <= SAME_EDGE_PT


def _follow(above: Region, labels: Sequence[Line], below: Region) -> bool:
    """Nothing but the labels stands between, line by line."""
    if len(labels) > MAX_LABELS:
        return False
    last, first = max(line.order for line in above.lines), min(line.order for line in below.lines)
    size = max(line.size for line in [*labels, *below.lines[:1]])
    return first - last == len(labels) + 1 and 0 < below.y0 - above.y1 <= MAX_STEP * size * (len(labels) + 1)


def _is_label(line: Line) -> bool:
    return len(line.text) <= MAX_LABEL_CHARACTERS and caption_kind(line.text) is None


def _union(above: Region, labels: Sequence[Line], below: Region) -> Region:
    return Region(
        "rules" if above.kind == below.kind == "rules" else "aligned",
        x0=min(above.x0, below.x0),
        y0=above.y0,
        x1=max(above.x1, below.x1),
        y1=below.y1,
        lines=[*above.lines, *labels, *below.lines],
        horizontal=sorted([*above.horizontal, *below.horizontal]),
        vertical=sorted({*above.vertical, *below.vertical}),
        bands=sorted({*above.bands, *below.bands}),
    )
