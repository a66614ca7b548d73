"""A second, independent reading of a page: single characters, without lines, order or grouping."""

from typing import NamedTuple


class PageCharacter(NamedTuple):
    """A character that is not white space, and the middle of its box in 0..1 of the page as displayed."""

    text: str
    x: float
    y: float
