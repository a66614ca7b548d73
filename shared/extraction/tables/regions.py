"""Regions of a page that may be tables: what they hold, and how their lines stand in rows."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from shared.domain.shapes import place_of_rule
from shared.domain.sketch import Profile
from shared.extraction.lists import starts_item
from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.rows import is_figure
from shared.values.addresses import printed_address

Segment = tuple[float, float, float]  # position, start, end

TOUCH_PT = 3.0
# Width of the sides of a frame, drawn with two lines or with white between its pieces.
FRAME_PT = 6.0
MIN_GAP_EM = 1.1
CLOSE_GAP_EM = 0.3
# Type of a row, as a multiple of the table's largest, from which it is no row of the table.
LARGER = 1.1
# How deep in a text, as a share of its height, a rule lies at least that strikes it out.
STRUCK = 0.35
# Most lines of text in a cell with a shading of its own, where each line is shaded too.
MAX_CELL_LINES = 5
_LEADER = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?|(?!)){4,}+$")
_BULLET = re.compile(r"^[\u2022\u25cf\u25aa\u25a0\u25e6\u2219\u00b7\uf0b7\uf0a7]\s*\S")
_REFERENCE = re.compile(r"^\[[\w+.:-]{1,12}\]$")  # the mark of an entry in a list of references


@dataclass(slots=True)
class Region:
    """A part of the page that may be a table. `horizontal` and `vertical` are the rules inside it, `bands` the edges
    (y) of shaded rows, `shades` the shaded boxes lower than most of the region, `tinted` the horizontal rules that only
    fills stand for. `headed`: what stands above it is another table. `title` is its own, where others are beside it.

    `heads` maps the lines of a header above the body, by their order, to the extent (x0, x1) that they apply to.
    """

    kind: Literal["grid", "rules", "aligned"]
    x0: float
    y0: float
    x1: float
    y1: float
    lines: list[Line] = field(default_factory=list[Line])
    horizontal: list[Segment] = field(default_factory=list[Segment])
    vertical: list[Segment] = field(default_factory=list[Segment])
    bands: list[float] = field(default_factory=list[float])
    heads: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])
    shades: list[tuple[float, float, float, float]] = field(default_factory=list[tuple[float, float, float, float]])
    tinted: frozenset[Segment] = frozenset()
    headed: bool = False
    title: list[Line] = field(default_factory=list[Line])

    @property
    def body(self) -> list[Line]:
        """The lines from which columns are derived: all except those of the header."""
        return [line for line in self.lines if line.order not in self.heads]


class PageRules(NamedTuple):
    """Horizontal rules (y, x0, x1), vertical rules (x, y0, y1) and shaded boxes of a page, in points."""

    horizontal: list[Segment]
    vertical: list[Segment]
    fills: list[tuple[float, float, float, float]]


def page_rules(view: PageView, profile: Profile) -> PageRules:
    """The rules of the page without those repeated on every page. Rules typed with dashes count as horizontal ones."""
    w, h = view.width, view.height
    running, struck = set(profile.repeated_rules), _struck(view.lines)
    horizontal: list[Segment] = []
    vertical: list[Segment] = []
    fills: list[tuple[float, float, float, float]] = []
    for rule in view.page.rules:
        x0, y0, x1, y1 = rule.x0 * w, rule.y0 * h, rule.x1 * w, rule.y1 * h
        if place_of_rule(rule) in running:
            continue
        if rule.fill:
            fills.append((x0, y0, x1, y1))
        elif x1 - x0 >= y1 - y0 and struck((y0 + y1) / 2, x0, x1):
            continue  # text that is struck out
        elif x1 - x0 >= y1 - y0:
            horizontal.append(((y0 + y1) / 2, x0, x1))
        else:
            vertical.append(((x0 + x1) / 2, y0, y1))
    horizontal += [(line.middle, line.x0, line.x1) for line in view.typed_rules]
    return PageRules(sorted(horizontal), sorted(vertical), fills)


def _struck(lines: Sequence[Line]) -> Callable[[float, float, float], bool]:
    """Returns a function of (y, x0, x1) that says whether such a rule lies on the middle of a text and goes no
    further."""
    at: dict[int, list[Line]] = {}
    for line in lines:
        at.setdefault(round(line.middle), []).append(line)

    def struck(y: float, x0: float, x1: float) -> bool:
        near = [line for middle in range(round(y) - 2, round(y) + 3) for line in at.get(middle, [])]
        return any(
            line.y0 + STRUCK * line.height <= y <= line.y1 - STRUCK * line.height
            and line.x0 - 1 <= x0
            and x1 <= line.x1 + 1
            for line in near
        )

    return struck


def inside_y(y: float, region: Region) -> bool:
    return region.y0 - TOUCH_PT <= y <= region.y1 + TOUCH_PT


def has_title_row(grid: Region) -> bool:
    """Whether the drawn grid begins with a row over all of its columns."""
    inner = [v for v in grid.vertical if grid.x0 + FRAME_PT < v[0] < grid.x1 - FRAME_PT]
    return bool(inner) and min(v[1] for v in inner) > grid.y0 + TOUCH_PT


def fill(
    region: Region, lines: Iterable[Line], horizontal: Sequence[Segment], vertical: Sequence[Segment],
    fills: Sequence[tuple[float, float, float, float]],
) -> None:  # fmt: skip
    """Adds to the region the lines, rules and shadings inside it."""
    region.lines = [
        line
        for line in lines
        if region.y0 - 1 <= line.middle <= region.y1 + 1 and region.x0 - 2 <= (line.x0 + line.x1) / 2 <= region.x1 + 2
    ]
    region.horizontal = [h for h in horizontal if inside_y(h[0], region) and h[1] < region.x1 and h[2] > region.x0]
    region.vertical = [
        v
        for v in vertical
        if region.x0 - TOUCH_PT <= v[0] <= region.x1 + TOUCH_PT and v[1] < region.y1 and v[2] > region.y0
    ]
    shade(region, fills)


def shade(region: Region, fills: Sequence[tuple[float, float, float, float]]) -> None:
    """Sets the shaded boxes of the region, and as bands the upper and lower edges of shaded rows: of boxes that
    together cover half of the region's width."""
    top, bottom, most = region.y0 - TOUCH_PT, region.y1 + TOUCH_PT, 0.6 * (region.y1 - region.y0) + 1
    region.shades = [f for f in fills if top <= (f[1] + f[3]) / 2 <= bottom and f[3] - f[1] < most]
    boxes: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for x0, y0, x1, y1 in region.shades:
        boxes.setdefault((round(y0), round(y1)), []).append((x0, x1))
    widths = {
        key: sum(max(0.0, min(x1, region.x1) - max(x0, region.x0)) for x0, x1 in found) for key, found in boxes.items()
    }
    wide = [key for key, width in widths.items() if width >= 0.5 * (region.x1 - region.x0)]
    rows = [
        key
        for key in wide
        if not any(_is_line_of(key, other, widths) for other in wide) and not _is_behind_text(key, boxes)
    ]
    region.bands = sorted({float(edge) for key in rows for edge in key})


def _is_behind_text(fill: tuple[int, int], boxes: Mapping[tuple[int, int], Sequence[tuple[float, float]]]) -> bool:
    """Whether each shading from y to y lies on all sides within a larger one of its own, of one row: that of a text in
    a shaded cell."""
    texts = boxes[fill]
    for key, cells in boxes.items():
        if key[0] < fill[0] and fill[1] < key[1] and len(cells) >= len(texts):
            inside = [[text for text in texts if x0 < text[0] and text[1] < x1] for x0, x1 in cells]
            if {found[0] for found in inside if len(found) == 1} == set(texts):
                return True
    return False


def _is_line_of(fill: tuple[int, int], cell: tuple[int, int], fills: Iterable[tuple[int, int]]) -> bool:
    """Whether shading from y to y marks one of the lines of text, each shaded too, in a shaded cell of a few lines."""
    height = fill[1] - fill[0]
    inside = [o for o in fills if cell[0] <= o[0] + 1 and o[1] <= cell[1] + 1 and abs(o[1] - o[0] - height) <= 1]
    few = height + TOUCH_PT < cell[1] - cell[0] <= MAX_CELL_LINES * height
    return few and fill in inside and any(abs(o[0] - fill[1]) <= 1 or abs(fill[0] - o[1]) <= 1 for o in inside)


def order_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Groups lines into visual rows whose pieces are also consecutive in reading order, so that two columns of prose
    never mix."""
    rows: list[list[Line]] = []
    for line in lines:
        last = rows[-1][-1] if rows else None
        if last and line.order - last.order <= 1 and _shares(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _shares(row: Sequence[Line], line: Line) -> bool:
    first = row[0]
    return min(first.y1, line.y1) - max(first.y0, line.y0) > 0.5 * min(first.height, line.height)


def is_tabular(row: Sequence[Line]) -> bool:
    """Whether the row has two pieces that are far enough apart, the first not just the mark of a list item or rule."""
    if len(row) < 2:
        return False
    pieces = sorted(row, key=lambda line: line.x0)
    if not any(_is_apart(a, b) for a, b in pairwise(pieces)):
        return False
    return not ((len(row) == 2 and is_mark(row[0].text)) or all(_BULLET.match(line.text) for line in pieces))


def is_set_larger(row: Sequence[Line], region: Region) -> bool:
    """Whether all of the row is set in larger type than anything in the region: a title is."""
    return min(line.size for line in row) > LARGER * max(line.size for line in region.lines)


def _is_apart(left: Line, right: Line) -> bool:
    """Whether a gap between cells is between the two; beside a leader and between numbers a small one is
    enough."""
    gap = (right.x0 - left.x1) / right.size
    if not CLOSE_GAP_EM <= gap < MIN_GAP_EM:
        return gap >= MIN_GAP_EM
    return _LEADER.search(left.text) is not None or (is_figure(left.text) and is_figure(right.text))


def text_end(line: Line) -> float:
    """The right edge of the line without its leader, whose dots and blanks are a quarter of an em wide."""
    leader = _LEADER.search(line.text) if line.text[-1] == "." else None
    return line.x1 - 0.25 * line.size * len(leader[0]) if leader else line.x1


def is_mark(text: str) -> bool:
    if len(text) <= 4 and not any(c.isalnum() or c in "$€£¥%" for c in text):
        return True  # a bullet or a checkbox
    if _REFERENCE.match(text):
        return True
    printed = printed_address(text)
    return (printed is not None and printed[1] >= len(text.rstrip())) or (len(text) <= 6 and starts_item(text + " x"))
