"""Tables whose header changes midway: each part is a table of its own, with the names that are right above its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shared.extraction.page_view import text_of
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import TOUCH_PT, Region, Segment
from shared.extraction.tables.rows import YEAR, is_value

# Names of columns behind that of the labels, at least.
MIN_NAMES = 2


def second_header(grid: Grid, count: int, region: Region) -> int | None:
    """The index of the row that begins another header below the first `count` rows: the same names over the same
    columns beside a name of the labels, or, in a drawn grid, bold names in all columns; figures are above and below.
    None where there is none."""
    names = _names(grid.rows[count - 1]) if count else {}
    if len(set(names.values())) < MIN_NAMES:
        return None
    for at in range(count + 1, len(grid.rows) - 1):
        drawn = region.kind == "grid"
        named = _are_same_names(grid.rows, at, count) or (drawn and _are_other_names(grid.rows, at, count))
        if named and not _reach_over(grid.rows, at):
            return at
    return None


def split_at(region: Region, grid: Grid, at: int, count: int) -> tuple[Region, Region] | None:
    """The region above the row `at` of its grid, and what begins with it; None where their lines stand beside each
    other. A label alone between rows and names is the title of what is below."""
    labelled = at - 1 > count and not _names(grid.rows[at - 1])
    title = [line for cell in grid.rows[at - 1] for line in cell.lines] if labelled else []
    above = [line for row in grid.rows[: at - labelled] for cell in row for line in cell.lines]
    orders = {line.order for line in [*title, *above]}
    below = [line for line in region.lines if line.order not in orders]
    top, start = max(line.middle for line in above), min(line.y0 for line in below)
    first = min((line.y0 for line in title), default=start)
    if top >= first or (title and max(line.middle for line in title) >= start):
        return None
    end = _between(region, top, first)
    begin = _between(region, max((line.middle for line in title), default=top), start)
    upper = replace(_within(region, region.y0, end), lines=above)
    return upper, replace(_within(region, begin, region.y1), lines=below, headed=True, title=title)


def _between(region: Region, top: float, bottom: float) -> float:
    """The height of a rule between the two, or of what begins below."""
    return next((y for y, _, _ in region.horizontal if top < y < bottom), bottom)


def _within(region: Region, y0: float, y1: float) -> Region:
    horizontal = [rule for rule in region.horizontal if y0 - TOUCH_PT <= rule[0] <= y1 + TOUCH_PT]
    return replace(
        region,
        y0=y0,
        y1=y1,
        horizontal=horizontal,
        vertical=[_clipped(rule, y0, y1) for rule in region.vertical if rule[1] < y1 and rule[2] > y0],
        tinted=region.tinted.intersection(horizontal),
    )


def _clipped(rule: Segment, y0: float, y1: float) -> Segment:
    return rule[0], max(rule[1], y0), min(rule[2], y1)


def _names(row: Sequence[GridCell]) -> Mapping[int, str]:
    """The texts of the cells that have one, by their column, without the first column's."""
    return {cell.column: text_of(cell.lines) for cell in row if cell.lines and cell.column > 0}


def _are_same_names(rows: Sequence[Sequence[GridCell]], at: int, count: int) -> bool:
    label = rows[at][0]
    named = label.column == 0 and bool(label.lines) and _names(rows[at]) == _names(rows[count - 1])
    return named and _heads_figures(rows[count:at]) and _heads_figures(rows[at:])


def _heads_figures(rows: Sequence[Sequence[GridCell]]) -> bool:
    return any(_is_number(cell) for row in rows for cell in row if cell.column > 0)


def _are_other_names(rows: Sequence[Sequence[GridCell]], at: int, count: int) -> bool:
    """Whether the row is like the last one of the header, bold and with words in every column, and several of them
    stand between figures."""
    full = all(cell.lines and cell.col_span == 1 for cell in rows[at])
    if not full or not (_is_bold(rows[at]) and _is_bold(rows[count - 1])) or any(map(_is_number, rows[at])):
        return False
    above, below = ({c.column for c in rows[other] if _is_number(c)} - {0} for other in (at - 1, at + 1))
    return len(above & below) >= MIN_NAMES and not _is_bold(rows[at + 1])


def _is_bold(row: Sequence[GridCell]) -> bool:
    return all(line.bold for cell in row for line in cell.lines)


def _is_number(cell: GridCell) -> bool:
    text = text_of(cell.lines)
    return is_value(text) and not YEAR.match(text)


def _reach_over(rows: Sequence[Sequence[GridCell]], at: int) -> bool:
    """Whether a cell above the row `at` reaches into it."""
    return any(n + cell.row_span > at for n, row in enumerate(rows[:at]) for cell in row)
