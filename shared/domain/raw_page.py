"""A page as the PDF library has it, character by character: the ground that stored text is proved against.

Nothing is joined, divided, ordered, rounded or left out here; coordinates are points of the unrotated page.
"""

from typing import NamedTuple

Extent = tuple[float, float, float, float]


class RawCharacter(NamedTuple):
    text: str
    box: Extent
    baseline: float


class RawSpan(NamedTuple):
    """Characters of one style, in the library's order. `drawn`: filled or stroked, and not wholly transparent."""

    font: str
    size: float
    drawn: bool
    box: Extent
    baseline: float
    characters: list[RawCharacter]


class RawLine(NamedTuple):
    """`direction` is a unit vector; `vertical` says that the characters are set one below the other."""

    spans: list[RawSpan]
    direction: tuple[float, float]
    vertical: bool


class RawPage(NamedTuple):
    """`width` and `height` are of the page as displayed, to which `matrix` (a, b, c, d, e, f) turns a point. `drawn`:
    the glyphs as they are drawn, without the replacement text that the source has for some."""

    width: float
    height: float
    rotation: int
    matrix: tuple[float, float, float, float, float, float]
    lines: list[RawLine]
    drawn: bool = False


class RawPictures(NamedTuple):
    """Boxes of the bitmaps of a page, and of what else is drawn on it."""

    bitmaps: list[Extent]
    drawn: list[Extent]
