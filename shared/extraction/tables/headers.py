"""Headers of tables: how many of the first rows are header, and rows of words above columns of numbers.

Financial statements print such rows apart from the body: with rules that end with each column, white space, a unit in
between. Rows with words over the first column too are not taken for such a header, so that prose and titles above a
table stay outside.
"""

import re
from collections.abc import Sequence

from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.columns import Column
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region, Segment, is_set_larger, is_tabular
from shared.extraction.tables.rows import NUMBER, YEAR, is_value
from shared.extraction.titles.headings import HeadingJudge

MAX_HEADER_ROWS = 6
MAX_HEADER_CHARACTERS = 60
# Limits of a header of words above columns of numbers; words over narrow columns have many lines.
MAX_ROWS = 16
MAX_LABELS = 3
MAX_CHARACTERS = 60
# Greatest distance from row to row, in row heights.
MAX_GAP = 1.6
# Greatest distance of a rule below words (share of their height), and of its ends from the columns.
RULE_GAP = 0.6
STACKED_GAP = 0.5
SAME_EDGE_PT = 12.0
# How far labels may be set in below others, as a share of the width.
MAX_INDENTATION = 0.08
MIN_FIGURES = 0.6
COVERED = 0.34
# Greatest distance of the middle of words from that of the columns that they are over.
OFF_CENTRE_PT = 6.0
_UNIT = re.compile(r"^\(.*\)$")


def header_rows(grid: Grid, region: Region, judge: HeadingJudge) -> int:
    """The number of header rows: set apart by weight, by a rule below them, or by words above columns of numbers."""
    if grid.heads:
        rest = grid.rows[grid.heads :]
        further = header_rows(Grid(rest, grid.dividers), region, judge)
        return grid.heads + (0 if all(_is_group(row) for row in rest[:further]) else further)
    rows = grid.rows
    if len(rows) < 2 or _is_form(rows):
        return 0
    count = _bold(rows) or _ruled_off(grid) or _words_above_numbers(rows) or _all_short_words(rows, region)
    return count + _headed(rows, count)


def _is_group(row: Sequence[GridCell]) -> bool:
    """Whether the row only names the group of rows below it: words in its first cell alone."""
    return not any(cell.lines for cell in row[1:])


def _headed(rows: Sequence[Sequence[GridCell]], count: int) -> int:
    """1 where the row after the header has the names of columns that words above them head together; else 0."""
    if not 0 < count < min(len(rows) - 1, MAX_HEADER_ROWS):
        return 0
    spans = [cell for cell in rows[count - 1] if cell.lines and cell.col_span > 1]
    names = [
        [cell for cell in rows[count] if cell.lines and one.column <= cell.column < one.column + one.col_span]
        for one in spans
    ]
    words = not any(NUMBER.match(text) and not YEAR.match(text) for text in _texts(rows[count]))
    return int(words and bool(spans) and all(len(below) > 1 for below in names))


def _texts(row: Sequence[GridCell]) -> list[str]:
    return [" ".join(line.text for line in cell.lines) for cell in row if cell.lines]


def _is_form(rows: Sequence[Sequence[GridCell]]) -> bool:
    """Whether the rows are labels that end in a colon beside their values."""
    first = [_texts(row)[0] for row in rows if _texts(row)]
    return sum(text.rstrip().endswith(":") for text in first) >= 0.5 * len(first)


def _bold(rows: Sequence[Sequence[GridCell]]) -> int:
    """The number of leading bold rows, where not every row is bold; a unit in parentheses below them is counted too."""
    weights = [all(line.bold for cell in row for line in cell.lines) for row in rows]
    for index in range(1, len(rows)):
        texts = _texts(rows[index])
        weights[index] = weights[index] or (
            weights[index - 1] and len(texts) == 1 and _UNIT.match(texts[0]) is not None
        )
    count = next((i for i, bold in enumerate(weights) if not bold), len(rows))
    if 1 < count < len(rows) and _is_group(rows[count - 1]):  # the first of the names of groups, not of the header
        count -= any(bold and _is_group(row) for bold, row in zip(weights[count:], rows[count:], strict=True))
    return count if 0 < count <= MAX_HEADER_ROWS and count < len(rows) else 0


def _ruled_off(grid: Grid) -> int:
    """The number of rows above the first rule inside a table that has few rules."""
    inner = [y for y in grid.dividers if _rows_above(grid, y) not in (0, len(grid.rows))]
    if not inner or len(inner) > max(2, len(grid.rows) // 3):
        return 0
    above = _rows_above(grid, inner[0])
    cells = [text for row in grid.rows[:above] for text in _texts(row)]
    short = all(len(text) <= MAX_HEADER_CHARACTERS for text in cells)
    return above if above <= MAX_HEADER_ROWS and short and not _mostly_numbers(cells) else 0


def _rows_above(grid: Grid, y: float) -> int:
    middles = [[line.middle for cell in row for line in cell.lines] for row in grid.rows]
    return sum(bool(m) and max(m) < y for m in middles)


def _mostly_numbers(texts: Sequence[str]) -> bool:
    return sum(NUMBER.match(text) is not None for text in texts) > 0.5 * max(1, len(texts))


def _words_above_numbers(rows: Sequence[Sequence[GridCell]]) -> int:
    """1 where the first row has only words (or years), and most later rows have numbers after their first cell; else
    0."""
    first = _texts(rows[0])
    later = [_texts(row)[1:] for row in rows[1:]]
    numeric = sum(any(NUMBER.match(text) for text in texts) for texts in later)
    words = all(not NUMBER.match(text) or re.fullmatch(r"(19|20)\d\d", text) for text in first)
    return 1 if first and words and len(first) >= 2 and numeric >= 0.6 * len(later) else 0


def _all_short_words(rows: Sequence[Sequence[GridCell]], region: Region) -> int:
    """1 where the first row of a ruled table is full of short words; else 0."""
    first = _texts(rows[0])
    full = len(first) == len(rows[0]) >= 2
    short = all(len(text) <= 40 and not any(c.isdigit() for c in text) for text in first)
    return 1 if region.kind != "aligned" and len(rows) >= 3 and full and short else 0


def grow_header(region: Region, free: Sequence[Line], rules: Sequence[Segment]) -> None:
    """Adds the header rows above `region`, and labels of the first column between them and the body.

    `rules` are the horizontal rules of the page as (y, x0, x1).
    """
    figures = figures_edge(region.lines)
    if figures is None:
        return
    edge = min(figures, _labels_end(region.lines, figures) + SAME_EDGE_PT)  # words may be wider than what they head
    own = _own_header(region, edge, rules)
    taken = {line.order for line in region.lines}
    above = [x for x in free if x.order not in taken and x.middle < region.y0 and _within(x, region, figures)]
    top, found, labels = region.y0, list[Line](), list[Line]()
    for row in reversed(rows_of(above)[-MAX_ROWS - MAX_LABELS :]):
        far = top - max(line.y1 for line in row) > MAX_GAP * max(line.height for line in row)
        if far or is_set_larger(row, region):
            break
        top = min(line.y0 for line in row)
        named = _named(row)
        if _heads(named, edge if len(named) > 1 else figures, rules) or _is_stacked(row, [*found, *own], edge):
            found, labels = [*row, *labels, *found], []
        elif not (found or own) and len(labels) < MAX_LABELS and _is_label(row, figures):
            labels = [*row, *labels]
        else:
            break
    heads = [x for x in [*found, *own] if x.x0 >= edge - SAME_EDGE_PT or _is_unit([x])]
    if any(not _is_unit([line]) for line in heads):
        region.lines = [*found, *region.lines]
        own_rules = [rule for rule in rules if rule[1] >= edge - SAME_EDGE_PT]
        region.heads = {line.order: _extent(line, heads, own_rules) for line in heads}
        bottom, region.y0 = max(x.y1 for x in heads), min([region.y0, *[x.y0 for x in found]])
        region.x0 = min([region.x0, *[x.x0 for x in found if x.x1 <= figures]])
        inner = [r for r in rules if region.y0 < r[0] < bottom and r[1] < region.x1 and r[2] > region.x0]
        region.horizontal = sorted({*region.horizontal, *inner})
        for line in sorted(heads, key=lambda line: -line.y0):
            lower = [o for o in heads if _stands_over(line, o) and not _parted([line], [o], region)]
            region.heads[line.order] = region.heads[lower[0].order] if lower else region.heads[line.order]


def _named(row: Sequence[Line]) -> Sequence[Line]:
    """The names of columns in a row of a header: without a unit in parentheses before them."""
    return row[1:] if len(row) > 1 and _is_unit(row[:1]) else row


def _own_named(row: Sequence[Line]) -> Sequence[Line]:
    """The names of columns, or the one name that heads several; beside more names a unit is a label of their row."""
    return _named(row) if len(row) == 2 else row


def _stands_over(line: Line, lower: Line) -> bool:
    """Whether the words are the line before `lower` in one cell: close above it, in its middle."""
    middle = abs(line.x0 + line.x1 - lower.x0 - lower.x1) <= OFF_CENTRE_PT
    return middle and line.style == lower.style and 0 < lower.y0 - line.y0 <= (1 + STACKED_GAP) * line.height


def _labels_end(lines: Sequence[Line], edge: float) -> float:
    """Where the labels of the first column, whose other columns begin at `edge`, end."""
    first = min((line.y0 for line in lines if _is_figure(line)), default=0.0)  # words above are of the header
    return max((x.x1 for x in lines if x.x1 <= edge and x.y1 > first and not _is_figure(x)), default=edge)


def _own_header(region: Region, edge: float, rules: Sequence[Segment]) -> list[Line]:
    """The first rows of the region that are already such a header, from the last of them upwards."""
    block: list[list[Line]] = []
    for row in rows_of(region.lines)[:MAX_ROWS]:
        if any(line.x0 < edge - SAME_EDGE_PT or _is_figure(line) for line in _own_named(row)):
            break
        block.append(row)
    while block:
        found: list[Line] = []
        for row in reversed(block):
            if not (_heads(_own_named(row), edge, rules) or _is_stacked(row, found, edge)):
                break
            found = [*row, *found]
        else:
            return found
        block.pop()
    return []


def head_rows(region: Region, columns: Sequence[Column]) -> list[list[GridCell]]:
    """The rows of the header that `grow_header` found; words share a cell unless a rule, a span or a unit separates
    them."""
    rows: list[list[Line]] = []
    spans: list[list[list[int]]] = []
    for row in rows_of([line for line in region.lines if line.order in region.heads]):
        own = [_places(line, region, columns) for line in row]
        one_each = all(len(places) == 1 for places in [*own, *(spans[-1] if spans else [])])
        same = one_each or (bool(spans) and spans[-1] == own)  # words over the same columns are lines of one cell
        if rows and same and not (_is_unit(row) or _is_unit(rows[-1]) or _parted(rows[-1], row, region)):
            rows[-1] += row
        else:
            rows.append(row)
            spans.append(own)
    return [_cells(row, region, columns) for row in rows]


def _parted(above: Sequence[Line], below: Sequence[Line], region: Region) -> bool:
    middle, next_middle = max(line.middle for line in above), min(line.middle for line in below)
    return any(middle < y < next_middle for y, _, _ in region.horizontal)


def _cells(row: Sequence[Line], region: Region, columns: Sequence[Column]) -> list[GridCell]:
    lines: dict[int, list[Line]] = {}
    spans: dict[int, int] = {}
    for line in sorted(row, key=lambda line: (line.y0, line.x0)):
        places = _places(line, region, columns)
        lines.setdefault(places[0], []).append(line)
        spans[places[0]] = max(len(places), spans.get(places[0], 1))
    cells: list[GridCell] = []
    column = 0
    while column < len(columns):
        following = min((at for at in lines if at > column), default=len(columns))
        span = min(spans.get(column, 1), following - column)
        cells.append(GridCell(column, lines.get(column, []), span))
        column += span
    return cells


def _places(line: Line, region: Region, columns: Sequence[Column]) -> list[int]:
    """The indexes of the columns of which a good part lies below the words."""
    x0, x1 = region.heads[line.order]
    shares = [(min(x1, right) - max(x0, left)) / max(0.1, min(x1 - x0, right - left)) for left, right in columns]
    return [i for i, share in enumerate(shares) if share >= min(COVERED, max(shares))]


def _extent(line: Line, heads: Sequence[Line], rules: Sequence[Segment]) -> tuple[float, float]:
    """The (x0, x1) that the words apply to: that of the rule below them, or of all their pieces where nothing is beside
    them."""
    below = rules_below(line, rules)
    alone = not any(o is not line and o.y0 <= line.middle <= o.y1 for o in heads)
    if not alone:
        middle = (line.x0 + line.x1) / 2
        below = [rule for rule in below if rule[1] <= middle <= rule[2]]
    return min([line.x0, *[r[1] for r in below]]), max([line.x1, *[r[2] for r in below]])


def figures_edge(lines: Sequence[Line]) -> float | None:
    """The x at which the columns after the first begin, for rows of words with numbers beside them; None for other
    lines."""
    rows = [sorted(row, key=lambda line: line.x0) for row in rows_of(lines) if is_tabular(row)]
    figures = [n for n, row in enumerate(rows) if any(_is_value(x) for x in row[1:])]
    named = [rows[n] for n in figures if not NUMBER.match(rows[n][0].text)]
    if len(named) < 2 or len(named) < MIN_FIGURES * len(rows[figures[0] :]):
        return None
    return min(row[1].x0 for row in named)


def _within(line: Line, region: Region, figures: float) -> bool:
    """Whether the line is in the region's width, or a label that the labels in it, left of `figures`, are set in
    below."""
    out = MAX_INDENTATION * (region.x1 - region.x0) if line.x1 <= figures else 0.0
    return line.x0 >= region.x0 - max(SAME_EDGE_PT, out) and line.x1 <= region.x1 + SAME_EDGE_PT


def _heads(row: Sequence[Line], edge: float, rules: Sequence[Segment]) -> bool:
    over = all(line.x0 >= edge - SAME_EDGE_PT and len(line.text) <= MAX_CHARACTERS for line in row)
    if not over or caption_kind(row[0].text) or any(_is_figure(x) for x in row):
        return False
    return len(row) > 1 or _is_unit(row) or _is_underlined(row[0], edge, rules)


def _is_figure(line: Line) -> bool:
    """Whether the line is a number, neither a year nor set like a header."""
    return NUMBER.match(line.text) is not None and not line.bold and not YEAR.match(line.text)


def _is_value(line: Line) -> bool:
    return is_value(line.text) and not line.bold and not YEAR.match(line.text)


def _is_unit(row: Sequence[Line]) -> bool:
    text = row[0].text.strip()
    return len(row) == 1 and text.startswith("(") and text.endswith(")")


def _is_underlined(line: Line, edge: float, rules: Sequence[Segment]) -> bool:
    """Whether a rule, or pieces of one, is under the words and not under the first column; under a year also there."""
    below = rules_below(line, rules)
    left, right = min((rule[1] for rule in below), default=0.0), max((rule[2] for rule in below), default=0.0)
    own = left >= edge - SAME_EDGE_PT or YEAR.match(line.text) is not None
    return bool(below) and own and left <= line.x0 + 2 and right >= line.x1 - 2


def rules_below(line: Line, rules: Sequence[Segment]) -> list[Segment]:
    """The rules (y, x0, x1) right below a line, wherever they begin and end."""
    return [rule for rule in rules if line.y1 - 2 <= rule[0] <= line.y1 + RULE_GAP * line.height]


def _is_stacked(row: Sequence[Line], found: Sequence[Line], edge: float) -> bool:
    """Whether the row is the first line of a header cell that has more lines than the cells beside it."""
    line = row[0]
    if len(row) > 1 or line.x0 < edge - SAME_EDGE_PT or len(line.text) > MAX_CHARACTERS:
        return False
    close = [o for o in found if o.style == line.style and o.y0 - line.y1 <= STACKED_GAP * line.height]
    return any(o.x0 < line.x1 and line.x0 < o.x1 and line.y1 <= o.y1 for o in close)


def _is_label(row: Sequence[Line], edge: float) -> bool:
    return len(row) == 1 and row[0].x1 <= edge and not caption_kind(row[0].text)
