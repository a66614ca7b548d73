"""Separates the labels of drawings from the text beside them: a chart's axis would be read into the neighbouring
column."""

from collections.abc import Sequence

from shared.readers.pdf.drawings import Extent
from shared.readers.reading_order import Bar, Item, reading_order

MIN_WIDTH_PT = 72.0
MIN_HEIGHT_PT = 48.0
# A label is inside the drawing, or at most this long and at most this many of its heights away.
LABEL_CHARACTERS = 14
NEAR = 1.0
MIN_LABELS = 3
PROSE_CHARACTERS = 25


def order_around_figures(items: Sequence[Item], figures: Sequence[Extent], bars: Sequence[Bar], rtl: bool) -> list[int]:
    """`reading_order` of all items, with the labels of each drawing that stands beside text in one piece, after the
    text above it."""
    groups: list[tuple[Extent, list[Item]]] = []
    rest = list(items)
    for figure in figures:
        labels = _labels(rest, figure) if _is_apart(figure, bars) else []
        others = [item for item in rest if item not in labels]
        if len(labels) >= MIN_LABELS and _stands_beside(labels, others):
            groups.append((figure, labels))
            rest = others
    order = reading_order(rest, bars, rtl)
    by_index = {item.index: item for item in items}
    for figure, labels in groups:
        at = _place(figure, [by_index[index] for index in order])
        order[at:at] = reading_order(labels, (), rtl)
    return order


def _is_apart(figure: Extent, bars: Sequence[Bar]) -> bool:
    """Large enough, and no rule runs out of it, as one of a table would."""
    x0, y0, x1, y1 = figure
    if x1 - x0 < MIN_WIDTH_PT or y1 - y0 < MIN_HEIGHT_PT:
        return False
    return not any(y0 < y < y1 and (left < x0 - 3 < right or left < x1 + 3 < right) for left, right, y in bars)


def _labels(items: Sequence[Item], figure: Extent) -> list[Item]:
    return [item for item in items if not item.vertical and (_is_inside(item, figure) or _is_label(item, figure))]


def _is_inside(item: Item, figure: Extent) -> bool:
    x0, y0, x1, y1 = figure
    return x0 - 1 <= item.x0 and item.x1 <= x1 + 1 and y0 - 1 <= item.y0 and item.y1 <= y1 + 1


def _is_label(item: Item, figure: Extent) -> bool:
    x0, y0, x1, y1 = figure
    reach = NEAR * (item.y1 - item.y0)
    across, down = max(x0 - item.x1, item.x0 - x1), max(y0 - item.y1, item.y0 - y1)
    return item.characters <= LABEL_CHARACTERS and across <= reach and down <= reach


def _stands_beside(labels: Sequence[Item], others: Sequence[Item]) -> bool:
    """At least three lines of prose stand beside the labels, none of them among the labels."""
    top, bottom = min(item.y0 for item in labels), max(item.y1 for item in labels)
    left, right = min(item.x0 for item in labels), max(item.x1 for item in labels)
    level = [item for item in others if top <= (item.y0 + item.y1) / 2 <= bottom]
    beside = [item for item in level if item.x0 >= right - 2 or item.x1 <= left + 2]
    return len(beside) == len(level) and sum(item.characters >= PROSE_CHARACTERS for item in beside) >= 3


def _place(figure: Extent, ordered: Sequence[Item]) -> int:
    """The index after the last item above the figure in its column, or else before the first one below."""
    x0, y0, x1, _ = figure
    column = [n for n, item in enumerate(ordered) if min(item.x1, x1) - max(item.x0, x0) > 0]
    above = [n for n in column if (ordered[n].y0 + ordered[n].y1) / 2 <= y0]
    below = [n for n in column if (ordered[n].y0 + ordered[n].y1) / 2 > y0]
    return max(above) + 1 if above else min(below, default=len(ordered))
