"""Reading order: columns one after the other where the page is set in columns, rows from the top elsewhere.

A gutter counts as one between columns only where both sides read like prose (lines that fill their side), because
the gaps between the cells of a table look the same otherwise. Lines and rules that cross the gutter end its zone.
"""

import itertools
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# A side is prose when half of its rows fill this share of its width, with this many characters a row on average.
FILLED_WIDTH = 0.6
FILLED_ROWS = 0.5
PROSE_CHARACTERS = 14.0
PROSE_CHARACTERS_CJK = 6.0
MIN_ROWS = 3
GAP_EM = 0.9
GAPPED_ROWS = 0.3
MARK_CHARACTERS = 7
MIN_GUTTER_PT = 5.0
MAX_DEPTH = 4


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


def reading_order(items: Sequence[Item], bars: Sequence[Bar] = ()) -> list[int]:
    """The `index` of every item, in reading order."""
    upright = [item for item in items if not item.vertical]
    columns = [item for item in items if item.vertical]
    ordered = _order(upright, bars, 0)
    ordered += sorted(columns, key=lambda item: (-item.x1, item.y0))
    if columns and len(columns) > len(upright):  # vertical script: columns from the right, the rest after them
        ordered = ordered[len(upright) :] + ordered[: len(upright)]
    return [item.index for item in ordered]


def visual_rows(items: Sequence[Item]) -> list[list[Item]]:
    """Items that stand side by side, from the top; within a row from the left (from the right where it is RTL)."""
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
            rtl = sum([item.rtl for item in row]) * 2 > len(row)
            row.sort(key=_from_right if rtl else _from_left)
    return rows


def _from_left(item: Item) -> float:
    return item.x0


def _from_right(item: Item) -> float:
    return -item.x1


def _shares_row(first: Item, item: Item) -> bool:
    overlap = min(first.y1, item.y1) - max(first.y0, item.y0)
    return overlap >= 0.4 * min(first.y1 - first.y0, item.y1 - item.y0)


def _order(items: Sequence[Item], bars: Sequence[Bar], depth: int) -> list[Item]:
    rows = visual_rows(items)
    gutter = _best_gutter(rows) if depth < MAX_DEPTH and len(items) >= 2 * MIN_ROWS else None
    if gutter is None:
        return [item for row in rows for item in row]
    ordered: list[Item] = []
    for zone in _zones(rows, bars, gutter):
        left = [item for item in zone if item.x1 <= gutter + 1]
        right = [item for item in zone if item.x1 > gutter + 1]
        if _is_prose(left) and _is_prose(right):
            sides = (right, left) if sum(item.rtl for item in zone) * 2 > len(zone) else (left, right)
            ordered += _order(sides[0], bars, depth + 1) + _order(sides[1], bars, depth + 1)
        else:
            ordered += [item for row in visual_rows(zone) for item in row]
    return ordered


def _best_gutter(rows: Sequence[Sequence[Item]]) -> float | None:
    """The x that lies in the gap between neighbours of most rows."""
    events: list[tuple[float, int]] = []
    for row in rows:
        if len(row) == 1:
            continue
        for left, right in itertools.pairwise(sorted(row, key=_from_left)):
            if right.x0 - left.x1 >= MIN_GUTTER_PT:
                events += [(left.x1, 1), (right.x0, -1)]
    if len(events) < 2 * MIN_ROWS:
        return None
    events.sort(key=lambda event: (event[0], -event[1]))
    best, count, at = 0, 0, 0.0
    end = 0.0
    for position, (x, step) in enumerate(events):
        count += step
        if count > best:
            best, at = count, x
            end = events[position + 1][0]
    return (at + end) / 2 if best >= MIN_ROWS else None


def _zones(rows: Sequence[list[Item]], bars: Sequence[Bar], gutter: float) -> list[list[Item]]:
    """Runs of rows that keep clear of the gutter, and runs of rows that cross it; a crossing rule ends a run too."""
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
    gutter = _best_gutter(rows)
    items = [item for row in rows for item in row]
    left = [item for item in items if gutter is not None and item.x1 <= gutter + 1]
    right = [item for item in items if gutter is not None and item.x0 >= gutter - 1]
    return not (_is_prose(left) and _is_prose(right))


def _is_gap(left: Item, right: Item, first: bool) -> bool:
    """A gap between cells; one after the bullet or number that begins a row is none."""
    return right.x0 - left.x1 > GAP_EM * (left.y1 - left.y0) and not (first and left.characters <= MARK_CHARACTERS)


def _by_x(row: Sequence[Item]) -> list[Item]:
    return sorted(row, key=_from_left) if len(row) > 1 else list(row)


def _is_prose(side: Sequence[Item]) -> bool:
    rows = visual_rows(side)
    if len(rows) < MIN_ROWS or _is_gapped(rows):
        return False
    left = min(item.x0 for item in side)
    width = max(item.x1 for item in side) - left
    filled = sum([max([i.x1 for i in row]) - min([i.x0 for i in row]) >= FILLED_WIDTH * width for row in rows])
    characters = sum(item.characters for item in side) / len(rows)
    wide = sum(item.wide for item in side) * 2 > len(side)
    return filled >= FILLED_ROWS * len(rows) and characters >= (PROSE_CHARACTERS_CJK if wide else PROSE_CHARACTERS)
