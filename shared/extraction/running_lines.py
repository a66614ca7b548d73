"""Finds the running lines (headers, footers) of a document on a sample of its pages: lines that repeat near the
edges."""

import heapq
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from shared.domain.sketch import CountingLine, EdgeLine, Furniture, PageSketch
from shared.extraction.titles.evidence import bare_key
from shared.extraction.titles.styles import LARGER, size_of

# A running line stands at the same height, to 1.2 % of the page, ...
SAME_HEIGHT = 0.012
# ... on at least two pages, and in a document of many pages on this share of them (chapters change running heads).
MIN_PAGES = 2
MIN_SHARE = 0.02
# A number counts the pages where it does so on this many of them.
MIN_COUNTED = 3
# What may stand behind the number: how many pages there are.
_TOTAL = re.compile(r"(?: ?(?:of|/|von|de|sur|di) ?#)?")
# Least share of a line's numbers that agree for them to be constant, or to count pages.
STEADY_SHARE = 0.8
# Least share of the pages with text at a height on which that text is a running line.
RESERVED_SHARE = 0.5
# Letters of a title from which the words of a running head are compared with it.
MIN_LETTERS = 5
CUT = "\u2026"
# Numbers with what divides them from words, signs between pieces, and cuts.
_BETWEEN = re.compile(r"((?:^|\s)(?:[a-z]?[.-]?#[#.)-]*:?|[|\u2013\u2014\u00b7\u2022])(?=\s|$)|\u2026|\.\.\.)")
_MIX = 0x9E3779B97F4A7C15  # 2^64 / golden ratio (Knuth, TAOCP 3, 6.4): spreads page numbers evenly


class _Line(NamedTuple):
    page: int
    edge: EdgeLine


class Sample:
    """The sketches of at most `size` pages, chosen by a hash of the page number.

    The choice does not depend on the order in which pages come, and cannot coincide with a period of the document (left
    and right pages, forms).
    """

    def __init__(self, size: int) -> None:
        self.pages = 0
        self._size = size
        self._kept: list[tuple[int, PageSketch]] = []

    def add(self, sketch: PageSketch) -> None:
        self.pages += 1
        entry = (-((sketch.page * _MIX) % 2**64), sketch)
        if len(self._kept) < self._size:
            heapq.heappush(self._kept, entry)
        elif entry[0] > self._kept[0][0]:
            heapq.heapreplace(self._kept, entry)

    @property
    def sketches(self) -> list[PageSketch]:
        """The sketches in page order."""
        return sorted((sketch for _, sketch in self._kept), key=lambda sketch: sketch.page)


def find_furniture(sample: Sample, body_size: float) -> list[Furniture]:
    """Returns the running lines; their `pages` are extrapolated from the sample to the whole document. `body_size`, in
    points, is that of the text."""
    lines = [_Line(sketch.page, edge) for sketch in sample.sketches for edge in sketch.edges]
    running = _running(lines, max(MIN_PAGES, len(sample.sketches) * MIN_SHARE))
    reserved = _reserved(lines, running)
    scale = sample.pages / max(1, len(sample.sketches))
    small = [line for line in lines if line.edge.size < LARGER * body_size]
    return [
        *(_furniture(group, scale, reserved) for group in running),
        *_numbered(lines, scale),
        *_named(small, scale, _Titles(sample.sketches)),
    ]


def _numbered(lines: Sequence[_Line], scale: float) -> Iterator[Furniture]:
    """Rows whose words change from section to section and whose number, apart from them, counts the pages:
    at one height on several pages."""
    for top in (True, False):
        found = [line for line in lines if line.edge.top == top and line.edge.lone]
        for group in _by_height(found):
            offsets = Counter(offset for line in group for offset in _offsets(line))
            counted = {offset for offset, pages in offsets.items() if pages >= MIN_COUNTED}
            by_shape: dict[str, list[_Line]] = defaultdict(list)
            for line in group:
                if counted.intersection(_offsets(line)):
                    by_shape[line.edge.shape].append(line)
            for _, same in sorted(by_shape.items()):
                yield _furniture(same, scale, lambda *_: True).model_copy(update={"heads": False})


class _Titles:
    """The titles of the document by their letters, each with the pages and sizes that it is set in."""

    def __init__(self, sketches: Iterable[PageSketch]) -> None:
        self._places: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for sketch in sketches:
            for title in sketch.titles:
                if len(key := _letters(bare_key(title.text))) >= MIN_LETTERS:
                    self._places[key].append((sketch.page, size_of(title.style)))
        self._keys = sorted(self._places)

    def name(self, line: _Line) -> bool:
        """Whether a piece of the row says, in smaller type, what a title on its page or before says, perhaps cut off;
        numbers and their labels set apart."""
        return any(self._is_title(said, end == CUT, line) for part in line.edge.parts for said, end in _said(part))

    def _is_title(self, said: str, cut: bool, line: _Line) -> bool:
        keys = takewhile(lambda key: key.startswith(said), islice(self._keys, bisect_left(self._keys, said), None))
        return any(
            page <= line.page and size >= LARGER * line.edge.size
            for key in (keys if cut else (said,))
            for page, size in self._places.get(key, ())
        )


def _said(shape: str) -> Iterator[tuple[str, str]]:
    """The letters of each run of words between numbers and cuts, and what ends it."""
    parts = _BETWEEN.split(shape)
    for words, end in zip(parts[::2], [*parts[1::2], ""], strict=True):
        if len(said := _letters(words)) >= MIN_LETTERS:
            yield said, CUT if end.strip() in (CUT, "...") else end


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.lower()))


def _named(lines: Sequence[_Line], scale: float, titles: _Titles) -> Iterator[Furniture]:
    """Outermost rows that say in smaller type what a title says, at one height on several pages."""
    for top in (True, False):
        outer = [line for line in lines if line.edge.top == top and line.edge.parts]
        for group in _by_height(outer):
            by_shape: dict[str, list[_Line]] = defaultdict(list)
            for line in group:
                if titles.name(line):
                    by_shape[line.edge.shape].append(line)
            if len({line.page for same in by_shape.values() for line in same}) >= MIN_COUNTED:
                for _, same in sorted(by_shape.items()):
                    yield _furniture(same, scale, lambda *_: True).model_copy(update={"heads": False})


def _offsets(line: _Line) -> set[int]:
    return {number - line.page for number in line.edge.lone}


def find_margins(sample: Sample) -> list[Furniture]:
    """Returns the running heads that journals set beside the text, at any height: lines that repeat there, on pages
    whose number stands there too. Without such a number they may be the labels of a form."""
    lines = [_Line(sketch.page, edge) for sketch in sample.sketches for edge in sketch.margins]
    running = [group for group in _running(lines, MIN_COUNTED) if not _varies(group)]
    paged = {line.page for group in running if _counts(group) for line in group}
    beside = [[line for line in group if line.page in paged] for group in running]
    scale = sample.pages / max(1, len(sample.sketches))
    return [_furniture(group, scale, lambda *_: True) for group in beside if len(group) >= MIN_COUNTED]


def _counts(group: Sequence[_Line]) -> bool:
    """Whether the lines are numbers alone that count the pages."""
    offsets = Counter(number - line.page for line in group for number in line.edge.numbers)
    return group[0].edge.shape == "#" and max(offsets.values(), default=0) >= STEADY_SHARE * len(group)


def _running(lines: Iterable[_Line], needed: float) -> list[list[_Line]]:
    """The lines of one shape at about one height that stand on enough pages."""
    by_shape: dict[tuple[bool, str], list[_Line]] = defaultdict(list)
    for line in lines:
        by_shape[line.edge.top, line.edge.shape].append(line)
    groups = [group for _, found in sorted(by_shape.items()) for group in _by_height(found)]
    return [group for group in groups if len({line.page for line in group}) >= needed]


def find_counting(sample: Sample) -> list[CountingLine]:
    """Returns the footers that stand below a text that ends early: the lowest row, with a number that counts the pages.
    A lone number is none, as it may be a value, nor is one within a word (`C1.3`) or a sentence; a page left out shifts
    the rest."""
    by_shape: dict[str, list[_Line]] = defaultdict(list)
    for sketch in sample.sketches:
        if sketch.foot and any(map(str.isalpha, sketch.foot.shape)):
            by_shape[sketch.foot.shape].append(_Line(sketch.page, sketch.foot))
    found: list[CountingLine] = []
    for shape, lines in sorted(by_shape.items()):
        for place, numbers in enumerate(zip(*[line.edge.numbers for line in lines], strict=False)):
            offsets = Counter(number - line.page for number, line in zip(numbers, lines, strict=True))
            counted = sorted(offset for offset, pages in offsets.items() if pages >= MIN_COUNTED)
            steady = sum(offsets[offset] for offset in counted) >= STEADY_SHARE * len(lines)
            if counted and steady and _is_at_an_end(shape, place):
                found.append(CountingLine(shape=shape, place=place, offsets=counted))
    return found


def _is_at_an_end(shape: str, place: int) -> bool:
    """Whether the number at a place of the shape, from 0, is its first or its last word, or the last before a total."""
    parts = shape.split("#")
    # The shape of a long row is cut.
    if place + 1 >= len(parts):
        return False
    before, behind = "#".join(parts[: place + 1]), "#".join(parts[place + 1 :])
    return bool((not before and behind[:1] == " ") or (before[-1:] == " " and _TOTAL.fullmatch(behind)))


def _furniture(group: Sequence[_Line], scale: float, reserved: Callable[[bool, float], bool]) -> Furniture:
    edge = group[0].edge
    height = sorted(line.edge.y for line in group)[len(group) // 2]
    return Furniture(
        top=edge.top, y=height, shape=edge.shape, pages=round(scale * len({line.page for line in group})),
        heads=_varies(group) or not reserved(edge.top, height),
    )  # fmt: skip


def _by_height(lines: Iterable[_Line]) -> list[list[_Line]]:
    groups: list[list[_Line]] = []
    for line in sorted(lines, key=lambda line: (line.edge.y, line.page)):
        if groups and line.edge.y - groups[-1][0].edge.y <= SAME_HEIGHT:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _varies(group: Sequence[_Line]) -> bool:
    """Whether a number in the line is neither (nearly) constant nor counts the pages."""
    places = zip(*[line.edge.numbers for line in group], strict=False)
    return any(not _steady(numbers, [line.page for line in group]) for numbers in places)


def _steady(numbers: Sequence[int], pages: Sequence[int]) -> bool:
    same = max(Counter(numbers).values())
    counting = max(Counter(n - page for n, page in zip(numbers, pages, strict=True)).values())
    return max(same, counting) >= STEADY_SHARE * len(numbers)


def _reserved(lines: Sequence[_Line], running: Sequence[Sequence[_Line]]) -> Callable[[bool, float], bool]:
    """Returns a function (near the top?, height) that says whether most text at that height, over all pages, is running
    lines."""
    every = Counter((line.edge.top, round(line.edge.y, 2)) for line in lines)
    ours = Counter((line.edge.top, round(line.edge.y, 2)) for group in running for line in group)

    def reserved(top: bool, y: float) -> bool:
        near = [(top, round(y + step, 2)) for step in (-0.01, 0.0, 0.01)]
        return sum(ours[key] for key in near) >= RESERVED_SHARE * sum(every[key] for key in near)

    return reserved
