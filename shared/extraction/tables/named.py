"""Tables whose columns were read as columns of text, or whose rows look like items of a list: known by their header,
names that each stand over a rule of their own."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from shared.domain.sketch import Profile
from shared.extraction.page_view import Line, PageView, rows_of
from shared.extraction.tables.headers import rules_below
from shared.extraction.tables.regions import PageRules, Region, Segment, fill, is_mark
from shared.extraction.tables.rows import is_value
from shared.extraction.titles.headings import HeadingJudge

# How far texts may reach beyond the ends of their rules.
SAME_EDGE_PT = 2.0
# Greatest distance from line to line, in type sizes.
MAX_STEP = 3.0
# Rows with cells side by side, at least.
MIN_ROWS = 2
_NOTE_MARKS = "*\u2020\u2021+#"


def named_regions(view: PageView, rules: PageRules, profile: Profile, judge: HeadingJudge) -> list[Region]:
    """Returns the rows below names over rules, where the names or the rows are not next to each other in the reading
    order of a table."""
    horizontal, vertical, fills = rules
    free = view.free
    regions: list[Region] = []
    for names, over in _headers(free, horizontal):
        rows = rows_of(_body(free, names, over, judge))
        beside = [row for row in rows if len(row) > 1 and row[0].x1 < over[1][1]]
        apart = any(b.order != a.order + 1 for a, b in pairwise(names))
        labelled = all(row[0].x0 >= over[0][1] - SAME_EDGE_PT for row in rows)
        if len(beside) < MIN_ROWS or not (labelled if apart else all(map(_is_item, beside))):
            continue
        body = [line for row in rows for line in row]
        lines = sorted([*names, *body], key=lambda line: line.order)
        bottom = max(line.y1 for line in lines)
        left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
        region = Region("aligned", left, min(line.y0 for line in names), right, bottom)
        fill(region, [], horizontal, vertical, fills)
        region.lines = lines
        regions.append(region)
    return sorted(regions, key=lambda region: region.y0)


def _is_item(row: Sequence[Line]) -> bool:
    """Whether the row is one like an item of a list, whose number may have the mark of a note (`*10.1`)."""
    return len(row) == 2 and is_mark(row[0].text.strip(_NOTE_MARKS))


def _headers(free: Sequence[Line], horizontal: Sequence[Segment]) -> Iterator[tuple[list[Line], list[Segment]]]:
    """The names that stand side by side, each over a rule of its own, and their rules, from the left."""
    heights: dict[int, list[Segment]] = {}
    for rule in horizontal:
        heights.setdefault(round(rule[0]), []).append(rule)
    for level in heights.values():
        rules = sorted(level, key=lambda rule: rule[1])
        names = list(_names_over(rules, free)) if len(rules) > 1 else []
        if len(names) == len(rules):
            yield names, rules


def _names_over(rules: Sequence[Segment], free: Sequence[Line]) -> Iterator[Line]:
    """The name over each rule, up to the first rule that has none or several."""
    for rule in rules:
        own = [line for line in free if _is_within(line, rule) and rules_below(line, [rule])]
        if len(own) != 1 or is_value(own[0].text):
            return
        yield own[0]


def _is_within(line: Line, rule: Segment) -> bool:
    return rule[1] - SAME_EDGE_PT <= line.x0 and line.x1 <= rule[2] + SAME_EDGE_PT


def _body(free: Sequence[Line], names: Sequence[Line], rules: Sequence[Segment], judge: HeadingJudge) -> list[Line]:
    """The lines below the names, up to one that is in no column, which ends where the next rule begins, a title, or one
    far below."""
    starts = [0.0, *[rule[2] for rule in rules[:-1]]]
    ends = [*[rule[1] for rule in rules[1:]], max(line.x1 for line in free)]
    found: list[Line] = []
    low = max(line.y1 for line in names)
    for line in sorted([x for x in free if x.y0 >= rules[0][0] - SAME_EDGE_PT], key=lambda x: x.y0):
        inside = any(a <= line.x0 and line.x1 <= b for a, b in zip(starts, ends, strict=True))
        if not inside or line.y0 - low > MAX_STEP * line.size or judge.is_large(line):
            break
        found.append(line)
        low = max(low, line.y1)
    return found
