"""The reference for verification: a page's characters as the source has them, in lines, and the boxes that their text
must have.

The rule of boxes: the smallest rectangle around the characters, with or without adjacent blanks (for a whole line,
those of its runs of one style that have ink); for upright lines at least from .85 em above to .25 em below the base
line of the main type, since some fonts declare less than their letters need; rotated as the page is displayed, in 0..1
of it, each edge rounded to five digits. An edge within a tenth of a millionth of the middle between two roundings may
be either.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from shared.domain.geometry import Rect
from shared.domain.raw_page import Extent, RawCharacter, RawLine, RawPage, RawSpan

DIGITS = 5
EXACT = 1e-6
ARITHMETIC = 1e-7
UPRIGHT = 0.99
ABOVE_EM, BELOW_EM = 0.85, 0.25


class Edges(NamedTuple):
    """Left, top, right and bottom edge in 0..1 of the page as displayed."""

    left: float
    top: float
    right: float
    bottom: float


class Ink(NamedTuple):
    """One character of a line with its style; blanks are characters too."""

    text: str
    raw: RawCharacter
    span: RawSpan


class GroundLine:
    """A line of the text layer without leading and trailing blanks."""

    def __init__(self, raw: RawLine) -> None:
        self.raw = raw
        self.text = "".join([stored_form(one.text) for span in raw.spans for one in span.characters]).strip()

    @cached_property
    def _every(self) -> list[Ink]:
        return [Ink(stored_form(one.text), one, span) for span in self.raw.spans for one in span.characters]

    @cached_property
    def _first(self) -> int:
        return next(place for place, one in enumerate(self._every) if not one.text.isspace())

    @cached_property
    def characters(self) -> list[Ink]:
        return self._every[self._first : self._first + len(self.text)]

    @cached_property
    def free(self) -> list[bool]:
        """For each character, whether it has ink and is not matched yet."""
        return [not one.text.isspace() for one in self.characters]

    def with_blanks(self, start: int, end: int) -> Iterator[list[Ink]]:
        """The characters from `start` to `end` (exclusive), alone and with blanks beside them."""
        first, behind = self._first + start, self._first + end
        low, high = first, behind
        while low > 0 and self._every[low - 1].text.isspace():
            low -= 1
        while high < len(self._every) and self._every[high].text.isspace():
            high += 1
        for left in range(first, low - 1, -1):
            for right in range(behind, high + 1):
                yield self._every[left:right]


class Frame:
    """Turns points of the unrotated page into fractions of the page as displayed."""

    def __init__(self, page: RawPage) -> None:
        self._matrix = page.matrix
        self.width, self.height = page.width or 1.0, page.height or 1.0

    def exact(self, box: Extent) -> Edges:
        a, b, c, d, e, f = self._matrix
        xs = [a * x + c * y + e for x, y in ((box[0], box[1]), (box[2], box[3]))]
        ys = [b * x + d * y + f for x, y in ((box[0], box[1]), (box[2], box[3]))]
        return Edges(min(xs) / self.width, min(ys) / self.height, max(xs) / self.width, max(ys) / self.height)

    def is_upright(self, line: RawLine) -> bool:
        """Whether the line runs from the left to the right of the page as displayed."""
        a, _, c, *_ = self._matrix
        return line.direction[0] * a + line.direction[1] * c > UPRIGHT and not line.vertical


def is_edge(stored: float, exact: float) -> bool:
    """Whether `stored` is the edge, to a millionth of the page."""
    low, high = _rounded(exact - ARITHMETIC), _rounded(exact + ARITHMETIC)
    return abs(stored - low) <= EXACT or abs(stored - high) <= EXACT


def is_box(stored: Rect, exact: Edges) -> bool:
    """Whether `stored` has these edges."""
    return (
        is_edge(stored.x, exact.left)
        and is_edge(stored.y, exact.top)
        and is_edge(stored.x + stored.w, exact.right)
        and is_edge(stored.y + stored.h, exact.bottom)
    )


def stored_form(character: str) -> str:
    """The character as the database can store it: NUL and lone surrogates become U+FFFD."""
    return "\ufffd" if character == "\0" or "\ud800" <= character <= "\udfff" else character


def line_box(line: GroundLine, blanks: bool = False) -> Extent:
    """The box of a whole line, in points of the unrotated page; its main type with `blanks` counted or without."""
    main = _main_span(line, blanks)
    return reaching(around([span.box for span in _inked(line)]), line.raw, main.baseline, main.size)


def part_box(line: RawLine, characters: Sequence[Ink]) -> Extent:
    """The box of some characters of a line, with the blanks at their ends, in points of the unrotated page."""
    inked = [one for one in characters if not one.text.isspace()]
    main = _main_type([(one.span.font, one.span.size, 1) for one in inked])
    first = next(one for one in inked if (one.span.font, one.span.size) == main)
    ends = [characters[0].raw.box, characters[-1].raw.box]
    return reaching(around([*[one.raw.box for one in inked], *ends]), line, first.raw.baseline, first.span.size)


def line_size(line: GroundLine, blanks: bool = False) -> float:
    """The size of the type that covers most of a line, its `blanks` counted or not."""
    return _main_span(line, blanks).size


def part_size(characters: Sequence[Ink]) -> float:
    """The same of some characters."""
    return _main_type([(one.span.font, one.span.size, 1) for one in characters if not one.text.isspace()])[1]


def around(boxes: Iterable[Extent]) -> Extent:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def character_edges(frame: Frame, characters: Sequence[Ink], size: float) -> tuple[float, ...]:
    """The horizontal edges, one more than there are characters; empty where they do not run in one direction."""
    boxes = [frame.exact(one.raw.box) for one in characters]
    slack = 0.35 * size / frame.width
    rising = _climbing([box.left for box in boxes] + [boxes[-1].right], slack)
    if rising:
        return tuple(_rounded(edge) for edge in rising)
    falling = _climbing([-box.right for box in boxes] + [-boxes[-1].left], slack)
    return tuple(_rounded(-edge) for edge in falling)


def _climbing(places: Sequence[float], slack: float) -> list[float]:
    """The positions made non-decreasing; empty where one falls back by more than `slack`."""
    found = [places[0]]
    for place in places[1:]:
        if place < found[-1] - slack:
            return []
        found.append(max(found[-1], place))
    return found


def _inked(line: GroundLine) -> list[RawSpan]:
    return [span for span in line.raw.spans if any(not one.text.isspace() for one in span.characters)]


def _main_span(line: GroundLine, blanks: bool) -> RawSpan:
    spans = _inked(line)
    main = _main_type([
        (span.font, span.size, sum([blanks or not one.text.isspace() for one in span.characters])) for span in spans
    ])  # fmt: skip
    return next(span for span in spans if (span.font, span.size) == main)


def reaching(box: Extent, line: RawLine, baseline: float, size: float) -> Extent:
    """The box of characters, of an upright line as high as its main type is."""
    if line.direction[0] <= UPRIGHT:
        return box
    top, bottom = min(box[1], baseline - ABOVE_EM * size), max(box[3], baseline + BELOW_EM * size)
    return box[0], top, box[2], bottom


def _main_type(runs: Sequence[tuple[str, float, int]]) -> tuple[str, float]:
    """The style of most characters; the first of several."""
    weights: Counter[tuple[str, float]] = Counter()
    for font, size, characters in runs:
        weights[font, size] += characters
    return weights.most_common(1)[0][0]


def _rounded(value: float) -> float:
    return round(min(1.0, max(0.0, value)), DIGITS)
