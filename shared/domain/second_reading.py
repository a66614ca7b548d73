"""Second, independent readings of a page: single characters, without lines, order or grouping."""

from typing import NamedTuple


class PageCharacter(NamedTuple):
    """A character that is not white space, and the middle of its box in 0..1 of the page as displayed."""

    text: str
    x: float
    y: float


class Glyph(NamedTuple):
    """A character as another PDF library reads it, its middle as above; `spaced` says that it saw white space before
    it."""

    text: str
    x: float
    y: float
    spaced: bool
