"""Finding lines of text: from the detector's map of probabilities to upright boxes, and the page's slant."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
# The published settings of the detector (PP-OCRv6 det): map threshold, mean score of a region, growth of a region,
# which was trained to be smaller than the text by this ratio.
PIXEL_THRESHOLD = 0.3
REGION_THRESHOLD = 0.5
UNCLIP_RATIO = 1.6
MIN_SIDE_PX = 3
# Only regions this much longer than high tell a slant; beyond this slant a page is no upright scan.
ELONGATED = 4.0
MAX_SLANT = math.radians(15)


class TextRegion(NamedTuple):
    """A line of text in pixels of the map turned by the page's slant."""

    x0: float
    y0: float
    x1: float
    y1: float


class _Component(NamedTuple):
    """A connected region as runs: rows, first and last-but-one columns."""

    y: npt.NDArray[np.int64]
    x0: npt.NDArray[np.int64]
    x1: npt.NDArray[np.int64]


def find_regions(probability: Floats) -> tuple[list[TextRegion], float]:
    """Regions of text, in no order, and the slant (radians, clockwise as displayed) they are upright in.

    `probability` has shape (height, width). The turn is about the map's origin.
    """
    components = [c for c in _components(probability > PIXEL_THRESHOLD) if _score(c, probability) >= REGION_THRESHOLD]
    slant = _slant(components)
    grown = (_grow(_extent(component, slant)) for component in components)
    return [region for region in grown if region is not None], slant


def turn(x: Any, y: Any, slant: float) -> tuple[Any, Any]:
    """Where a point of the map lies in the frame in which lines are level; `-slant` turns back."""
    return x * math.cos(slant) + y * math.sin(slant), y * math.cos(slant) - x * math.sin(slant)


def _components(mask: npt.NDArray[np.bool_]) -> list[_Component]:
    """Connected regions, by joining runs of neighbouring rows that touch."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    for above, below in _touching(rows.tolist(), starts.tolist(), ends.tolist()):
        parent[root(above)] = root(below)
    groups: dict[int, list[int]] = {}
    for run in range(len(rows)):
        groups.setdefault(root(run), []).append(run)
    return [_Component(rows[g], starts[g], ends[g]) for g in groups.values()]


def _touching(rows: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of runs in successive rows that touch, corners included; runs come row by row, from the left."""
    pairs: list[tuple[int, int]] = []
    above = 0
    for below in range(len(rows)):
        while rows[above] < rows[below] - 1 or (rows[above] == rows[below] - 1 and ends[above] < starts[below]):
            above += 1
        at = above
        while rows[at] == rows[below] - 1 and starts[at] <= ends[below]:
            pairs.append((at, below))
            at += 1
    return pairs


def _score(component: _Component, probability: Floats) -> float:
    """Mean probability over the region."""
    total = sum(
        float(probability[y, x0:x1].sum()) for y, x0, x1 in zip(component.y, component.x0, component.x1, strict=True)
    )
    return total / float((component.x1 - component.x0).sum())


def _slant(components: Sequence[_Component]) -> float:
    """The median direction of the long regions, weighted by their length."""
    angles: list[tuple[float, float]] = []
    for y, x0, x1 in components:
        width, height = float(x1.max() - x0.min()), float(y.max() - y.min() + 1)
        if width >= ELONGATED * height * math.cos(MAX_SLANT):
            weight = (x1 - x0).astype(float)
            middle = (x0 + x1) / 2
            mx, my = np.average(middle, weights=weight), np.average(y, weights=weight)
            sxx = float(np.average((middle - mx) ** 2 + weight**2 / 12, weights=weight))
            syy = float(np.average((y - my) ** 2, weights=weight))
            sxy = float(np.average((middle - mx) * (y - my), weights=weight))
            angles.append((0.5 * math.atan2(2 * sxy, sxx - syy), width))
    angles.sort()
    half, passed = sum(width for _, width in angles) / 2, 0.0
    for angle, width in angles:
        passed += width
        if passed >= half:
            return angle if abs(angle) <= MAX_SLANT else 0.0
    return 0.0


def _extent(component: _Component, slant: float) -> TextRegion:
    xs = np.concatenate([component.x0, component.x1, component.x0, component.x1])
    ys = np.concatenate([component.y, component.y, component.y + 1, component.y + 1])
    u, v = turn(xs, ys, slant)
    return TextRegion(float(u.min()), float(v.min()), float(u.max()), float(v.max()))


def _grow(region: TextRegion) -> TextRegion | None:
    """The region grown back to the text's size; None for a speck."""
    w, h = region.x1 - region.x0, region.y1 - region.y0
    if min(w, h) < MIN_SIDE_PX:
        return None
    by = w * h * UNCLIP_RATIO / (2 * (w + h))
    return TextRegion(region.x0 - by, region.y0 - by, region.x1 + by, region.y1 + by)
