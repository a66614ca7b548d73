"""Small closed outlines in the ink of a picture: squares, squares with round corners, circles.

Two level edges lie above each other where an outline may be; then rays from its middle have to meet ink where its form
says. All coordinates are pixels.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# An edge is as long as the outline is high, but for this share, as a mark may lengthen it; the level part of an arc is
# a quarter of it or more.
UNEQUAL, ARC = 0.35, 0.25
# Centres of the two edges differ by at most this; an edge ends where the next row has less of it than that share.
APART_PX, GOES_ON = 3, 0.8
# Share of the rays that must meet ink at the outline; at first by eight of them.
CLOSED, CLOSED_FIRST = 0.9, 7
# Share of the rays aside that may meet ink right behind it: of a mark that leaves the outline, not of letters or lines.
BEYOND = 0.4
BEYOND_PX = 4.0
RAYS = np.linspace(0, 2 * np.pi, 48, endpoint=False)
ASIDE = RAYS[np.abs(np.cos(RAYS)) > np.abs(np.sin(RAYS))]
# Corners' radius as a share of half the side: a square, two roundings of it, a circle.
ROUND = (0.0, 0.4, 0.7, 1.0)
CIRCLE = 0.5  # from here on it is taken for one: blur rounds corners, and noise makes arcs uneven
# Middles nearer than this share of the sides are one.
NEAR = 0.6


class BoxOutline(NamedTuple):
    """Its middle and side; `form` is a place in `ROUND`."""

    x: float
    y: float
    side: float
    form: int

    @property
    def is_circle(self) -> bool:
        return ROUND[self.form] > CIRCLE


def find_outlines(ink: Mask, least: float, most: float) -> list[BoxOutline]:
    """The outlines with sides from `least` to `most`; of those around one middle the best closed, then the largest."""
    upright = _candidates(ink, least, most)
    turned = _candidates(np.ascontiguousarray(ink.T), least, most)
    candidates = np.concatenate([upright, turned[:, [1, 0, 2]]])
    if not len(candidates):
        return []
    near = _spread(ink)
    candidates = np.unique(candidates, axis=0)
    first = np.max([_met(near, candidates, form, RAYS[::6]) for form in ROUND], axis=0) * 8
    candidates = candidates[first >= CLOSED_FIRST]
    met = np.array([_met(near, candidates, form, RAYS) for form in ROUND])
    exact = np.array([_met(ink, candidates, form, RAYS) for form in ROUND])
    forms = (met + exact).argmax(axis=0) if len(candidates) else np.zeros(0, np.int64)
    kept: list[tuple[float, BoxOutline]] = []
    for at, form in enumerate(forms.tolist()):
        x, y, side = candidates[at].tolist()
        if met[form, at] < CLOSED:
            continue
        beyond = _met(ink, candidates[at : at + 1], ROUND[form], ASIDE, BEYOND_PX)[0]
        if beyond <= BEYOND:
            kept.append((round(float(met[form, at] + exact[form, at]), 1), BoxOutline(x, y, side, form)))
    return _apart([one for _, one in sorted(kept, key=lambda one: (-one[0], -one[1].side))])


def _apart(outlines: list[BoxOutline]) -> list[BoxOutline]:
    found: list[BoxOutline] = []
    for one in outlines:
        if not any(max(abs(one.x - o.x), abs(one.y - o.y)) < NEAR * (o.side + one.side) / 2 for o in found):
            found.append(one)
    return found


def _candidates(ink: Mask, least: float, most: float) -> Floats:
    """Rows of (x, y, side): middles between level edges above each other."""
    wide = ink.copy()
    wide[1:] |= ink[:-1]
    wide[:-1] |= ink[1:]
    wide[:, 1:-1] |= wide[:, :-2] & wide[:, 2:]
    y, x0, x1 = _runs(wide, ARC * least, (1 + UNEQUAL) * most)
    if not len(y):
        return np.zeros((0, 3))
    sums = np.pad(np.cumsum(wide, axis=1, dtype=np.int32), ((1, 1), (1, 0)))
    length = x1 - x0
    ends = [(sums[y + step, x1] - sums[y + step, x0]) < GOES_ON * length for step in (0, 2)]  # above, below
    top, bottom = _pairs(y, x0 + x1, ends[0], ends[1], least, most)
    side = (y[bottom] - y[top] - 1).astype(float)  # edges were widened by a row
    edge = (length[top] + length[bottom]) / 2
    fits = (edge >= ARC * side) & (edge <= (1 + UNEQUAL) * side)
    fits &= np.abs(length[top] - length[bottom]) <= UNEQUAL * side + 2
    middle = (x0[top] + x1[top] + x0[bottom] + x1[bottom]) / 4
    return np.stack([middle - 0.5, (y[top] + y[bottom]) / 2, side], axis=1)[fits]


def _runs(mask: Mask, least: float, most: float) -> tuple[Numbers, Numbers, Numbers]:
    """Row, first and last-but-one column of the level runs of such a length."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    y, x0 = np.nonzero(edges == 1)
    _, x1 = np.nonzero(edges == -1)
    fits = (x1 - x0 >= least) & (x1 - x0 <= most)
    return y[fits], x0[fits], x1[fits]


def _pairs(y: Numbers, x: Numbers, tops: Mask, bottoms: Mask, least: float, most: float) -> tuple[Numbers, Numbers]:
    """Places of upper and lower edges whose middles (`x` is twice them) are above each other in reach."""
    above, below = np.flatnonzero(tops), np.flatnonzero(bottoms)
    bucket, rows = 2 * APART_PX, int(y.max()) + int(most) + 8
    keys = (x[below] // bucket + 1) * rows + y[below]
    order = np.argsort(keys, kind="stable")
    below, keys = below[order], keys[order]
    found: list[tuple[Numbers, Numbers]] = []
    for step in (-1, 0, 1):
        at = (x[above] // bucket + 1 + step) * rows + y[above]
        low, high = np.searchsorted(keys, at + int(least)), np.searchsorted(keys, at + int(most) + 2, "right")
        count = np.maximum(high - low, 0)
        start = np.repeat(low - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        found.append((np.repeat(above, count), below[start + np.arange(count.sum())]))
    top, bottom = (np.concatenate(one) for one in zip(*found, strict=True))
    near = np.abs(x[top] - x[bottom]) <= 2 * APART_PX
    return top[near], bottom[near]


def _spread(ink: Mask) -> Mask:
    """The ink and all beside it."""
    padded = np.pad(ink, 1)
    height, width = ink.shape
    shifts = [padded[dy : dy + height, dx : dx + width] for dy in range(3) for dx in range(3)]
    return np.logical_or.reduce(shifts)


def reach(form: float, rays: Floats) -> Floats:
    """How far the outline of half a side 1 is from its middle along each ray; `form`: the radius of its corners."""
    across, down = np.abs(np.cos(rays)), np.abs(np.sin(rays))
    square = 1 / np.maximum(across, down)
    centre = 1 - form  # of the corner's arc, in both directions
    along = centre * (across + down)
    arc = along + np.sqrt(np.maximum(0, along**2 - 2 * centre**2 + form**2))
    in_corner = np.minimum(across, down) * square > centre
    return np.where(in_corner, arc, square) if form else square


def _met(mask: Mask, candidates: Floats, form: float, rays: Floats, out: float = 0.0) -> Floats:
    """The share of rays that meet the mask at the outline, or `out` pixels behind it."""
    height, width = mask.shape
    far = reach(form, rays)[None, :] * (candidates[:, 2:] / 2 - 0.5)
    hit = np.zeros(far.shape, bool)
    for off in (out - 1.5, out, out + 1.5):
        x = np.rint(candidates[:, :1] + (far + off) * np.cos(rays)).astype(np.int32).clip(0, width - 1)
        y = np.rint(candidates[:, 1:2] + (far + off) * np.sin(rays)).astype(np.int32).clip(0, height - 1)
        hit |= mask[y, x]
    return hit.mean(axis=1) if len(candidates) else np.zeros(0)
