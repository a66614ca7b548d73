"""A second, independent reading of a page: single characters, without lines, order or grouping."""

from typing import NamedTuple, Protocol


class Glyph(NamedTuple):
    """A character that is not white space, as another PDF library reads it, and the middle of its box in 0..1 of the
    page as displayed; `spaced` says that it saw white space before it."""

    text: str
    x: float
    y: float
    spaced: bool


class SecondReader(Protocol):
    """Another library's characters of a page (from 1), as `drawn` or with replacement text; None where it cannot open
    the page."""

    def glyphs(self, page: int, drawn: bool) -> list[Glyph] | None: ...
