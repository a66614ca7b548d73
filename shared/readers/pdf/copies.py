"""Lines that are drawn a second time at the same place, whole or with signs missing, as some writers do.

The PDF library leaves out a character that repeats the one just before it, not those of a line that is drawn again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

# Nobody sets the same sign twice within a tenth of its size, unless to draw it again (printed bold).
SAME_EM = 0.1
# Lines of one row whose boxes overlap by less than this part of their type size may stand beside each other.
APART_EM = 0.2

# A line's block, and its position in it.
Place = tuple[int, int]


def copies_in(blocks: Sequence[dict[str, Any]], read_characters: Callable[[], list[dict[str, Any]]]) -> set[Place]:
    """Block and position of the lines whose every sign is drawn by another line too, at the same place. Of two that
    have the same signs the first stays. `read_characters` gives the same blocks with `chars`; asked if lines overlap.
    """
    pairs = list(_overlapping(blocks))
    if not pairs:
        return set()
    raw = read_characters()
    copies = set[Place]()
    for first, second in pairs:
        if first in copies or second in copies:
            continue
        one, other = (_signs(raw[block]["lines"][position]) for block, position in (first, second))
        if _is_within(other, one):
            copies.add(second)
        elif _is_within(one, other):
            copies.add(first)
    return copies


def _overlapping(blocks: Sequence[dict[str, Any]]) -> Iterator[tuple[Place, Place]]:
    """Pairs of upright lines of one height and base line that lie over each other, in the order of the file."""
    rows: dict[tuple[float, float], list[tuple[float, float, Place]]] = defaultdict(list)
    for number, block in enumerate(blocks):
        if block["type"] == 0:
            for position, line in enumerate(block["lines"]):
                if not any(span["text"].strip() for span in line["spans"]):
                    continue
                x0, y0, x1, y1 = line["bbox"]
                rows[round(y0, 1), round(y1, 1)].append((x0, x1, (number, position)))
    for (top, bottom), row in rows.items():
        row.sort()
        slack = APART_EM * (bottom - top)
        open_: list[tuple[float, Place]] = []
        for x0, x1, place in row:
            open_ = [(end, earlier) for end, earlier in open_ if end > x0 + slack]
            yield from ((min(earlier, place), max(earlier, place)) for _, earlier in open_)
            open_.append((x1, place))


def _signs(line: dict[str, Any]) -> list[tuple[str, float, float, float]]:
    """Each sign with ink, where it is drawn, and its tolerance in points."""
    return [
        (one["c"], *one["origin"], SAME_EM * span["size"])
        for span in line["spans"]
        for one in span["chars"]
        if not one["c"].isspace()
    ]


def _is_within(
    signs: Sequence[tuple[str, float, float, float]], others: Sequence[tuple[str, float, float, float]]
) -> bool:
    there: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for sign, x, y, _ in others:
        there[sign].append((x, y))
    return all(
        any(abs(x - at_x) <= slack and abs(y - at_y) <= slack for at_x, at_y in there.get(sign, ()))
        for sign, x, y, slack in signs
    )
