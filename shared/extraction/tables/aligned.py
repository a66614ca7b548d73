"""Tables without surrounding rules: consecutive rows whose cells are aligned."""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise, takewhile

from shared.domain.sketch import Profile
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.columns import Column
from shared.extraction.tables.regions import PageRules, Region, Segment, fill, is_mark, is_tabular, order_rows
from shared.extraction.tables.rows import CURRENCIES, YEAR, is_figure, is_value
from shared.extraction.titles.headings import HeadingJudge

MAX_ROW_STEP = 3.0
# Greatest distance of lines of one cell, in type sizes, and in those of lines of the document's text, where these are
# set wide.
MAX_LINE_STEP = 1.7
LOOSE = 1.1
MAX_LABEL_CHARACTERS = 40
# Longest text of a label that has a row to itself; in filings up to a line and a half.
MAX_LABEL_ROW = 120
# Length from which a line that ends in a colon is a sentence that announces a table.
MIN_SENTENCE = 60
# Greatest distance of the ends of numbers below each other, one of them in parentheses.
SAME_END_EM = 0.6
# Rows of a table before another header, most rows of such a header, and how far its rules may reach into its words.
MIN_BODY = 2
MAX_HEADER = 8
RULE_GAP_PT = 2.0
# Numbers of a single row below a header, at least.
MIN_IN_STEP = 3


def aligned_regions(view: PageView, rules: PageRules, profile: Profile, judge: HeadingJudge) -> list[Region]:
    """Returns consecutive rows with aligned cells as regions, where no rules surround them."""
    rows = order_rows(view.free)
    horizontal, vertical, fills = rules
    regions: list[Region] = []
    run: list[list[Line]] = []
    headed = False
    for at, row in enumerate(rows):
        if run and _begins_another(run, row):
            regions += _aligned(run[:-1], headed=headed)
            run, headed = [], False
        elif run and _is_headed_anew(run, rows[at:], horizontal):
            regions += _aligned(run, headed=headed)
            run, headed = [row], True
            continue
        elif run and not _belongs(run, row, view, profile, judge):
            regions += _aligned(run, headed=headed)
            run, headed = [], False
        if run or is_tabular(row):
            run.append(row)
    regions += _aligned(run, ends_page=True, headed=headed)
    for region in regions:
        lines = region.lines
        fill(region, [], horizontal, vertical, fills)
        region.lines = lines
    return regions


def _belongs(
    run: Sequence[Sequence[Line]], row: Sequence[Line], view: PageView, profile: Profile, judge: HeadingJudge
) -> bool:
    """Whether the row continues the run: close below it, with cells side by side or one line inside a column."""
    last, first = run[-1], row[0]
    size = max(line.size for line in row)
    step = first.y1 - max(line.y1 for line in last)
    if first.order != view.order_after(max(last, key=lambda line: line.order)) or step <= 0:
        return False
    if step > MAX_ROW_STEP * max(profile.body_pitch, 1.1) * size or caption_kind(first.text):
        return False
    if is_tabular(row):
        return True
    if judge.is_styled(first) and first.size > 1.1 * max(line.size for line in last):
        return False
    return _fits_columns(run, row, step, size, max(MAX_LINE_STEP, LOOSE * profile.body_pitch) * size)


def _begins_another(run: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Whether the last line is a sentence that announces another table, and the row its header: words set bold, none
    over the labels."""
    last = run[-1]
    announces = len(last) == 1 and len(last[0].text) >= MIN_SENTENCE and last[0].text.rstrip().endswith(":")
    if not announces or len(run) < 3 or not is_tabular(row):
        return False
    bold = all(line.bold for line in row) and not last[0].bold
    return bold and min(line.x0 for line in row) >= last[0].x1


def _is_headed_anew(
    run: Sequence[Sequence[Line]], following: Sequence[Sequence[Line]], rules: Sequence[Segment]
) -> bool:
    """Whether the rows that follow begin with another header: bold words below rows that are not bold, and a rule below
    each, also over the labels, or the same name of the labels again, or other columns than those of the rows."""
    heads = list(takewhile(lambda row: all(line.bold and not _is_figure(line) for line in row), following[:MAX_HEADER]))
    if not heads or all(line.bold for line in run[-1]):
        return False
    tabular = [row for row in run if is_tabular(row)]
    if sum(not all(line.bold for line in row) for row in tabular) < MIN_BODY:
        return False
    left = min(line.x0 for row in tabular for line in row)
    names = {line.text for row in run for line in row if line.bold and abs(line.x0 - left) <= RULE_GAP_PT}
    values = [line for row in tabular for line in row[1:] if is_value(line.text)]
    return any(_is_ruled_header(heads[:count], left, rules, names, values) for count in range(1, len(heads) + 1))


def _is_ruled_header(
    rows: Sequence[Sequence[Line]], left: float, rules: Sequence[Segment], names: Collection[str],
    values: Sequence[Line],
) -> bool:  # fmt: skip
    """Whether several rules are right below the rows, each with words above it, and the first of them or one of the
    `names` is at the labels, which begin at `left`, or one of the `values` above is over none of the rules."""
    words = [line for row in rows for line in row]
    bottom, size = max(line.y1 for line in words), words[0].size
    below = sorted((x0, x1) for y, x0, x1 in rules if bottom - RULE_GAP_PT <= y <= bottom + size / 2)
    apart = len(below) > 1 and all(a[1] <= b[0] for a, b in pairwise(below))
    over = all(any(x0 < (x.x0 + x.x1) / 2 < x1 for x in words) for x0, x1 in below)
    named = any(line.text in names and abs(line.x0 - left) <= RULE_GAP_PT for line in words)
    return apart and over and (named or below[0][0] <= left + size or any(_is_beside(x, below) for x in values))


def _is_beside(line: Line, rules: Sequence[Column]) -> bool:
    return all(line.x1 < x0 or line.x0 > x1 for x0, x1 in rules)


def _is_figure(line: Line) -> bool:
    return is_figure(line.text) and YEAR.match(line.text) is None


def _fits_columns(
    run: Sequence[Sequence[Line]], row: Sequence[Line], step: float, size: float, line_step: float
) -> bool:
    """Whether a single line continues a cell or is alone in the first column; prose across the columns does neither.
    `line_step`: the greatest distance of lines of one cell."""
    if step <= line_step and _is_centred(run, row):
        return True
    columns = _columns_of(run)
    inside = [
        next((i for i, (x0, x1) in enumerate(columns) if x.x0 >= x0 - 1.5 * size and x.x1 <= x1), None) for x in row
    ]
    if any(column is None for column in inside):
        return False
    if len(row) > 1:
        return True
    if inside[0] != 0:
        return step <= line_step
    announces = row[0].text.rstrip().endswith(":") and len(row[0].text) <= 2 * MAX_LABEL_CHARACTERS
    return step <= (MAX_ROW_STEP if announces else 2.4) * size and len(row[0].text) < MAX_LABEL_ROW


def _is_centred(run: Sequence[Sequence[Line]], row: Sequence[Line]) -> bool:
    """Whether the row is a title of the rows that follow: alone, centred, narrower than the table."""
    tabular = [line for above in _tabular(run) for line in above]
    left, right = min(line.x0 for line in tabular), max(line.x1 for line in tabular)
    off = abs(row[0].x0 + row[0].x1 - left - right) / 2
    return len(row) == 1 and off < 0.05 * (right - left) and row[0].x1 - row[0].x0 < 0.8 * (right - left)


def _columns_of(run: Sequence[Sequence[Line]]) -> list[tuple[float, float]]:
    """The columns as (x0, x1): that of the labels, up to the second cell of the last row with cells side by side
    (labels are indented by level), then from each cell to the next."""
    cells = sorted(_tabular(run)[-1], key=lambda line: line.x0)
    starts = [-float("inf"), *[line.x0 for line in cells[1:]], float("inf")]
    return list(pairwise(starts))


def _tabular(run: Sequence[Sequence[Line]]) -> Sequence[Sequence[Line]]:
    """The rows with cells side by side; all of a header that has none so far."""
    return [row for row in run if is_tabular(row)] or run


def _aligned(run: Sequence[Sequence[Line]], *, ends_page: bool = False, headed: bool = False) -> list[Region]:
    """The run without trailing single lines, as a region if at least two rows of cells are aligned.

    At the end of a page one label is kept, for the rows on the next page.
    """
    rows = list(run)
    if ends_page and len(rows) > 2 and _is_label(rows[-1]) and is_tabular(rows[-2]):
        rows, label = rows[:-1], rows[-1:]
    else:
        label = []
    while rows and not is_tabular(rows[-1]) and not _is_marked(rows) and not _continues_cell(rows):
        rows.pop()
    tabular = [row for row in rows if is_tabular(row)]
    amounts = [row[0] for row in tabular if is_figure(row[0].text)]
    tabular = [row for row in rows if row in tabular or _is_amount(row, amounts)]
    if len(tabular) < 2 or (len(tabular) < 3 and max(map(len, tabular)) < 3):
        return []
    if not _line_up(tabular) and not _are_in_step(tabular):
        return []
    lines = [line for row in [*rows, *label] for line in row]
    return [
        Region(
            "aligned",
            x0=min(line.x0 for line in lines),
            y0=min(line.y0 for line in lines),
            x1=max(line.x1 for line in lines),
            y1=max(line.y1 for line in lines),
            lines=lines,
            headed=headed,
        )
    ]


def _is_amount(row: Sequence[Line], amounts: Sequence[Line]) -> bool:
    """Whether the row begins with a number that ends, but does not begin, below amounts: no mark of a list."""
    first = row[0]
    ends = [one for one in amounts if abs(one.x1 - first.x1) <= SAME_END_EM * first.size]
    return len(row) > 1 and is_figure(first.text) and any(abs(one.x0 - first.x0) > first.size / 2 for one in ends)


def _are_in_step(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether the last two rows have a column each for every number of the last, all apart from each other and from its
    label: a single row below names that are set in the middle of wider cells."""
    names, (label, *values) = (sorted(row, key=lambda line: line.x0) for row in rows[-2:])
    both = zip([label, *names], [label, *values], strict=False)
    spans = [(min(a.x0, b.x0), max(a.x1, b.x1)) for a, b in both]
    return (
        MIN_IN_STEP <= len(values) == len(names)
        and all(is_value(line.text) for line in values)
        and all(right[0] > left[1] for left, right in pairwise(spans))
    )


def _is_label(row: Sequence[Line]) -> bool:
    return len(row) == 1 and len(row[0].text) <= MAX_LABEL_CHARACTERS


def _is_marked(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether the last row begins with a number of its own, beside a single other cell, in the type of another row."""
    row = rows[-1]
    marked = len(row) == 2 and is_mark(row[0].text) and any(map(str.isalnum, row[0].text))
    return marked and any(line.style == row[1].style for above in rows[:-1] for line in above)


def _continues_cell(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether each line of the last row is below a cell of a later column and continues it."""
    columns = _columns_of(rows)
    return all(any(abs(line.x0 - x0) < 2 for x0, _ in columns[1:]) for line in rows[-1])


def _line_up(rows: Sequence[Sequence[Line]]) -> bool:
    """Whether most pieces after the first column share their left edge, right edge or centre with a piece of another
    row. The sign of a currency apart from its number is none: in the first row and that of totals alone it has nothing
    to line up with."""
    labelled = all(row[0].text.rstrip().endswith(":") for row in rows)
    first = 0 if labelled else 1  # labels with colons line up as cells do
    pieces = [(index, line) for index, row in enumerate(rows) for line in sorted(row, key=lambda x: x.x0)[first:]]
    later = [(index, line) for index, line in pieces if line.text not in CURRENCIES]
    edges = [{(round(v / 3)): set[int]() for _, x in later for v in (key(x),)} for key in _EDGES]
    for index, line in later:
        for buckets, key in zip(edges, _EDGES, strict=True):
            buckets[round(key(line) / 3)].add(index)
    aligned = sum(_shared(line, index, edges) for index, line in later)
    return aligned >= 0.7 * len(later)


_EDGES: tuple[Callable[[Line], float], ...] = (lambda x: x.x0, lambda x: x.x1, lambda x: (x.x0 + x.x1) / 2)


def _shared(line: Line, index: int, edges: Sequence[dict[int, set[int]]]) -> bool:
    for buckets, key in zip(edges, _EDGES, strict=True):
        bucket = round(key(line) / 3)
        if any(buckets.get(near, set()) - {index} for near in (bucket - 1, bucket, bucket + 1)):
            return True
    return False
