"""The sketch: a small summary of a page, from which the document-wide profile is built; and that profile."""

from pydantic import BaseModel, ConfigDict, Field

# Letters and digits of a title that `NumberedLine` keeps.
MAX_KEY = 60


class EdgeLine(BaseModel):
    """A visual row near the top or the bottom of a page. `shape` is its text with every number as `#`, `numbers` are
    the first of those numbers, `lone` those that stand alone at its left and right ends, far from its words, `size` is
    that of its longest piece, `parts` are the shapes of its pieces."""

    model_config = ConfigDict(frozen=True)

    top: bool
    rank: int = Field(ge=0, description="0 is the outermost row")
    y: float
    x: float
    shape: str
    numbers: list[int] = []
    lone: list[int] = []
    size: float = 0.0
    parts: list[str] = []


class StandingLine(BaseModel):
    """A row that stands alone on its page and may be a title; gaps in sizes of its type, `x` in hundredths. `aligned`:
    the next row, of `following` characters, begins at the same left edge."""

    model_config = ConfigDict(frozen=True)

    text: str
    style: str
    bold: bool = False
    italic: bool = False
    x: int = 0
    above: float = 0.0
    below: float = 0.0
    following: int = 0
    aligned: bool = False


class ContentsLine(BaseModel):
    """A row of words that ends in a page number: perhaps an entry of the printed contents. `x` is its left edge in
    points, `leader` says that dots lead to the number."""

    model_config = ConfigDict(frozen=True)

    text: str
    number: int
    x: float
    leader: bool = False


class NumberedLine(BaseModel):
    """A row that begins with an address: fragments `first` to `last` (indices), the address as a key, the letters and
    digits of what follows it, how many characters of the page stand before it, and its own. `label` is the number that
    it ends in, perhaps a page's."""

    model_config = ConfigDict(frozen=True)

    first: int
    last: int
    address: str
    title: str
    at: int
    length: int
    label: int | None = None


class ContentsRun(BaseModel):
    """Fragments `first` to `last` (indices) of a page, which list numbered titles that stand elsewhere above text."""

    model_config = ConfigDict(frozen=True)

    page: int
    first: int
    last: int


class PageSketch(BaseModel):
    """What the profile needs to know about a page; a few hundred bytes as JSON.

    `styles` maps `font|size` to non-space characters; `pitches` are distances between successive lines in twentieths of
    the font size, with characters. `long_lines` counts the characters of each style that stand in long lines, `lefts`
    where these begin, in hundredths of the width, `titles` and `contents` are rows that may be titles or entries of the
    printed contents, `numbered` are rows that begin with an address, `page_numbers` are lone numbers in the outermost
    rows less the number of the page, `images` and `rules` are the places of pictures and of wide rules near the edges.
    """

    page: int
    characters: int
    styles: dict[str, int] = {}
    edges: list[EdgeLine] = []
    foot: EdgeLine | None = Field(default=None, description="the lowest row, wherever it stands")
    margins: list[EdgeLine] = Field(default=[], description="what stands beside the text's one column")
    lefts: dict[int, int] = {}
    pitches: dict[int, int] = {}
    long_lines: dict[str, int] = {}
    page_numbers: list[int] = []
    images: list[str] = []
    rules: list[str] = []
    titles: list[StandingLine] = []
    contents: list[ContentsLine] = []
    numbered: list[NumberedLine] = []


class Furniture(BaseModel):
    """A running line of the document: its shape at about one height.

    `heads` says that a line of it set like a heading is one: a number in it changes otherwise than page numbers do, or
    other text stands at its height on most pages.
    """

    model_config = ConfigDict(frozen=True)

    top: bool
    y: float
    shape: str
    pages: int
    heads: bool = False


class CountingLine(BaseModel):
    """A footer at any height, the lowest row of its page: its number at `place` (from 0) is the page's and one of
    `offsets`."""

    model_config = ConfigDict(frozen=True)

    shape: str
    place: int
    offsets: list[int]


class HeadingStyle(BaseModel):
    """A style that titles are set in: larger or heavier than the body's, or seen in rows that stand alone only.

    `rank` is the depth of a heading of this style that bears no number. `larger` than the body's by a visible step;
    `numbered` where its rank is that of the numbers of its titles.
    """

    model_config = ConfigDict(frozen=True)

    style: str
    rank: int
    larger: bool = True
    numbered: bool = False


class OutlineHint(BaseModel):
    """A bookmark: evidence for a heading. `key` is its title with letters and digits only."""

    model_config = ConfigDict(frozen=True)

    level: int
    page: int
    key: str
    y: float | None = None


class TitleMark(BaseModel):
    """A row that other rows of the document prove to be a title: a member of a sequence of numbers, or an entry of the
    printed contents. `address` is its number as printed, where only the sequence shows that it is one; `nested` titles
    have a number that begins anew below each title of another sequence."""

    model_config = ConfigDict(frozen=True)

    page: int
    key: str
    level: int
    address: str | None = None
    nested: bool = False


class Profile(BaseModel):
    """Document-wide knowledge for the layout engine; JSON-serialisable, independent of the order of the sketches."""

    pages: int = 0
    body_size: float = 10.0
    body_style: str = ""
    body_pitch: float = 1.2
    lefts: list[int] = Field(default=[], description="where many long lines begin, in hundredths of a page's width")
    furniture: list[Furniture] = []
    counting: list[CountingLine] = []
    margins: list[Furniture] = []
    repeated_images: list[str] = []
    repeated_rules: list[str] = []
    page_offsets: list[int] = []
    headings: list[HeadingStyle] = []
    outline: list[OutlineHint] = []
    marks: list[TitleMark] = []
    repeated: list[TitleMark] = Field(default=[], description="titles whose number counts anew within a section")
    plain_titles: bool = False
    contents_pages: list[int] = []
    contents_runs: list[ContentsRun] = []
