"""Extends a table beyond the region in which it was found: with rows outside its outermost rules (a header without a
rule above, a last row without one below), and by joining parts separated by label lines (`Net income per share:`)."""

from collections.abc import Sequence

from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView, is_mono, rows_of
from shared.extraction.tables.columns import find_columns
from shared.extraction.tables.grid import build_grid
from shared.extraction.tables.headers import MAX_INDENTATION, header_rows
from shared.extraction.tables.notes import SOURCE
from shared.extraction.tables.regions import Region, has_title_row, is_set_larger, is_tabular
from shared.extraction.tables.rows import NUMBER, YEAR, counts_up
from shared.extraction.titles.headings import HeadingJudge

# Header rows above the first rule.
MAX_ROWS = 4
# Lines of cells below words that head several of them.
HEADER_LINES = 3
# Greatest distance of a further row from the table, in row heights.
MAX_GAP = 1.1
# Greatest distance of a cell's next line, in line heights.
MAX_LINE_GAP = 0.5
SAME_EDGE_PT = 3.0
# A column of labels left of a frame: its width (share of the frame's), the distance of its widest label from the frame
# (type sizes), the share of the frame's rows that have a label, and of the labels that are beside a row.
MAX_LABEL_WIDTH = 1.5
LABEL_GAP = 3.0
LABELLED_SHARE = 0.6
ALIGNED_SHARE = 0.8
# Limits within which two parts and the labels between them are one table.
SAME_WIDTH_PT = 12.0
MAX_LABELS = 3
MAX_LABEL_CHARACTERS = 80
MAX_STEP = 2.4
# How far the second line of a label is set in.
MAX_HANGING_EM = 1.5
MAX_HEADER_LINES = 4
# A header's right edge is at least this far across the table below it (share of the table's width).
HEADER_REACH = 0.8


def grow(region: Region, free: Sequence[Line], others: Sequence[Region] = ()) -> None:
    """Adds the rows directly above and below `region` whose pieces are aligned with its own. A drawn grid that begins
    with a title takes none of another one; `others`: the regions around, not yet taken."""
    if region.kind == "grid":
        _take_labels(region, free)
    taken = {line.order for line in region.lines}
    left, right = region.x0, region.x1
    if region.kind == "grid" and has_title_row(region):
        taken |= {line.order for other in others if other.kind == "grid" for line in other.lines}
    beside = [x for x in free if x.order not in taken and x.x0 >= left - 2 and x.x1 <= right + 2]
    above = [line for line in beside if line.middle < region.y0 and not region.headed]
    below = [line for line in beside if line.middle > region.y1]
    for row in reversed(rows_of(above)[-MAX_ROWS:]):
        gap = region.y0 - max(line.y1 for line in row)
        if is_set_larger(row, region) or not (
            _belongs(row, region, gap) or _is_spanning_header(row, region, gap) or _is_upper_line(row, region, gap)
        ):
            break  # a title is set larger than what it is above
        region.lines = [*row, *region.lines]
        region.y0 = min(line.y0 for line in row)
    sides = _sides(region)
    for row in rows_of(below):
        if any(line.x0 + SAME_EDGE_PT < x < line.x1 - SAME_EDGE_PT for x in sides for line in row):
            break  # nothing divides it as the rows are divided: a footer
        gap = min(line.y0 for line in row) - region.y1
        if SOURCE.match(row[0].text) or not (_belongs(row, region, gap) or _continues(row, region, gap)):
            break
        region.lines = [*region.lines, *row]
        region.y1 = max(line.y1 for line in row)


def _take_labels(region: Region, free: Sequence[Line]) -> None:
    """Adds a column of labels left of the frame: one piece beside most of its rows, and nothing beside anything else.

    The frame's horizontal rules then reach over the labels.
    """
    reach = MAX_LABEL_WIDTH * (region.x1 - region.x0)
    labels = [
        x for x in free if x.x1 <= region.x0 + 2 and x.x0 >= region.x0 - reach and region.y0 <= x.middle <= region.y1
    ]
    rows = rows_of(region.lines)
    beside = [x for x in labels if any(row[0].y0 <= x.middle <= row[0].y1 for row in rows)]
    first = [row for row in rows if any(row[0].y0 <= x.middle <= row[0].y1 for x in labels)]
    near = [x for x in beside if region.x0 - x.x1 <= LABEL_GAP * x.size]
    if len(first) < max(2, LABELLED_SHARE * len(rows)) or len(beside) < ALIGNED_SHARE * len(labels) or not near:
        return
    if counts_up([x.text for x in labels]) and all(map(is_mono, region.lines)):
        return  # the numbers of a listing's lines
    last = max(labels, key=lambda x: x.y1)
    if any(
        abs(x.x0 - last.x0) < SAME_EDGE_PT and 0 <= x.y0 - last.y0 <= MAX_STEP * last.height
        for x in free
        if x not in labels
    ):
        return  # the lines go on below the frame, as a column of prose does
    edge = min(x.x0 for x in labels) - 1
    region.lines = sorted([*labels, *region.lines], key=lambda line: line.order)
    region.horizontal = [(y, edge if x0 <= region.x0 + SAME_EDGE_PT else x0, x1) for y, x0, x1 in region.horizontal]
    region.vertical = [*region.vertical, (region.x0, region.y0, region.y1)]
    region.x0 = edge


def _belongs(row: Sequence[Line], region: Region, gap: float) -> bool:
    near = gap <= MAX_GAP * max(line.height for line in row)
    if not near or not is_tabular(row) or caption_kind(row[0].text):
        return False
    return sum(_lines_up(line, region.lines) for line in row) > 0.5 * len(row)


def _sides(region: Region) -> list[float]:
    """Where the vertical rules of a drawn grid are that reach over most of it."""
    height = region.y1 - region.y0
    return [x for x, y0, y1 in region.vertical if region.kind == "grid" and y1 - y0 > height / 2]


def _continues(row: Sequence[Line], region: Region, gap: float) -> bool:
    """Whether the row has further lines of the last row's cells: at their left edges, none in the first column."""
    cells = next((row for row in reversed(rows_of(region.lines)) if is_tabular(row)), [])
    later = sorted(line.x0 for line in cells)[1:]
    near = gap <= MAX_LINE_GAP * max(line.height for line in row)
    return near and all(any(abs(line.x0 - x0) < SAME_EDGE_PT for x0 in later) for line in row)


def _is_spanning_header(row: Sequence[Line], region: Region, gap: float) -> bool:
    """Whether the row is a header over several columns: bold words, each above cells of a bold first row, or words
    each in the middle above some of its cells."""
    if gap > MAX_GAP * max(line.height for line in row) or caption_kind(row[0].text) or _is_title(row, region):
        return False
    first = rows_of(region.lines)[:HEADER_LINES]
    if is_tabular(row) and all(line.bold for line in [*row, *first[0]]):
        return True
    cells = sorted((x for cells in first for x in cells if x.x0 > region.x0 + SAME_EDGE_PT), key=lambda x: x.x0)
    return all(_is_over_several(line, cells) for line in row)


def _is_title(row: Sequence[Line], region: Region) -> bool:
    """Whether the row is alone in the middle of the whole table, labels and all, with no rule below it."""
    line = row[0]
    centred = abs(line.x0 + line.x1 - region.x0 - region.x1) <= 4 * SAME_EDGE_PT
    ruled = any(line.middle < y < region.y0 and x0 <= line.x0 and x1 >= line.x1 for y, x0, x1 in region.horizontal)
    return len(row) == 1 and centred and not ruled


def _is_upper_line(row: Sequence[Line], region: Region, gap: float) -> bool:
    """Whether each piece is the upper line of words in the first row: close above them, set like them at their left
    edge or middle, none over the first column."""
    if gap > MAX_LINE_GAP * max(line.height for line in row) or caption_kind(row[0].text):
        return False
    first = [line for line in rows_of(region.lines)[0] if line.x0 > region.x0 + SAME_EDGE_PT]
    return all(any(_is_set_over(line, below) for below in first) for line in row)


def _is_set_over(line: Line, below: Line) -> bool:
    middle = abs(line.x0 + line.x1 - below.x0 - below.x1) < SAME_EDGE_PT
    alike = line.size == below.size and line.bold == below.bold
    return alike and (middle or abs(line.x0 - below.x0) < 1)


def _is_over_several(line: Line, cells: Sequence[Line]) -> bool:
    """Whether the words are in the middle above at least two neighbouring cells."""
    if NUMBER.match(line.text) or len(line.text) > MAX_LABEL_CHARACTERS // 2:
        return False
    sums = [a.x0 + b.x1 for n, a in enumerate(cells) for b in cells[n + 1 :] if a.x0 <= line.x0 and line.x1 <= b.x1]
    return any(abs(line.x0 + line.x1 - both) <= 4 * SAME_EDGE_PT for both in sums)


def _lines_up(line: Line, others: Sequence[Line]) -> bool:
    return any(
        abs(line.x0 - o.x0) < SAME_EDGE_PT
        or abs(line.x1 - o.x1) < SAME_EDGE_PT
        or abs(line.x0 + line.x1 - o.x0 - o.x1) < 2 * SAME_EDGE_PT
        for o in others
    )


def joined(above: Region, below: Region, view: PageView, judge: HeadingJudge) -> Region | None:
    """Returns one region of the two and the labels between them, or None where they are separate tables: apart, of
    different width or columns, or the lower one with a header.

    The upper one may be just the header of the lower.
    """
    if "grid" in (above.kind, below.kind):
        return None
    heads = _is_header(above)
    around = below if heads else above
    labels = [line for line in view.free if above.y1 - 2 <= line.middle <= below.y0 + 2 and _overlaps(line, around)]
    same = _lies_over(above, below) if heads else _same_width(above, below)
    if not same or not _follow(above, labels, below):
        return None
    columns = [find_columns(region.body, region) for region in (above, below)]
    edge = _left_of_figures([above, below], min(found[1][0] for found in columns))
    wrapped = _first_lines(labels, below, edge)
    if any(not (_is_label(line, edge) or line in wrapped) or judge.is_large(line) for line in labels):
        return None
    if below.heads or header_rows(build_grid(below.body, columns[1], below), below, judge):
        return None
    whole = _union(above, labels, below)
    return whole if len(find_columns(whole.body, whole)) in map(len, columns) else None


def _is_header(region: Region) -> bool:
    """Whether the region is a few rows of words and years, without other numbers."""
    figures = [line for line in region.lines if NUMBER.match(line.text) and not YEAR.match(line.text)]
    return not figures and len(rows_of(region.lines)) <= MAX_HEADER_LINES


def _lies_over(above: Region, below: Region) -> bool:
    """Whether the upper one is within the width of the lower one and extends into its right part (HEADER_REACH)."""
    inside = above.x0 >= below.x0 - SAME_WIDTH_PT and above.x1 <= below.x1 + SAME_WIDTH_PT
    return inside and above.x1 >= below.x0 + HEADER_REACH * (below.x1 - below.x0)


def _overlaps(line: Line, region: Region) -> bool:
    return line.x0 < region.x1 and line.x1 > region.x0


def _same_width(above: Region, below: Region) -> bool:
    """Whether the right edges are equal, and the left ones up to an indentation."""
    indentation = max(SAME_WIDTH_PT, MAX_INDENTATION * (above.x1 - above.x0))
    return abs(above.x0 - below.x0) <= indentation and abs(above.x1 - below.x1) <= SAME_WIDTH_PT


def _follow(above: Region, labels: Sequence[Line], below: Region) -> bool:
    """Whether only the labels are between the two, line by line."""
    if len(labels) > MAX_LABELS:
        return False
    last, first = max(line.order for line in above.lines), min(line.order for line in below.lines)
    size = max(line.size for line in [*labels, *below.lines[:1]])
    return first - last == len(labels) + 1 and 0 < below.y0 - above.y1 <= MAX_STEP * size * (len(labels) + 1)


def _left_of_figures(parts: Sequence[Region], edge: float) -> float:
    """Where the figures behind the first column begin; `edge` where there are none."""
    lines = [line for part in parts for line in part.body if line.x0 >= edge]
    return min((line.x0 for line in lines if not any(c.isalpha() for c in line.text)), default=edge)


def _first_lines(labels: Sequence[Line], below: Region, edge: float) -> list[Line]:
    """The last of the labels where it is the first line of the lower part's first label, which may be long: that goes
    on set in, or in mid-sentence."""
    first = min(below.lines, key=lambda line: line.order)
    return [
        line
        for line in labels[-1:]
        if line.style == first.style
        and line.x1 <= edge
        and line.height / 2 < first.y0 - line.y0 <= (1 + MAX_LINE_GAP) * line.height
        and (0 < first.x0 - line.x0 <= MAX_HANGING_EM * line.size or first.text[:1].islower())
    ]


def _is_label(line: Line, edge: float) -> bool:
    """Whether the line is in the first column, ends in a colon, or is a unit in parentheses over the columns."""
    text = line.text.strip()
    short = len(text) <= MAX_LABEL_CHARACTERS and caption_kind(text) is None
    return short and (line.x1 <= edge or text.endswith(":") or (text.startswith("(") and text.endswith(")")))


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
        heads=above.heads | below.heads,
    )
