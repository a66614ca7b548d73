"""Regions that rules enclose: inside drawn grids, or between horizontal rules of one width."""

from collections.abc import Sequence
from itertools import pairwise

from shared.domain.sketch import Profile
from shared.extraction.lists import caption_kind
from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.fills import rules_of_fills
from shared.extraction.tables.frames import LOWEST_ROW_PT, MAX_PIECE_GAP_PT, find_grids, rules_outside
from shared.extraction.tables.nested import is_nested, without_nested
from shared.extraction.tables.regions import (
    FRAME_PT,
    TOUCH_PT,
    PageRules,
    Region,
    Segment,
    fill,
    has_title_row,
    is_tabular,
    order_rows,
)
from shared.extraction.titles.headings import HeadingJudge

# Share of the height between two grids that both sides of their frame must cover.
SIDES_SHARE = 0.7
# Upright rules of a row of totals, at least.
MIN_SIDES = 4
MIN_TABULAR_SHARE = 0.25
# Greatest height of a label between two parts of a grid, in line heights.
MAX_LABEL_HEIGHT = 2.0
# Blank between a rule and the text below it, in line heights, from which another table begins there.
MAX_BLANK = 3.0
# Share of the rows between rules that begin left of them, from which the rules only underline columns.
UNDERLINED_SHARE = 0.5


def ruled_regions(view: PageView, rules: PageRules, profile: Profile, judge: HeadingJudge) -> list[Region]:
    """Returns regions enclosed by rules, from the top, each with the unclaimed lines inside."""
    horizontal, vertical, fills = rules
    across, down = rules_of_fills(fills)
    drawn, horizontal = set(horizontal), _beside_captions(horizontal, view.free)
    beside = {rule[0] for rule in horizontal if rule not in drawn}
    horizontal, vertical = sorted([*horizontal, *across]), sorted([*vertical, *down])
    if not horizontal and not vertical:
        return []
    grids = find_grids(horizontal, vertical, drawn)
    nested = [one for one in grids if any(is_nested(one, other, horizontal, view.free) for other in grids)]
    horizontal, vertical = without_nested(horizontal, vertical, nested)
    regions = _stacked([one for one in grids if one not in nested], view.free, vertical, judge)
    loose = rules_outside(horizontal, regions)
    between = _between_rules(loose, view.free, judge)
    regions += [r for r in between if r.y1 in beside or not _is_underlining(r, view.free, loose)]
    for region in regions:
        fill(region, view.free, horizontal, vertical, fills)
        region.tinted = frozenset(across)
    return sorted((r for r in regions if len(r.lines) >= 2), key=lambda r: (r.y0, r.x0))


def _beside_captions(rules: Sequence[Segment], free: Sequence[Line]) -> list[Segment]:
    """The rules, those below a table without the part that is below its caption, where that stands left of the table:
    they end with the rules above the table, which the caption is beside."""
    captions = [line for line in free if caption_kind(line.text) == "table"]
    found: list[Segment] = []
    for y, x0, x1 in rules:
        above = [
            rule
            for rule in rules
            for line in captions
            if x0 <= line.x0 + TOUCH_PT and line.x1 < rule[1] and rule[0] < line.middle < y
            and abs(rule[2] - x1) <= FRAME_PT
        ]  # fmt: skip
        found.append((y, max(above)[1], x1) if above else (y, x0, x1))
    return found


def _stacked(
    grids: Sequence[Region], free: Sequence[Line], vertical: Sequence[Segment], judge: HeadingJudge
) -> list[Region]:
    """The grids, those joined that are parts of one frame, and those that only a line of its own between two rules
    separates: a label across the columns, but no title."""
    found: list[Region] = []
    for grid in sorted(grids, key=lambda r: (r.y0, r.x0)):
        above = next((r for r in reversed(found) if _is_same_width(r, grid) and r.y0 < grid.y0), None)
        if above and (
            _stands_on(grid, above, free, vertical)
            or _is_labelled(grid, above, free, judge)
            or _is_last_row(grid, above, free)
        ):
            above.y1 = max(above.y1, grid.y1)
            above.vertical += grid.vertical
        else:
            found.append(grid)
    return found


def _stands_on(grid: Region, above: Region, free: Sequence[Line], vertical: Sequence[Segment]) -> bool:
    """Whether hardly any white is between the two, or both sides of the frame go on between them, and the inner rules
    of the one that has fewer are in the other. With white between them, two that each begin with a title above the same
    header are two."""
    inner = [{v[0] for v in one.vertical if one.x0 + FRAME_PT < v[0] < one.x1 - FRAME_PT} for one in (above, grid)]
    fewer, more = sorted(inner, key=len)
    if has_title_row(above) and has_title_row(grid) and _below_title(above, free) == _below_title(grid, free):
        return False
    same = bool(more) and all(any(abs(x - other) <= TOUCH_PT for other in more) for x in fewer)
    gap = grid.y0 - above.y1
    return same and (gap <= MAX_PIECE_GAP_PT or all(
        sum(min(v[2], grid.y0) - max(v[1], above.y1) for v in vertical
            if abs(v[0] - x) <= TOUCH_PT and v[1] < grid.y0 and v[2] > above.y1) >= SIDES_SHARE * gap
        for x in (grid.x0, grid.x1)
    ))  # fmt: skip


def _below_title(grid: Region, free: Sequence[Line]) -> list[str]:
    """The texts of the first row that the inner rules of the grid divide."""
    top = min(v[1] for v in grid.vertical if grid.x0 + FRAME_PT < v[0] < grid.x1 - FRAME_PT)
    inside = [
        x for x in free if top <= x.middle <= grid.y1 and x.x0 >= grid.x0 - TOUCH_PT and x.x1 <= grid.x1 + TOUCH_PT
    ]
    return [line.text for row in order_rows(inside)[:1] for line in row]


def _is_labelled(grid: Region, above: Region, free: Sequence[Line], judge: HeadingJudge) -> bool:
    """Whether a single line that is no title, with a rule above and below it, is between the two."""
    between = [x for x in free if above.y1 <= x.middle <= grid.y0 and x.x0 < grid.x1 and x.x1 > grid.x0]
    near = len(between) == 1 and 0 <= grid.y0 - above.y1 <= MAX_LABEL_HEIGHT * between[0].height
    return near and not judge.is_large(between[0])


def _is_last_row(grid: Region, above: Region, free: Sequence[Line]) -> bool:
    """Whether the grid is a single row of cells, each below one of the other grid, with nothing but white between: the
    row of totals."""
    sides = sorted({v[0] for v in grid.vertical})
    inside = [x for x in free if above.y1 <= x.middle <= grid.y1 and x.x0 < grid.x1 and x.x1 > grid.x0]
    row = [x for x in inside if x.middle >= grid.y0]
    return (
        len(sides) >= MIN_SIDES
        and bool(row)
        and len(row) == len(inside)
        and 0 <= grid.y0 - above.y1 <= MAX_LABEL_HEIGHT * row[0].height
        and all(any(abs(x - other[0]) <= TOUCH_PT for other in above.vertical) for x in sides)
        and max(x.y0 for x in row) < min(x.y1 for x in row)
    )


def _is_same_width(one: Region, other: Region) -> bool:
    return abs(one.x0 - other.x0) <= FRAME_PT and abs(one.x1 - other.x1) <= FRAME_PT


def _is_underlining(region: Region, free: Sequence[Line], rules: Sequence[Segment]) -> bool:
    """Whether the rules underline columns of numbers: most rows between them begin with a label left of all rules at
    that height."""
    level = [rule for rule in rules if abs(rule[0] - region.y0) <= TOUCH_PT]
    rows = [row for row in order_rows(free) if region.y0 <= row[0].middle <= region.y1]
    inside = [row for row in rows if any(line.x0 >= region.x0 - 2 and line.x1 <= region.x1 + 2 for line in row)]
    left = min([rule[1] for rule in level], default=region.x0)
    labelled = [row for row in inside if row[0].x1 <= left]
    return len(labelled) >= max(2, UNDERLINED_SHARE * len(inside))


def _between_rules(rules: Sequence[Segment], free: Sequence[Line], judge: HeadingJudge) -> list[Region]:
    """Consecutive rules of one width with rows of cells between them."""
    regions: list[Region] = []
    for group in _same_extent(rules):
        run: list[Segment] = group[:1]
        header: list[Line] = []  # the first row of the run
        for above, below in pairwise(group):
            rows = order_rows(_between(above, below, free))
            if len(run) > 1 and _is_blank_below(above, rows):
                regions += _run(run)
                run, header = [below], []
            elif _begins_again(run, header, rows, free):
                regions += _run(run[:-1])
                run = [above, below]
            elif _tabular_between(above, below, rows, header, judge):
                run.append(below)
                header = header or (rows[0] if rows else [])
            else:
                regions += _run(run)
                run, header = [below], []
        regions += _run(run)
    return regions


def _same_extent(rules: Sequence[Segment]) -> list[list[Segment]]:
    groups: list[list[Segment]] = []
    for rule in sorted(rules):
        if rule[2] - rule[1] < 60:
            continue
        for group in groups:
            if abs(group[0][1] - rule[1]) <= FRAME_PT and abs(group[0][2] - rule[2]) <= FRAME_PT:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return groups


def _run(rules: Sequence[Segment]) -> list[Region]:
    if len(rules) < 2:
        return []
    return [Region("rules", x0=rules[0][1], y0=rules[0][0], x1=rules[0][2], y1=rules[-1][0])]


def _tabular_between(
    above: Segment, below: Segment, rows: Sequence[Sequence[Line]], header: Sequence[Line], judge: HeadingJudge
) -> bool:
    """Whether the rows between two rules are those of a table, of which `header` is the first one."""
    if not rows:
        return below[0] - above[0] < LOWEST_ROW_PT
    if _holds_title(rows, judge):
        return False
    if any(caption_kind(row[0].text) and is_tabular(before) for before, row in pairwise(rows)):
        return False
    tabular = sum(is_tabular(row) or _is_below(row, header) for row in rows)
    return tabular >= 1 and tabular >= MIN_TABULAR_SHARE * len(rows)


def _holds_title(rows: Sequence[Sequence[Line]], judge: HeadingJudge) -> bool:
    """Whether a line alone is a title: in large type, and no further line of a cell of the row above."""
    inside = [line for row in rows for line in row]
    cells: Sequence[Line] = ()
    for row in rows:
        first = row[0]
        if len(row) > 1:
            cells = row[1:]
        elif (
            judge.is_large(first)
            and not _is_beside(first, inside)
            and not any(abs(x.x0 - first.x0) <= 1 and x.style == first.style for x in cells)
        ):
            return True
    return False


def _is_below(row: Sequence[Line], header: Sequence[Line]) -> bool:
    """Whether each of several cells is below another one of the header: a number is the mark of no list there."""
    above = [[i for i, x in enumerate(header) if x.x0 < line.x1 and line.x0 < x.x1] for line in row]
    return len(above) > 1 and all(above) and len({i for one in above for i in one}) == sum(map(len, above))


def _begins_again(
    run: Sequence[Segment], header: Sequence[Line], rows: Sequence[Sequence[Line]], free: Sequence[Line]
) -> bool:
    """Whether nothing but the header of the rules so far stands once more above the next rule, below a title: then
    another table of the same columns begins."""
    if len(run) < 3 or len(rows) != 1 or len(header) < 2 or [x.text for x in rows[0]] != [x.text for x in header]:
        return False
    before = order_rows(_between(run[-2], run[-1], free))
    return bool(before) and len(before[-1]) == 1


def _between(above: Segment, below: Segment, free: Sequence[Line]) -> list[Line]:
    return [x for x in free if above[0] < x.middle < below[0] and x.x1 > above[1] - 2 and x.x0 < above[2] + 2]


def _is_beside(line: Line, others: Sequence[Line]) -> bool:
    """Whether the line, in the middle between lines of the cell beside it, is a label and no title."""
    upper, lower = (
        any(x is not line and (x.x0 >= line.x1 or x.x1 <= line.x0) and x.y0 < y < x.y1 for x in others)
        for y in (line.y0, line.y1)
    )
    return upper or lower


def _is_blank_below(above: Segment, rows: Sequence[Sequence[Line]]) -> bool:
    """Whether there is much white between a rule and the text below it, as above a table's first row."""
    inside = [line for row in rows for line in row]
    return bool(inside) and min(x.y0 for x in inside) - above[0] > MAX_BLANK * max(x.height for x in inside)
