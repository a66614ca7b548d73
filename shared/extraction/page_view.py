"""The working view of a page: its fragments in points, and which of them have been claimed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shared.domain.page import Fragment, PageFile
from shared.values.fonts import is_mono_font

_TYPED_RULE = re.compile(r"[-=\u2500\u2550\u2014][-=+|\s\u2500\u2550\u2014]*")
TYPED_RULES = "-=\u2500\u2550\u2014"
# Characters of a rule, or of all in a row.
MIN_TYPED_RULE = 8


@dataclass(slots=True)
class Line:
    """A fragment with its box in points and its index in the reading order."""

    order: int
    id: str
    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    style: str
    fragment: Fragment
    middle: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.middle, self.height = (self.y0 + self.y1) / 2, self.y1 - self.y0


class PageView:
    """A page file in points; `free` are the lines that no operation has claimed yet, in reading order."""

    def __init__(self, page: PageFile) -> None:
        self.page = page
        self.width = page.width_pt
        self.height = page.height_pt
        self.lines = [self._line(order, fragment) for order, fragment in enumerate(page.fragments)]
        self.typed_rules = _typed_rules(self.lines)
        self.contents: list[Line] = []  # entries of a contents page that stood like a table
        self.side_by_side: set[int] = set()  # orders of lines in rows of what was no table after all
        self._taken: set[int] = set()
        self._free: list[Line] | None = self.lines

    def _line(self, order: int, fragment: Fragment) -> Line:
        box, w, h = fragment.box, self.width, self.height
        return Line(
            order=order,
            id=fragment.id,
            text=fragment.text,
            x0=box.x * w,
            y0=box.y * h,
            x1=(box.x + box.w) * w,
            y1=(box.y + box.h) * h,
            size=fragment.size,
            bold=fragment.bold,
            style=f"{fragment.font.split('+')[-1]}|{round(fragment.size * 2) / 2:g}",
            fragment=fragment,
        )

    @property
    def free(self) -> list[Line]:
        if self._free is None:
            self._free = [line for line in self.lines if line.order not in self._taken]
        return [*self._free]

    def take(self, lines: Iterable[Line]) -> None:
        self._taken.update([line.order for line in lines])
        self._free = None

    def release(self, lines: Iterable[Line]) -> None:
        self._taken.difference_update([line.order for line in lines])
        self._free = None

    def order_after(self, line: Line) -> int:
        """The order of the next line that is not a typed rule."""
        typed, order = {rule.order for rule in self.typed_rules}, line.order + 1
        while order in typed:
            order += 1
        return order

    def is_side_by_side(self, lines: Iterable[Line]) -> bool:
        """Whether one of the lines had others beside it in what was no table: neither a title nor a numbered rule."""
        return not self.side_by_side.isdisjoint(line.order for line in lines)

    def is_taken(self, line: Line) -> bool:
        return line.order in self._taken


def _typed_rules(lines: Sequence[Line]) -> list[Line]:
    """Rules made of dashes or equals signs: long ones, and short ones with others beside them and nothing else."""
    dashes = {x.order: len(x.text) for x in lines if x.text[0] in TYPED_RULES and _TYPED_RULE.fullmatch(x.text)}
    rows = rows_of(lines) if dashes else []
    found = {order for order, length in dashes.items() if length >= MIN_TYPED_RULE}
    for row in rows:
        orders = [line.order for line in row]
        if dashes.keys() >= {*orders} and sum(dashes[order] for order in orders) >= MIN_TYPED_RULE:
            found.update(orders)
    return [line for line in lines if line.order in found]


def is_mono(line: Line) -> bool:
    """Whether the line is monospaced: it says so, or its font's name does, as some that are do not say so."""
    return line.fragment.mono or is_mono_font(line.style)


def text_of(lines: Sequence[Line]) -> str:
    return " ".join([line.text for line in lines])


def ids_of(lines: Iterable[Line]) -> list[str]:
    return [line.id for line in lines]


def rows_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Groups lines that are side by side into rows: rows from the top, lines from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.y0 + line.y1, line.x0)):
        first = rows[-1][0] if rows else None
        if first and first.y0 <= line.middle <= first.y1:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        if len(row) > 1:
            row.sort(key=lambda line: line.x0)
    return rows
