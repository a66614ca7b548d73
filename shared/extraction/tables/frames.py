"""Grids that drawn rules make: what touches belongs together, and cells with a frame each beside each other."""

from collections.abc import Container, Iterable, Sequence

from shared.extraction.tables.regions import FRAME_PT, TOUCH_PT, Region, Segment, inside_y

# Greatest gap between two pieces of one rule.
MAX_PIECE_GAP_PT = 6.0
# White between two cells with a frame each, at most.
BESIDE_PT = 4.0
# Height of white between two rules from which they are not one that is drawn twice.
LOWEST_ROW_PT = 12.0


def find_grids(horizontal: Sequence[Segment], vertical: Sequence[Segment], drawn: Container[Segment]) -> list[Region]:
    """The grids without what divides nothing: rules drawn twice, tops of frames whose sides are drawn in pieces, rows
    of a table between rules. `drawn` are the rules that are not the edges of shadings."""
    grids = [one for one in _grids(horizontal, vertical) if not _is_double_rule(one)]
    grids = [one for one in grids if not _is_broken_frame(one, horizontal, vertical)]
    outside = rules_outside(horizontal, grids)
    return [one for one in grids if not _is_row(one, outside, drawn)]


def rules_outside(rules: Sequence[Segment], regions: Sequence[Region]) -> list[Segment]:
    """The rules outside of regions."""
    return [h for h in rules if not any(inside_y(h[0], r) and h[1] < r.x1 and h[2] > r.x0 for r in regions)]


def _grids(horizontal: Sequence[Segment], vertical: Sequence[Segment]) -> list[Region]:
    """Boxes around rules that touch, or are the sides of neighbouring cells with a frame each: at least two in one
    direction and one in the other."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, (y, x0, x1) in enumerate(horizontal):
        for j, (x, y0, y1) in enumerate(vertical, len(horizontal)):
            if x0 - TOUCH_PT <= x <= x1 + TOUCH_PT and y0 - TOUCH_PT <= y <= y1 + TOUCH_PT:
                parent[root(i)] = root(j)
    sides: list[Segment] = []
    for i, j in _near_pairs(vertical):
        left, right = vertical[i], vertical[j]
        if any(_ends_at(h, left, 2) for h in horizontal) and any(_ends_at(h, right, 1) for h in horizontal):
            parent[root(len(horizontal) + i)] = root(len(horizontal) + j)
            sides += [left, right]
    for i, j in _near_pairs(horizontal) if sides else ():
        if all(any(_ends_at(horizontal[at], side, end) for side in sides for end in (1, 2)) for at in (i, j)):
            parent[root(i)] = root(j)
    groups: dict[int, tuple[list[Segment], list[Segment]]] = {}
    for i, segment in enumerate(horizontal):
        groups.setdefault(root(i), ([], []))[0].append(segment)
    for j, segment in enumerate(vertical, len(horizontal)):
        groups.setdefault(root(j), ([], []))[1].append(segment)
    return [_grid(h, v) for h, v in groups.values() if (len(h) >= 2 and len(v) >= 1) or (len(v) >= 2 and len(h) >= 1)]


def _near_pairs(rules: Sequence[Segment]) -> Iterable[tuple[int, int]]:
    """The places of each two parallel rules of the same length that hardly any white is between."""
    order = sorted(range(len(rules)), key=rules.__getitem__)
    for n, i in enumerate(order):
        at, start, end = rules[i]
        for j in order[n + 1 :]:
            if rules[j][0] - at > BESIDE_PT:
                break
            if abs(rules[j][1] - start) <= TOUCH_PT and abs(rules[j][2] - end) <= TOUCH_PT:
                yield i, j


def _ends_at(rule: Segment, side: Segment, end: int) -> bool:
    """Whether the left (1) or right (2) end of the horizontal rule is at the upright one."""
    x, top, bottom = side
    return abs(rule[end] - x) <= TOUCH_PT and top - TOUCH_PT <= rule[0] <= bottom + TOUCH_PT


def _grid(horizontal: list[Segment], vertical: list[Segment]) -> Region:
    return Region(
        "grid",
        x0=min(min(h[1] for h in horizontal), min(v[0] for v in vertical)),
        y0=min(min(v[1] for v in vertical), min(h[0] for h in horizontal)),
        x1=max(max(h[2] for h in horizontal), max(v[0] for v in vertical)),
        y1=max(max(v[2] for v in vertical), max(h[0] for h in horizontal)),
        horizontal=horizontal,
        vertical=vertical,
    )


def _is_double_rule(grid: Region) -> bool:
    """Whether it is too low for text: rules drawn twice, with the pieces of sides that lie between."""
    return grid.y1 - grid.y0 < LOWEST_ROW_PT


def _is_row(grid: Region, outside: Sequence[Segment], drawn: Container[Segment]) -> bool:
    """Whether the grid is one row of cells between two drawn rules that are as wide as others outside of grids: a row,
    shaded or with sides, of the table between these."""
    ends = [h for h in grid.horizontal if h in drawn]
    same = [h for h in outside if abs(h[1] - grid.x0) <= FRAME_PT and abs(h[2] - grid.x1) <= FRAME_PT]
    return (
        grid.y1 - grid.y0 < 2 * LOWEST_ROW_PT
        and all(any(abs(h[0] - y) <= TOUCH_PT for h in ends) for y in (grid.y0, grid.y1))
        and len(same) > 1
    )


def _is_broken_frame(grid: Region, horizontal: Sequence[Segment], vertical: Sequence[Segment]) -> bool:
    """Whether the grid is the top of a frame whose sides are drawn in pieces, row by row, and go on below it, with
    nothing but its sides upright: such sides divide nothing, and what its horizontal rules divide is told by them."""
    sides = [v for v in vertical if v[2] > grid.y0 and any(abs(v[0] - x) <= TOUCH_PT for x in (grid.x0, grid.x1))]
    inner = [
        v for v in vertical if grid.x0 + TOUCH_PT < v[0] < grid.x1 - TOUCH_PT and v[1] < grid.y1 and v[2] > grid.y0
    ]
    below = [v for v in sides if 0 < v[1] - grid.y1 <= MAX_PIECE_GAP_PT]
    return not inner and len({round(v[0] - grid.x0 > TOUCH_PT) for v in below}) == 2
