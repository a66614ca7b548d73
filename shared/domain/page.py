"""The page file: everything that a reader found on one page, before an engine groups it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.cell_formulas import CellFormula
from shared.domain.geometry import Place, Rect, TextRange
from shared.domain.kept_rows import KeptRows
from shared.domain.operations import Operation

# `mixed`: a text layer, and beside it a picture that may be a scanned passage; `ocr`: text in a picture alone.
Route = Literal["text", "ocr", "mixed", "empty"]
# Why a picture in a source without pages is not shown: drawn by commands (EMF, WMF, SVG), of a kind or size that is not
# read, or damaged.
UnreadPicture = Literal["vector", "unknown", "too_large", "damaged"]
# Why a picture is no figure: drawn too small, shown before, one of too many, or not in the file.
LeftOut = Literal["small", "repeated", "beyond", "remote"]


class Fragment(BaseModel):
    """One line of the text layer, split at column and cell gaps. `text` is as the source has it.

    `id` is `p{page}.f{n}`, n from 1 in reading order. `size` is in points.
    White space at its ends is not part of it. `bold`, `italic` and `mono` hold for (nearly) all of it, `superscript`
    for its first characters (a footnote's mark). `invisible` text is in the text layer but not
    drawn; `ocr` text was recognised in a picture, so it is not the source's own: then `word_confidences` holds what the
    engine says of each of its words (0..1) and `confidence` their mean.
    `char_x` are the horizontal edges of its characters (len(text) + 1 values, 0..1 of the page), so that a part
    `p12.f4[0:17]` has an exact box too; empty unless the reader was asked for them, then parts cannot be referred to.
    `hidden` text is read and its source does not show it: a hidden row, column, sheet or slide.

    In a source without pages a fragment is a line of text or a cell, `place` says where it stands, and nothing of its
    box, font and size means anything; `bold` are a table's labels. Parts of text can always be referred to. `marker`:
    the number that a list shows in front of it, which nobody typed (`3.`); empty for none.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    box: Rect = Rect(x=0, y=0, w=0, h=0)
    place: Place | None = None
    font: str = ""
    size: float = 0.0
    bold: bool = False
    italic: bool = False
    mono: bool = False
    superscript: bool = False
    invisible: bool = False
    hidden: bool = Field(default=False, exclude_if=lambda hidden: not hidden)
    ocr: bool = False
    color: int = 0
    marker: str = Field(default="", exclude_if=lambda marker: not marker)
    direction: Literal["ltr", "rtl", "ttb", "rotated"] = "ltr"
    block: int = Field(default=0, description="number of the text block the PDF library put the line in")
    char_x: tuple[float, ...] = ()
    confidence: float | None = None
    word_confidences: tuple[float, ...] = ()


class Rule(BaseModel):
    """A drawn straight line or thin filled rectangle: table borders, separators; 0..1 of the page as displayed.

    `fill` marks a filled rectangle of some height (a shaded row or cell) instead of a line.
    """

    model_config = ConfigDict(frozen=True)

    x0: float
    y0: float
    x1: float
    y1: float
    fill: bool = False


class PageImage(BaseModel):
    """A bitmap or a cluster of vector drawing on the page."""

    model_config = ConfigDict(frozen=True)

    id: str
    box: Rect
    kind: Literal["bitmap", "vector"]


class TickBox(BaseModel):
    """A box that can be ticked: a small square that is drawn, or a check or radio field of the form. `ticked`:
    something is drawn or typed in it, or the field is on. `ocr`: it was found in a picture, beside recognised text;
    then `unsure` says that there is more ink in it than dust and less than a mark."""

    model_config = ConfigDict(frozen=True)

    box: Rect
    ticked: bool
    ocr: bool = False
    unsure: bool = False


class PictureReading(BaseModel):
    """What `parse` made of a picture: `shown` with nothing to recognise in it, `read`, `unread` where it may hold text
    and no engine has read it, or `damaged`. The size is in points, as that of a page would be."""

    model_config = ConfigDict(frozen=True)

    outcome: Literal["shown", "read", "unread", "damaged"]
    width_pt: float = 0.0
    height_pt: float = 0.0
    engine: str = ""


class PartPicture(BaseModel):
    """A picture in a source without pages. `id` is the SHA-256 of its bytes, `name` what the file calls it; `place` is
    where it stands in the text. The size is in pixels, 0 where it is `unread`; `share` is how much of a page it covers
    as it is drawn, 0..1."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    place: TextRange
    width: int = 0
    height: int = 0
    bytes: int = 0
    share: float = 0.0
    unread: UnreadPicture | None = None
    reading: PictureReading | None = None


class OutlineEntry(BaseModel):
    """A bookmark of the document that points to this page; `y` is 0..1 from the top where the PDF says it."""

    model_config = ConfigDict(frozen=True)

    level: int
    title: str
    page: int
    y: float | None = None


class PageFile(BaseModel):
    """Everything the extraction engines may look at for one page; stored as `pages/{n}.json`.

    `text_density` is non-space characters per square inch.

    A source without pages is divided into parts, which count as its pages: `label` is what people call one (a sheet,
    a slide, a message), and `structure` are the operations by which the source itself says what its fragments are:
    headings with their depth, tables with their cells. Where there is one, no engine groups anything. `kept`: further
    rows of its last table, which are stored beside it and are no fragments. `pictures` are those of a part, each stored
    beside it once per document; `left_out` counts those that are not, by reason. What is recognised in them follows the
    source's own fragments, and is in no `structure`.

    Of a sheet's part `formulas` are those of its cells, with text or without, by their ranges; `uncalculated` is how
    many formulas it has that nobody has calculated.
    """

    page: int = Field(ge=1)
    width_pt: float = 0.0
    height_pt: float = 0.0
    label: str = ""
    structure: list[Operation] | None = None
    kept: KeptRows | None = None
    formulas: list[CellFormula] = Field(default=[], exclude_if=lambda formulas: not formulas)
    uncalculated: int = Field(default=0, exclude_if=lambda count: not count)
    rotation: int = 0
    turn: int = Field(default=0, description="degrees by which its text lies turned clockwise, as the page is shown")
    text_density: float = 0.0
    route: Route
    doubtful: bool = Field(default=False, description="empty, in a file that had to be repaired: content may be lost")
    fragments: list[Fragment] = []
    images: list[PageImage] = []
    rules: list[Rule] = []
    pictures: list[PartPicture] = Field(default=[], exclude_if=lambda pictures: not pictures)
    left_out: dict[LeftOut, int] = Field(default={}, exclude_if=lambda left_out: not left_out)
    tick_boxes: list[TickBox] | None = Field(default=None, description="None: the reader did not look for any")
    extractor_version: str
