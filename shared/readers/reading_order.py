"""Reading order: column by column where the page is set in columns, row by row elsewhere.

The gaps between table cells look like the gutter between columns. A gutter is accepted where both sides read like prose
(lines that fill their side), or where their lines are not side by side and the file has one side after the other. Lines
and rules that cross the gutter end its zone.
"""

import itertools
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

# A side is prose when half of its rows fill this share of its width, with this many characters a row on average.
FILLED_WIDTH = 0.6
FILLED_ROWS = 0.5
PROSE_CHARACTERS = 14.0
PROSE_CHARACTERS_CJK = 6.0
MIN_ROWS = 3
# Weaker evidence requires more rows: a gutter that others outnumber, a part of a page, sides that are not prose.
MANY_ROWS = 6
GAP_EM = 0.9
GAPPED_ROWS = 0.3
MARK_CHARACTERS = 7
MIN_GUTTER_PT = 5.0
MAX_GUTTERS = 3
MAX_DEPTH = 4
# Sides are independent when this share of the rows of the shorter one has no row beside it, ...
UNPAIRED_ROWS = 0.4
SAME_LINE_EM = 0.15
# ... and the file changes sides at most this often, as a share of the pieces of the shorter side.
SIDE_CHANGES = 0.25
# A drop cap is one or two characters, this much taller than the lines beside it, at most this far from them.
INITIAL_HEIGHT = 1.6
INITIAL_GAP = 0.6


@dataclass(slots=True)
class Item:
    """A line to be ordered; coordinates in points as displayed."""

    index: int
    x0: float
    y0: float
    x1: float
    y1: float
    characters: int
    rtl: bool = False
    vertical: bool = False
    wide: bool = False  # full-width script: fewer characters fill a line


Bar = tuple[float, float, float]  # x0, x1, y of a horizontal rule


def reading_order(items: Sequence[Item], bars: Sequence[Bar] = (), rtl: bool = False) -> list[int]:
    """The `index` of every item, in reading order; `rtl` where the page as a whole runs from right to left."""
    upright = _with_initials([item for item in items if not item.vertical])
    columns = [item for item in items if item.vertical]
    ordered = _order(upright, bars, 0, rtl)
    if len(columns) > len(upright):  # vertical script with a title above it
        top = min(item.y0 for item in columns)
        ordered.sort(key=lambda item: item.y1 > top)
        above = sum(item.y1 <= top for item in ordered)
        ordered[above:above] = _vertical_order(columns)
    else:
        ordered += _vertical_order(columns)
    return [item.index for item in ordered]


def _vertical_order(columns: Sequence[Item]) -> list[Item]:
    """Orders vertical script: tiers from the top, in each the columns from the right."""
    tiers: list[list[Item]] = []
    bottom = 0.0
    for item in sorted(columns, key=lambda item: item.y0):
        if not tiers or item.y0 >= bottom:
            tiers.append([])
        tiers[-1].append(item)
        bottom = max(bottom, item.y1)
    return [item for tier in tiers for item in sorted(tier, key=lambda item: (-item.x1, item.y0))]


def _with_initials(items: list[Item]) -> list[Item]:
    """Moves a drop cap beside several lines up into the first of them."""
    heights = sorted([item.y1 - item.y0 for item in items])
    tall = INITIAL_HEIGHT * heights[len(heights) // 2] if heights else 0.0
    return [_raised(i, items) if i.characters <= 2 and i.y1 - i.y0 >= tall else i for i in items]


def _raised(item: Item, items: Sequence[Item]) -> Item:
    height = item.y1 - item.y0
    beside = [
        other
        for other in items
        if 0 < (other.y1 - other.y0) * INITIAL_HEIGHT <= height
        and -INITIAL_GAP * height <= other.x0 - item.x1 <= INITIAL_GAP * height
        and other.x1 > item.x1
        and item.y0 - 0.3 * height <= (other.y0 + other.y1) / 2 <= item.y1
    ]
    if len(beside) < 2:
        return item
    first = min(beside, key=lambda other: other.y0)
    return replace(item, y0=first.y0, y1=first.y1)


def visual_rows(items: Sequence[Item], rtl: bool = False) -> list[list[Item]]:
    """Items that stand side by side, from the top; within a row from the left (from the right where it, or the page,
    is RTL)."""
    rows: list[list[Item]] = []
    top, bottom = 0.0, -1.0
    for item in sorted(items, key=lambda item: (item.y0 + item.y1, item.x0)):
        middle = (item.y0 + item.y1) / 2
        if rows and top <= middle <= bottom and _shares_row(rows[-1][0], item):
            rows[-1].append(item)
        else:
            rows.append([item])
            top, bottom = item.y0, item.y1
    for row in rows:
        if len(row) > 1:
            from_right = rtl or sum([item.rtl for item in row]) * 2 > len(row)
            row.sort(key=_from_right if from_right else _from_left)
    return rows


def _from_left(item: Item) -> float:
    return item.x0


def _from_right(item: Item) -> float:
    return -item.x1


def _shares_row(first: Item, item: Item) -> bool:
    overlap = min(first.y1, item.y1) - max(first.y0, item.y0)
    return overlap >= 0.4 * min(first.y1 - first.y0, item.y1 - item.y0)


def _order(items: Sequence[Item], bars: Sequence[Bar], depth: int, rtl: bool, least: int = MIN_ROWS) -> list[Item]:
    rows = visual_rows(items, rtl)
    if depth < MAX_DEPTH and len(items) >= 2 * MIN_ROWS:
        for rank, gutter in enumerate(_gutters(rows)):
            ordered = _by_columns(rows, bars, gutter, MANY_ROWS if rank else least, depth, rtl)
            if ordered is not None:
                return ordered
    return [item for row in rows for item in row]


def _by_columns(
    rows: Sequence[list[Item]], bars: Sequence[Bar], gutter: float, least: int, depth: int, rtl: bool
) -> list[Item] | None:
    """Zone by zone, those in columns one column after the other; None where no zone is set in columns."""
    zones = [(zone, *_sides(zone, gutter)) for zone in _zones(rows, bars, gutter)]
    columns = [_are_columns(left, right, least) for _, left, right in zones]
    if not any(columns):
        return None
    edge = min(item.x0 for (_, _, right), parted in zip(zones, columns, strict=True) if parted for item in right)
    ordered: list[Item] = []
    for (zone, left, right), parted in zip(zones, columns, strict=True):
        if parted or _is_remainder(left, right, gutter, edge):
            ordered += [item for side in _in_turn(left, right, rtl) for item in _order(side, bars, depth + 1, rtl)]
        else:
            ordered += _order(zone, bars, depth + 1, rtl, MANY_ROWS)
    return ordered


def _sides(zone: Sequence[Item], gutter: float) -> tuple[list[Item], list[Item]]:
    return [item for item in zone if item.x1 <= gutter + 1], [item for item in zone if item.x1 > gutter + 1]


def _in_turn(left: list[Item], right: list[Item], rtl: bool) -> tuple[list[Item], list[Item]]:
    zone = [*left, *right]
    return (right, left) if rtl or sum(item.rtl for item in zone) * 2 > len(zone) else (left, right)


def _are_columns(left: Sequence[Item], right: Sequence[Item], least: int) -> bool:
    if min(len(left), len(right)) < least:
        return False
    rows, in_turn = visual_rows(left), _are_in_turn(left, right)
    prose = _is_prose(rows, least)
    if not prose and not in_turn:
        return False
    others = visual_rows(right)
    return (prose and _is_prose(others, least)) or (in_turn and _are_unpaired(rows, others))


def _is_remainder(left: Sequence[Item], right: Sequence[Item], gutter: float, edge: float) -> bool:
    """A few lines of columns that stand above or below: both sides begin where theirs do, and have no cells."""
    if not left or not right or any(item.x0 < gutter - 1 for item in right):
        return False
    level = min(item.x0 for item in right) - edge
    rows = visual_rows(left), visual_rows(right)
    return -2 <= level <= 2 and min(map(len, rows)) < MIN_ROWS and all(len(row) == 1 for side in rows for row in side)


def _are_in_turn(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Whether the file has one side after the other; in tables it mostly alternates row by row."""
    ordered = sorted([*[(item.index, 0) for item in left], *[(item.index, 1) for item in right]])
    changes = sum([a[1] != b[1] for a, b in pairwise(ordered)])
    return changes <= max(1, SIDE_CHANGES * min(len(left), len(right)))


def _are_unpaired(rows: Sequence[Sequence[Item]], others: Sequence[Sequence[Item]]) -> bool:
    """Whether rows of one side are vertically between rows of the other, which does not occur in tables."""
    rows, others = sorted((rows, others), key=len)
    if len(rows) < MANY_ROWS:
        return False
    unpaired = sum(not any(_on_one_line(row[0], other[0]) for other in others) for row in rows)
    return unpaired >= UNPAIRED_ROWS * len(rows)


def _on_one_line(a: Item, b: Item) -> bool:
    slack = SAME_LINE_EM * min(a.y1 - a.y0, b.y1 - b.y0)
    return abs(a.y1 - b.y1) <= slack or abs(a.y0 - b.y0) <= slack


def _gutters(rows: Sequence[Sequence[Item]]) -> Iterator[float]:
    """The x positions of gaps that are below each other in several rows, those in most rows first."""
    gaps = [
        (left.x1, right.x0)
        for row in rows
        if len(row) > 1
        for left, right in itertools.pairwise(sorted(row, key=_from_left))
        if right.x0 - left.x1 >= MIN_GUTTER_PT
    ]
    for _ in range(MAX_GUTTERS):
        gutter = _best_gutter(gaps)
        if gutter is None:
            return
        yield gutter
        gaps = [gap for gap in gaps if not gap[0] <= gutter <= gap[1]]


def _best_gutter(gaps: Sequence[tuple[float, float]]) -> float | None:
    """The x that lies in most gaps."""
    if len(gaps) < MIN_ROWS:
        return None
    events = sorted([*((x0, 1) for x0, _ in gaps), *((x1, -1) for _, x1 in gaps)], key=lambda e: (e[0], -e[1]))
    best, count, at = 0, 0, 0.0
    end = 0.0
    for position, (x, step) in enumerate(events):
        count += step
        if count > best:
            best, at = count, x
            end = events[position + 1][0]
    return (at + end) / 2 if best >= MIN_ROWS else None


def _zones(rows: Sequence[list[Item]], bars: Sequence[Bar], gutter: float) -> list[list[Item]]:
    """Runs of rows that do not cross the gutter, and runs of rows that do; a crossing rule ends a run too."""
    cuts = sorted(y for x0, x1, y in bars if x0 < gutter < x1)
    zones: list[list[Item]] = []
    state: tuple[bool, int] | None = None
    for row in rows:
        crossing = any(item.x0 < gutter - 1 and item.x1 > gutter + 1 for item in row)
        here = (crossing, bisect(cuts, (row[0].y0 + row[0].y1) / 2))
        if here != state:
            zones.append([])
            state = here
        zones[-1] += row
    return zones


def _is_gapped(rows: Sequence[Sequence[Item]]) -> bool:
    """Many rows of several pieces that no further columns of prose explain: cells of a table."""
    gapped = sum(any(_is_gap(a, b, first=a is row[0]) for a, b in pairwise(_by_x(row))) for row in rows)
    if gapped <= GAPPED_ROWS * len(rows):
        return False
    gutter = next(_gutters(rows), None)
    items = [item for row in rows for item in row]
    left = [item for item in items if gutter is not None and item.x1 <= gutter + 1]
    right = [item for item in items if gutter is not None and item.x0 >= gutter - 1]
    return not (_is_prose(visual_rows(left)) and _is_prose(visual_rows(right)))


def _is_gap(left: Item, right: Item, first: bool) -> bool:
    """Whether there is a gap between cells; the gap after a row's bullet or number is not one."""
    return right.x0 - left.x1 > GAP_EM * (left.y1 - left.y0) and not (first and left.characters <= MARK_CHARACTERS)


def _by_x(row: Sequence[Item]) -> list[Item]:
    return sorted(row, key=_from_left) if len(row) > 1 else list(row)


def _is_prose(rows: Sequence[Sequence[Item]], least: int = MIN_ROWS) -> bool:
    if len(rows) < least:
        return False
    side = [item for row in rows for item in row]
    left = min([item.x0 for item in side])
    width = max([item.x1 for item in side]) - left
    filled = sum([max([i.x1 for i in row]) - min([i.x0 for i in row]) >= FILLED_WIDTH * width for row in rows])
    if filled < FILLED_ROWS * len(rows):
        return False
    wide = sum([item.wide for item in side]) * 2 > len(side)
    characters = sum([item.characters for item in side]) / len(rows)
    return characters >= (PROSE_CHARACTERS_CJK if wide else PROSE_CHARACTERS) and not _is_gapped(rows)
