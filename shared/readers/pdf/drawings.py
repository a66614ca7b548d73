"""The drawings of a page: rules (lines, thin rectangles), shaded rectangles, and clusters of other shapes."""

from collections.abc import Iterable, Sequence
from typing import Any

Extent = tuple[float, float, float, float]

THIN_PT = 3.0
MIN_RULE_PT = 6.0
MIN_FILL_PT = 5.0
WHITE = 0xFE
CELL_PT = 12.0
MIN_FIGURE_PT = 24.0
MIN_SHAPES = 3
# Greatest distance between swatches of a panel, in their widths; more rectangles than the limit are a pattern.
PANEL_GAP = 1.5
MAX_RECTANGLES = 300


def classify(
    vectors: Iterable[dict[str, Any]], width: float, height: float
) -> tuple[list[Extent], list[Extent], list[Extent], list[Extent]]:
    """Rules, fills, other shapes, and the frames whose sides are among the rules, of vector blocks, each as
    (x0, y0, x1, y1)."""
    rules: list[Extent] = []
    fills: list[Extent] = []
    shapes: list[Extent] = []
    frames: list[Extent] = []
    for vector in vectors:
        x0, y0, x1, y1 = vector["bbox"]
        w, h = x1 - x0, y1 - y0
        white = _is_white(vector["color"]) or vector["alpha"] == 0
        if x1 < 0 or y1 < 0 or x0 > width or y0 > height or (white and not vector["stroked"]):
            continue
        if min(w, h) <= THIN_PT:
            if max(w, h) >= MIN_RULE_PT:
                rules.append((x0, y0, x1, y1))
        elif not vector["isrect"]:
            shapes.append((x0, y0, x1, y1))
        elif w * h > 0.8 * width * height:
            continue  # a page background or border
        elif vector["stroked"]:
            rules += [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]
            frames.append((x0, y0, x1, y1))
        elif w >= MIN_FILL_PT and h >= MIN_FILL_PT:
            fills.append((x0, y0, x1, y1))
    return rules, fills, shapes, frames


def thin(boxes: Iterable[Extent]) -> list[Extent]:
    """Those of the boxes that are as thin and as long as a rule."""
    return [
        b for b in boxes if min(b[2] - b[0], b[3] - b[1]) <= THIN_PT and max(b[2] - b[0], b[3] - b[1]) >= MIN_RULE_PT
    ]


def _is_white(color: int) -> bool:
    return all((color >> shift) & 0xFF >= WHITE for shift in (0, 8, 16))


def merge_rules(rules: Sequence[Extent]) -> tuple[list[Extent], list[Extent]]:
    """Horizontal and vertical rules as centre lines, pieces of one line joined (gaps up to 2 pt)."""
    horizontal = [
        (y0, x0, x1) if y0 == y1 else ((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in rules if x1 - x0 >= y1 - y0
    ]
    vertical = [((x0 + x1) / 2, y0, y1) for x0, y0, x1, y1 in rules if x1 - x0 < y1 - y0]
    return (
        [(a, c, b, c) for c, a, b in _merge(horizontal)],
        [(c, a, c, b) for c, a, b in _merge(vertical)],
    )


def _merge(lines: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Joins collinear pieces; each is (position, start, end)."""
    merged: list[list[tuple[float, float, float]]] = []
    for line in sorted(lines):
        if merged and line[0] - merged[-1][-1][0] <= 1.5 and line[0] - merged[-1][0][0] <= 3:
            merged[-1].append(line)
        else:
            merged.append([line])
    return [joined for group in merged for joined in _merge_group(group)]


def _merge_group(group: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    at = sum(line[0] for line in group) / len(group)
    joined: list[tuple[float, float, float]] = []
    for _, start, end in sorted(group, key=lambda line: line[1:]):
        if joined and start - joined[-1][2] <= 2:
            joined[-1] = (at, joined[-1][1], max(end, joined[-1][2]))
        else:
            joined.append((at, start, end))
    return joined


def cluster(shapes: Sequence[Extent], others: Sequence[Extent], width: float) -> list[Extent]:
    """Boxes around connected drawing that holds at least one shape besides rules and rectangles.

    Rules across most of the page (`width`) separate text and belong to no drawing.
    """
    if not shapes:
        return []
    drawn = [*shapes, *[o for o in others if o[2] - o[0] < 0.8 * width]]
    found: list[Extent] = []
    for members in _components(drawn):
        box = _around([drawn[i] for i in members])
        figured = any(i < len(shapes) for i in members) and len(members) >= MIN_SHAPES
        if figured and box[2] - box[0] >= MIN_FIGURE_PT and box[3] - box[1] >= MIN_FIGURE_PT:
            found.append(box)
    return _disjoint(found)


def panels(boxes: Sequence[Extent], texts: Sequence[Extent]) -> list[Extent]:
    """Boxes around groups of empty, separate rectangles (swatches, flags, blocks of a diagram). Table cells, in
    contrast, touch each other, and some have text."""
    large = [box for box in boxes if box[2] - box[0] >= MIN_FIGURE_PT and box[3] - box[1] >= MIN_FIGURE_PT]
    if len(large) > MAX_RECTANGLES:
        return []
    outer = [box for box in large if not any(o != box and _holds(o, box) for o in large)]
    empty = [box for box in dict.fromkeys(outer) if not any(_touches(box, text) for text in texts)]
    apart = [box for box in empty if not any(o not in empty and _touches(_grown(box, THIN_PT), o) for o in outer)]
    groups: list[list[Extent]] = []
    for box in apart:
        near = [g for g in groups if any(_touches(_grown(box, PANEL_GAP * (box[2] - box[0])), o) for o in g)]
        groups = [g for g in groups if g not in near] + [[box, *[o for g in near for o in g]]]
    return [_around(group) for group in groups if len(_disjoint(group)) > 1]


def _grown(box: Extent, by: float) -> Extent:
    return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)


def _touches(a: Extent, b: Extent) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _holds(outer: Extent, inner: Extent) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _disjoint(boxes: list[Extent]) -> list[Extent]:
    """Boxes that overlap become one."""
    joined: list[Extent] = []
    for box in sorted(boxes):
        touching = [j for j in joined if j[0] <= box[2] and box[0] <= j[2] and j[1] <= box[3] and box[1] <= j[3]]
        joined = [j for j in joined if j not in touching]
        joined.append(_around([box, *touching]))
    return joined


def _components(shapes: Sequence[Extent]) -> list[list[int]]:
    """Shapes connected over a grid of CELL_PT cells, so that the work grows with the shapes, not their pairs."""
    owner: dict[tuple[int, int], int] = {}
    parent = list(range(len(shapes)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, (x0, y0, x1, y1) in enumerate(shapes):
        for column in range(int(x0 // CELL_PT), int(x1 // CELL_PT) + 2):
            for row in range(int(y0 // CELL_PT), int(y1 // CELL_PT) + 2):
                other = owner.setdefault((column, row), i)
                if other != i:
                    parent[root(i)] = root(other)
    groups: dict[int, list[int]] = {}
    for i in range(len(shapes)):
        groups.setdefault(root(i), []).append(i)
    return list(groups.values())


def _around(boxes: Sequence[Extent]) -> Extent:
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
