"""A page as the PDF library returns it, character by character: the reference that stored text is verified against; and
what a second, independent reader returns: single characters, without lines, order or grouping.

Nothing is joined, split, sorted, rounded or left out here; coordinates are points of the unrotated page.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from shared.domain.geometry import CellRange
from shared.domain.page import PageFile

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


class RawShape(NamedTuple):
    """A path as it is painted: its outline or its area (`stroked`), in a colour (0xRRGGBB); `square_cut`: a rectangle
    with sides along the page's."""

    box: Extent
    stroked: bool
    square_cut: bool
    colour: int


class RawPath(NamedTuple):
    """The pieces of a path, each by its points: a straight one by two, a curve by four, others by their corners.
    `extent` is without the width of the pen (`pen`; 0 where only the area is painted)."""

    extent: Extent
    pen: float
    pieces: list[list[tuple[float, float]]]


class RawForm(NamedTuple):
    """What is drawn on a page, in the order of painting, and its check and radio fields: (box, whether it is on).
    `paths` are those of the page if it has a few thousand shapes at most, in any order."""

    shapes: list[RawShape]
    fields: list[tuple[Extent, bool]]
    paths: Sequence[RawPath] = ()


class RereadableSource(Protocol):
    """A source whose pages (from 1) can be read again, character by character. Raises RefusedFile where a page cannot
    be read."""

    @property
    def page_count(self) -> int: ...

    def raw_pages(self, page: int) -> Iterator[RawPage]:
        """The library's readings of a page, the likeliest first."""
        ...

    def drawn_page(self, page: int) -> RawPage:
        """The reading without replacement text."""
        ...

    def pictures(self, page: int) -> RawPictures:
        """Where the page has bitmaps and drawing."""
        ...

    def form(self, page: int) -> RawForm:
        """What is drawn on the page, path by path, and which fields can be ticked."""
        ...


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


class StructuredSource(Protocol):
    """A source without pages: it says itself what is a heading, a table, a cell. Its parts count as pages, from 1."""

    @property
    def page_count(self) -> int: ...

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        """A part with its `structure`. `characters` changes nothing: the characters' places are always known."""
        ...


class SecondCells(Protocol):
    """The cells of a spreadsheet as another library reads them, or another piece of code."""

    def differs(self, place: CellRange, text: str) -> str | None:
        """What is there instead of `text`; None where the cell shows it, or has the value that it stands for."""
        ...

    def differs_row(self, sheet: str, number: int, places: Sequence[int], texts: Sequence[str]) -> str | None:
        """What a whole row has instead of `texts` in the columns `places`, each of one or more lines; None where it has
        these. It is then asked for."""
        ...

    def differs_formula(self, sheet: str, cells: str, formula: str) -> str | None:
        """What a cell has instead of a formula that is shown for it; None where it has that, or where nothing is known
        of the file's formulas."""
        ...

    def computes(self, place: CellRange) -> bool:
        """Whether the first cell of a place has a formula with a value."""
        ...

    def left(self) -> str:
        """What the cells have that nobody has asked for, in part."""
        ...


class SecondField(NamedTuple):
    """A value with its name as a file of data has them, in its order; "" where a list holds it. A `value` of None is
    the name of a group. `bare`: it may be read without its name, as a paragraph is. `items`: those of a list of
    scalars, which the value has divided by commas."""

    name: str
    value: str | None
    bare: bool = False
    items: Sequence[str] = ()


class SecondText(NamedTuple):
    """The text of a whole source as another library reads it. `offsets` says that the places of fragments are offsets
    in it; `cells` are there where places are cells, and then `text` counts for nothing. Otherwise only the words and
    their order can be compared. `numbers` are those that lists show in front of their items and nobody typed, each with
    the text of its item; None where they are not counted. `fields` are there for a file of data, and then `text` counts
    for nothing: each is compared with its name, however the parts are laid out."""

    text: str
    offsets: bool = False
    cells: SecondCells | None = None
    numbers: Sequence[tuple[str, str]] | None = None
    fields: Sequence[SecondField] | None = None
