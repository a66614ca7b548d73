"""Boxes to tick whose outline is a circle or has round corners: the library lists only the extent of such a path, so
the paths themselves are read, on pages that have some of that size.

Circles are also the marks of a chart: they are boxes only where most of a page's circles have words beside them.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pymupdf

from shared.readers.pdf.drawings import Extent
from shared.readers.pdf.lines import PdfLine

# A smaller circle is the mark of a list.
MIN_CIRCLE_PT = 6.0
# A page with more drawings, or more that may be round boxes, has diagrams.
MAX_DRAWINGS, MAX_ROUND = 5000, 200
# How far the ends of a circle's pieces are off it (share of its radius), straight sides off the edge and how long they
# are (share of the side), and the extent of a path with its pen off that of its drawing (points).
OFF_CIRCLE, OFF_EDGE, STRAIGHT, OFF_EXTENT_PT = 0.06, 0.05, 0.4, 0.25
# Greatest gap between a circle and the words beside it, in sides.
BESIDE = 1.5


class RoundBox(NamedTuple):
    """An outline, or only an area (`filled`), in points of the unrotated page."""

    box: Extent
    filled: bool
    circle: bool


def find_round_boxes(
    page: pymupdf.Page, small: Sequence[dict[str, Any]], count: int, lines: Sequence[PdfLine]
) -> list[RoundBox]:
    """The round ones among the `small` drawings of about equal sides; `count` is how many drawings the page has."""
    curved = [vector for vector in small if not vector["isrect"]]
    if not curved or count > MAX_DRAWINGS or len(curved) > 2 * MAX_ROUND:
        return []
    drawings: Any = page.get_cdrawings()
    widest = max(max(v["bbox"][2] - v["bbox"][0], v["bbox"][3] - v["bbox"][1]) for v in curved) + OFF_EXTENT_PT
    paths = [path for path in drawings if len(path["items"]) >= 4 and _side(path["rect"]) <= widest]
    found: dict[tuple[Extent, bool], RoundBox] = {}
    for vector in curved:
        kinds = {_kind(path["items"], path["rect"]) for path in paths if _is_path_of(path, vector)}
        filled = not vector["stroked"]
        if "corners" in kinds or ("circle" in kinds and vector["bbox"][2] - vector["bbox"][0] >= MIN_CIRCLE_PT):
            box = tuple(vector["bbox"])
            found[box, filled] = RoundBox(box, filled, "corners" not in kinds)
    circles = [one for one in found.values() if one.circle and not one.filled]
    if 2 * sum(_has_words(one.box, lines) for one in circles) < len(circles):
        return [one for one in found.values() if not one.circle]
    return [*found.values()]


def _side(rect: Extent) -> float:
    return max(rect[2] - rect[0], rect[3] - rect[1])


def _is_path_of(path: dict[str, Any], vector: dict[str, Any]) -> bool:
    if vector["stroked"] and "s" not in path["type"]:
        return False
    x0, y0, x1, y1 = path["rect"]
    half = (path.get("width") or 0.0) / 2 if vector["stroked"] else 0.0
    extent = x0 - half, y0 - half, x1 + half, y1 + half
    return all(abs(a - b) <= OFF_EXTENT_PT for a, b in zip(extent, vector["bbox"], strict=True))


def _kind(items: Sequence[Any], rect: Extent) -> str:
    """`circle`, `corners` for straight sides joined by curves, or nothing of both."""
    x, y, side = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2, max(rect[2] - rect[0], rect[3] - rect[1])
    if all(item[0] == "c" for item in items):
        ends = [end for item in items for end in (item[1], item[4])]
        radius = side / 2
        return "circle" if all(abs(math.dist((x, y), end) - radius) <= OFF_CIRCLE * radius for end in ends) else ""
    straight = [(item[1], item[2]) for item in items if item[0] == "l" and math.dist(item[1], item[2]) > 0.1]
    edges = {_edge(a, b, rect, OFF_EDGE * side) for a, b in straight if math.dist(a, b) >= STRAIGHT * side}
    curves = sum(item[0] == "c" for item in items)
    return "corners" if len(straight) == 4 and edges == {0, 1, 2, 3} and curves >= 4 else ""


def _edge(a: Sequence[float], b: Sequence[float], rect: Extent, slack: float) -> int | None:
    """Which edge of the rectangle the straight piece lies along."""
    return next((n for n in range(4) if all(abs(end[n % 2] - rect[n]) <= slack for end in (a, b))), None)


def _has_words(box: Extent, lines: Sequence[PdfLine]) -> bool:
    return any(_is_beside(box, (line.x0, line.y0, line.x1, line.y1)) for line in lines)


def _is_beside(box: Extent, words: Extent) -> bool:
    """Whether the middle of the box is level with the words, or upright with them, and they are near."""
    reach = BESIDE * max(box[2] - box[0], box[3] - box[1])
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    level = words[1] <= y <= words[3] and max(words[0] - box[2], box[0] - words[2]) <= reach
    return level or (words[0] <= x <= words[2] and max(words[1] - box[3], box[1] - words[3]) <= reach)
