"""The columns of a table: bounded by vertical rules, and by gaps that run through (nearly) all of its rows."""

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from shared.extraction.page_view import Line, rows_of
from shared.extraction.tables.regions import Region, text_end
from shared.extraction.tables.rows import SIGNED, is_figure

Column = tuple[float, float]

# Share of the rows that may cross a gutter: titles and headers that span columns.
MAX_CROSSED = 0.2
MIN_GUTTER_PT = 3.0
MIN_COVERED = 0.5
# Mean number of text rows between two horizontal rules above which cells have several lines.
MAX_ROWS_RULED_OFF = 1.5
# Share of a slab's lines that have numbers beside something else, from which they are rows of their own.
FIGURES_SHARE = 0.5
NEAR_PT = 3.0
# Greatest distance of a header's rules from the edges of its table.
SAME_EDGE_PT = 12.0
# Greatest distance of the two lines of a double rule.
DOUBLE_PT = 4.0
# How many rows of words above a column may lie in the gap beside it.
HEADER_ROWS = 4
_LEADING = re.compile(rf"^(?:[$€£¥(]+|{SIGNED})$", re.I)
_TRAILING = re.compile(r"^[%)]+$")


def find_columns(lines: Sequence[Line], region: Region) -> list[Column]:
    """Returns the columns from left to right as (x0, x1), meeting in the middle of their gutters."""
    if not lines:
        return []
    left = min([region.x0, *[line.x0 for line in lines]])
    right = max([region.x1, *[line.x1 for line in lines]])
    ruled = _ruled_edges(region, left, right)
    slabs = _slabs(lines, region, ruled)
    heads = [line for line in region.lines if line.order in region.heads]
    gutters = [x for slab in slabs for x in _gutters(slab, heads, whole=slab is lines)]
    gutters += _underlined_edges(lines, region, gutters) if region.kind != "grid" else []
    edges = sorted([*ruled, *[x for x in gutters if not any(abs(x - r) < NEAR_PT for r in ruled)]])
    edges = _without_empty([left - 1, *edges, right + 1], lines, ruled)
    edges = _without_symbols(edges, lines, ruled)
    gaps = _gaps_of_underlines(region)
    edges = [edges[0], *[x if x in ruled else _between_underlines(x, lines, gaps) for x in edges[1:-1]], edges[-1]]
    return list(itertools.pairwise(edges))


def _gaps_of_underlines(region: Region, *, whole: bool = False) -> list[Column]:
    """The gaps between pieces of rules at one height, those of the height with most pieces first: below a header each
    column has its own piece. `whole`: those of the first height alone, where its pieces are over all of the region."""
    levels: dict[int, list[Column]] = {}
    for y, x0, x1 in region.horizontal:
        levels.setdefault(round(y), []).append((x0, x1))
    if whole:
        levels = {y: pieces for y, pieces in levels.items() if _is_across(pieces, region)}
    gaps = [
        [(a[1], b[0]) for a, b in pairwise(sorted(pieces)) if b[0] - a[1] >= MIN_GUTTER_PT]
        for pieces in levels.values()
    ]
    gaps = sorted(gaps, key=len, reverse=True)
    return [gap for found in (gaps[:1] if whole else gaps) for gap in found]


def _is_across(pieces: Sequence[Column], region: Region) -> bool:
    """Whether the pieces begin and end with the region."""
    left, right = min(x0 for x0, _ in pieces), max(x1 for _, x1 in pieces)
    return left <= region.x0 + SAME_EDGE_PT and right >= region.x1 - SAME_EDGE_PT


def _underlined_edges(lines: Sequence[Line], region: Region, gutters: Sequence[float]) -> list[float]:
    """The gaps between the pieces of a rule over the whole region where no gutter is, though no text crosses: that of
    a column with few cells."""
    found: list[float] = []
    for start, end in _gaps_of_underlines(region, whole=True):
        x = (start + end) / 2
        left, right = _white_around(x, lines)
        crossed = any(line.x0 < x < text_end(line) for line in lines)
        if not crossed and left < right and not any(left <= other <= right for other in [*gutters, *found]):
            found.append(x)
    return found


def _white_around(x: float, lines: Sequence[Line]) -> Column:
    """Where the texts left of x end and those right of it begin; x where there are none."""
    left = max((end for line in lines if (end := text_end(line)) <= x), default=x)
    return left, min((line.x0 for line in lines if line.x0 >= x), default=x)


def _between_underlines(x: float, lines: Sequence[Line], gaps: Sequence[Column]) -> float:
    """The edge of a column, moved to the middle of a gap between underlines where the same white has one."""
    if not gaps:
        return x
    left, right = _white_around(x, lines)
    return next((middle for a, b in gaps if left <= (middle := (a + b) / 2) <= right), x)


def covered_column(line: Line, columns: Sequence[Column]) -> int:
    """The index of the column that most of the line is in; where it spans several, the leftmost that it covers by a
    third."""
    left, right = line.x0, line.x1
    least = 0.34 * max(right - left, 0.1)
    overlaps: list[float] = []
    for at, (x0, x1) in enumerate(columns):
        overlap = (right if right < x1 else x1) - (left if left > x0 else x0)
        if overlap >= least:
            return at
        overlaps.append(overlap)
    return max(range(len(columns)), key=overlaps.__getitem__)


def _ruled_edges(region: Region, left: float, right: float) -> list[float]:
    """The x positions of inner vertical rules. In a drawn grid, short rules divide single cells and count too;
    elsewhere they are the ends of underlines and fills."""
    found: list[list[float]] = []
    for x in sorted(v[0] for v in region.vertical):
        inner = left + NEAR_PT < x < right - NEAR_PT
        if not inner or not (region.kind == "grid" or _covered(region, x) >= MIN_COVERED * (region.y1 - region.y0)):
            continue
        if found and x - found[-1][0] <= DOUBLE_PT:
            found[-1].append(x)
        else:
            found.append([x])
    return [(xs[0] + xs[-1]) / 2 for xs in found]


def _covered(region: Region, x: float) -> float:
    return sum(y1 - y0 for at, y0, y1 in region.vertical if abs(at - x) <= NEAR_PT)


def _slabs(lines: Sequence[Line], region: Region, ruled: Sequence[float]) -> list[Sequence[Line]]:
    """Groups of lines between two vertical rules, within which gaps may divide columns further. Where every row is
    ruled off and has several lines, a gap divides nothing: it is inside a cell's text."""
    if region.kind != "grid" or not ruled:
        return [lines]
    edges = [-float("inf"), *ruled, float("inf")]
    slabs = [[x for x in lines if x0 <= (x.x0 + x.x1) / 2 < x1 and x.x1 <= x1 + NEAR_PT and x.x0 >= x0 - NEAR_PT]
             for x0, x1 in pairwise(edges)]  # fmt: skip
    figures = [line for line in lines if is_figure(line.text)]
    return [slab for slab in slabs if slab and not _is_ruled_off(slab, region, figures)]


def _is_ruled_off(slab: Sequence[Line], region: Region, numbers: Sequence[Line]) -> bool:
    """Whether horizontal rules separate the lines of this slab, with more than one row of text between two rules.

    Lines with numbers side by side are rows of their own, whatever the rules are; so are lines with one of the region's
    `numbers` beside them, of which several stand between two rules: the cell of a number does not wrap.
    """
    rows = rows_of(slab)
    figures = [row for row in rows if any(is_figure(line.text) for line in row[1:])]
    if len(figures) >= FIGURES_SHARE * len(rows):
        return False
    left, right = min(line.x0 for line in slab), max(line.x1 for line in slab)
    levels = sorted({round(h[0]) for h in region.horizontal if h[1] <= left + NEAR_PT and h[2] >= right - NEAR_PT})
    taken = {bisect_left(levels, line.middle) for line in slab}
    if len(taken) < 2 or len(rows) <= MAX_ROWS_RULED_OFF * len(taken):
        return False
    return sum(any(number.y0 < row[0].middle < number.y1 for number in numbers) for row in rows) <= len(taken)


def _gutters(lines: Sequence[Line], heads: Sequence[Line], *, whole: bool) -> list[float]:
    """The middles of gaps that few rows cross, beside the words of the header above. In a `whole` table also those of
    columns with few cells at its edges."""
    rows, around = rows_of(lines), [*lines, *heads]
    events: list[tuple[float, int]] = []
    for row in rows:
        for line in row:
            events += [(line.x0, 1), (text_end(line), -1)]
    allowed = max(int(MAX_CROSSED * len(rows)) if len(rows) > 4 else 0, _spanning_headers(rows))
    events.sort(key=lambda event: (event[0], -event[1]))
    found: list[float] = []
    cover, start, first = 0, None, None
    for x, step in events:
        before, cover = cover, cover + step
        if first is None and cover > allowed:
            first = x
        if before > allowed >= cover:
            start = x
        elif before <= allowed < cover and start is not None and x - start >= MIN_GUTTER_PT:
            found += [_middle(around, a, b) for a, b in _around_sparse(rows, start, x) if _separates(rows, a, b)]
            start = None
    if whole and start is not None:
        found += [_middle(around, a, b) for a, b in _behind_others(lines, start) if _separates(rows, a, b)]
    if whole and first is not None:
        found += [_middle(around, a, b) for a, b in _before_others(lines, first) if _separates(rows, a, b)]
    return found


def _middle(lines: Sequence[Line], start: float, end: float) -> float:
    """The middle of the part of a gap that is blank in all rows with a text over each column beside it: words of a
    header reach into it, above numbers that are set to the right. That of the gap where no such part is wide enough."""
    pairs = [pair for row in rows_of(lines) for pair in pairwise(row)]
    beside = [(left, right) for left, right in pairs if text_end(left) <= start and right.x0 >= end]
    first = min((left.x0 for left, _ in beside), default=end)
    last = max((right.x1 for _, right in beside), default=start)
    inner = [
        (text_end(left), right.x0)
        for left, right in pairs
        if first < text_end(left) and left.x0 < start and end < right.x1 and right.x0 < last
    ]
    low, high = max([start, *(x for x, _ in inner)]), min([end, *(x for _, x in inner)])
    return (low + high) / 2 if high - low >= MIN_GUTTER_PT else (start + end) / 2


def _behind_others(lines: Sequence[Line], start: float) -> list[tuple[float, float]]:
    """The gaps from `start` on, between columns with few cells behind all others; a dash that is set further right is
    none."""
    behind = [line for line in lines if line.x0 >= start + 0.5]
    words = any(any(map(str.isalnum, line.text)) for line in behind)
    return _between(behind, start)[0] if words else []


def _between(lines: Sequence[Line], start: float) -> tuple[list[tuple[float, float]], float]:
    """The gaps between `start` and the lines, and where the last of these ends."""
    gaps: list[tuple[float, float]] = []
    for x0, x1 in sorted((line.x0, line.x1) for line in lines):
        if x0 - start >= MIN_GUTTER_PT:
            gaps.append((start, x0))
        start = max(start, x1)
    return gaps, start


def _before_others(lines: Sequence[Line], end: float) -> list[tuple[float, float]]:
    """The gap up to `end`, behind a column with few cells before all others; bullets are none."""
    left = [line for line in lines if line.x1 <= end - MIN_GUTTER_PT]
    words = any(any(map(str.isalnum, line.text)) for line in left)
    return [(max(line.x1 for line in left), end)] if words else []


def _around_sparse(rows: Sequence[Sequence[Line]], start: float, end: float) -> list[tuple[float, float]]:
    """The gap from `start` to `end`, split by a sparse column inside it: one of signs, or of something other than
    header words."""
    inside = [(x, at) for at, row in enumerate(rows) for x in row if x.x0 >= start + 0.5 and x.x1 <= end - 0.5]
    signs = [x for x, _ in inside if _LEADING.match(x.text) or _TRAILING.match(x.text)]
    own = [x for x, at in inside if at >= HEADER_ROWS or _heads_neither(rows, x, at, start, end)]
    gaps, last = _between(signs or own, start)
    return [*gaps, (last, end)] if end - last >= MIN_GUTTER_PT else gaps or [(last, end)]


def _heads_neither(rows: Sequence[Sequence[Line]], line: Line, at: int, start: float, end: float) -> bool:
    """Whether the line, in a gap from `start` to `end`, has words beside it in its row over the columns on both sides:
    then it heads a column of its own, without other contents."""
    left = max((x for x in rows[at] if x.x1 <= line.x0), key=lambda x: x.x1, default=None)
    right = min((x for x in rows[at] if x.x0 >= line.x1), key=lambda x: x.x0, default=None)
    if left is None or right is None:
        return False
    others = [x for row in rows[at + 1 :] for x in row]
    before = any(abs(text_end(x) - start) <= 1 and x.x0 <= left.x1 for x in others)
    return before and any(abs(x.x0 - end) <= 1 and x.x1 >= right.x0 and x.x0 <= right.x1 for x in others)


def _spanning_headers(rows: Sequence[Sequence[Line]]) -> int:
    """The number of leading rows with fewer pieces than the fullest row, some of which may span columns; fewer than the
    rows below."""
    fullest = max(map(len, rows), default=0)
    leading = next((i for i, row in enumerate(rows) if len(row) == fullest), 0)
    return leading if 2 * leading < len(rows) else 0


def _separates(rows: Sequence[Sequence[Line]], start: float, end: float) -> bool:
    """Whether a gap divides columns: at least one row has pieces on both sides, and of these rows hardly any crosses
    it."""
    middle = (start + end) / 2
    both = sum(text_end(row[0]) <= middle <= row[-1].x0 for row in rows)
    return both >= max(1, 0.1 * len(rows))


def _without_empty(edges: list[float], lines: Sequence[Line], ruled: Sequence[float]) -> list[float]:
    """Merges columns without text with their neighbour, unless rules draw them."""
    kept = edges[:1]
    for edge in edges[1:-1]:
        holds = any(kept[-1] <= (line.x0 + line.x1) / 2 < edge for line in lines)
        if holds or (edge in ruled and kept[-1] in ruled):
            kept.append(edge)
    if not any((line.x0 + line.x1) / 2 >= kept[-1] for line in lines) and len(kept) > 1:
        kept.pop()
    return [*kept, edges[-1]]


def _without_symbols(edges: list[float], lines: Sequence[Line], ruled: Sequence[float]) -> list[float]:
    """Merges columns that hold only currency or per cent signs below their headers, or the sign of a signature, with
    what is beside them."""
    kept = list(edges)
    for x0, x1 in pairwise(edges):
        inside = [line for line in lines if x0 <= (line.x0 + line.x1) / 2 < x1]
        own = [line for line in inside if x0 - 1 <= line.x0 and line.x1 <= x1 + 1]  # headers may span columns
        if x1 != edges[-1] and x1 not in ruled and _all_match(own, _LEADING):
            kept.remove(x1)
        elif x0 in kept[1:] and x0 not in ruled and _all_match(own, _TRAILING):
            kept.remove(x0)
    return kept


def _all_match(lines: Sequence[Line], sign: re.Pattern[str]) -> bool:
    """Whether every text from the first sign on is a sign."""
    first = min((line.y0 for line in lines if sign.match(line.text)), default=None)
    return first is not None and all(sign.match(line.text) for line in lines if line.y0 >= first - 1)
