"""Marks that stand alone (bullets, tick boxes, ® and ™) go with the text beside them and are no chunk of their own."""

from collections.abc import Sequence

from shared.extraction.page_view import Line

# Bullets and tick boxes stand before what they mark, in the same row; signs of rights behind it.
LEADING = frozenset(
    "\u2022\u2023\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2043\u2219\u00b7\u27a2\u27a4\uf0b7\uf0a7\uf0d8\uf076"
    "\u2610\u2611\u2612\u2713\u2714\u2717\u2718\uf06f\uf0a8\uf0fe"
)
TRAILING = frozenset("\u00ae\u2122\u2120\u00a9")
# How far from its text a mark may stand, in type sizes.
REACH_EM = 6.0


def attach_marks(groups: Sequence[list[Line]]) -> list[list[Line]]:
    """Adds each group that is only a mark to the nearest other group beside it and returns the marks that have none.

    The lists that got a mark are changed, and sorted by reading order.
    """
    texts = [group for group in groups if not is_mark(group)]
    alone: list[list[Line]] = []
    for mark in (group for group in groups if is_mark(group)):
        near = [(distance, at) for at, text in enumerate(texts) if (distance := _distance(mark, text)) is not None]
        if near:
            text = texts[min(near)[1]]
            text.extend(mark)
            text.sort(key=lambda line: line.order)
        else:
            alone.append(mark)
    return alone


def is_mark(group: Sequence[Line]) -> bool:
    """Whether the group is nothing but bullets, tick boxes or signs of rights."""
    first = group[0].text[:1]
    if first not in LEADING and first not in TRAILING and not first.isspace():
        return False  # as nearly every paragraph
    marks = {character for line in group for character in line.text if not character.isspace()}
    return bool(marks) and marks <= LEADING | TRAILING


def is_sign(line: Line) -> bool:
    """Whether the line is only signs of rights: set high and small, it interrupts no paragraph."""
    return is_mark([line]) and line.text[0] in TRAILING


def _distance(mark: Sequence[Line], text: Sequence[Line]) -> float | None:
    """The gap in points between a mark and the nearest line of `text` beside it; None out of reach.

    A mark prefers the side that its kind stands on: the other one counts twice.
    """
    one = mark[0]
    gaps: list[float] = []
    for line in text:
        level = min(one.y1, line.y1) - max(one.y0, line.y0) > 0.3 * min(one.height, line.height)
        behind = line.x0 - one.x1 if line.x0 >= one.x0 else one.x0 - line.x1
        gap = max(0.0, behind)
        if level and gap <= REACH_EM * max(one.size, line.size):
            usual = (line.x0 >= one.x0) == (one.text[0] in LEADING)
            gaps.append(gap if usual else 2 * gap + 1)
    return min(gaps, default=None)
