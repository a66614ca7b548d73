"""Operations: the only thing an extraction engine may say about a page.

An engine decides which fragments belong together and what they are. It never writes text or coordinates: code
composes both from the fragments. A fragment reference is an id (`p12.f4`) or a part of one (`p12.f4[0:17]`,
character offsets, end exclusive).
"""

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.geometry import CellRange, Rect

ChunkType = Literal[
    "text", "list", "code", "formula", "caption", "footnote", "heading", "table", "table_row", "figure", "structured"
]
EngineChunkType = Literal["text", "list", "code", "formula", "caption", "footnote"]
SkipReason = Literal[
    "header",
    "footer",
    "page_number",
    "watermark",
    "repeated_table_header",
    "contents",
    "decoration",
    "invisible",
    "quoted",
    "signature",
    "boilerplate",
]
FigureType = Literal["bitmap", "diagram", "chart", "photo", "other"]

REFERENCE = re.compile(r"^(?P<id>p\d+\.f\d+)(?:\[(?P<start>\d+):(?P<end>\d+)\])?$")
FragmentRef = Annotated[str, Field(pattern=REFERENCE.pattern)]


class _Operation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AttributeClaim(_Operation):
    """A typed value found in passing. `raw` must occur in the text of `value_fragment_ids`."""

    name: str
    value_fragment_ids: list[FragmentRef]
    raw: str
    value: float | str
    unit: str | None = None


class RegisterSection(_Operation):
    """A heading. `address` is the printed number (`C7.6`), None for a heading without one. `depth` from 1."""

    op: Literal["register_section"] = "register_section"
    address: str | None = None
    title_fragment_ids: list[FragmentRef] = Field(min_length=1)
    parent: str | None = None
    depth: int = Field(ge=1, le=12)


class Standing(_Operation):
    """Where a piece of program text stands: in the section at `depth` (0: in none). With a `title`, which is a part of
    its own fragments, it opens that section: one whose heading is not apart from its text. `key` is what the definition
    is called by from outside: `Parser.parse` of a method that is written outside of its class, else its name."""

    depth: int = Field(ge=0, le=12)
    title: FragmentRef | None = None
    key: str = ""


class RegisterChunk(_Operation):
    """Fragments that read as one piece. `section` is the printed address that this chunk itself bears
    (a numbered rule, whose number starts its text); None puts it into the section that is open.

    `head`: its labelled values hold for all that follows, up to the next head that begins (a mail's headers, the fields
    of a record); one that goes on is of the head before it."""

    op: Literal["register_chunk"] = "register_chunk"
    fragment_ids: list[FragmentRef] = Field(min_length=1)
    chunk_type: EngineChunkType
    section: str | None = None
    keywords: list[str] = []
    attributes: list[AttributeClaim] = []
    continues_previous_page: bool = False
    head: Literal["begins", "goes_on"] | None = Field(default=None, exclude_if=lambda head: head is None)
    stands: Standing | None = Field(default=None, exclude_if=lambda stands: stands is None)
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    notes: str = ""


# More than any table on a page has; the limit is needed as spans are numbers that an engine wrote.
MAX_COLUMNS: Final = 400


class Cell(_Operation):
    """One cell of a table; a cell without text has no fragments. Where it has a formula, `place` says which cell of
    its sheet it is."""

    fragment_ids: list[FragmentRef] = []
    row_span: int = Field(default=1, ge=1)
    col_span: int = Field(default=1, ge=1)
    place: CellRange | None = Field(default=None, exclude_if=lambda place: place is None)


class RegisterTable(_Operation):
    """A grid of cells, the first `header_rows` of which are its header. `continues_previous_page` joins it to the
    last table of the page before."""

    op: Literal["register_table"] = "register_table"
    header_rows: int = Field(default=0, ge=0)
    rows: list[list[Cell]] = Field(min_length=1)
    caption_fragment_ids: list[FragmentRef] = []
    continues_previous_page: bool = False
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    notes: str = ""


class RegisterFigure(_Operation):
    """A figure: its box is that of an image or drawing that the page file lists, united with those of its labels.
    `label_fragment_ids` are text inside or beside the drawing that belongs to it. In a source without pages it is all
    of the `picture` with this id, and its box is that of the picture."""

    op: Literal["register_figure"] = "register_figure"
    box: Rect
    picture: str | None = Field(default=None, exclude_if=lambda picture: picture is None)
    caption_fragment_ids: list[FragmentRef] = []
    label_fragment_ids: list[FragmentRef] = []
    figure_type: FigureType = "other"
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)


class Skip(_Operation):
    """Text that is not content, with the reason."""

    op: Literal["skip"] = "skip"
    fragment_ids: list[FragmentRef] = Field(min_length=1)
    reason: SkipReason


class CandidateAttribute(_Operation):
    """An attribute that no schema declares."""

    op: Literal["candidate_attribute"] = "candidate_attribute"
    name: str
    raw: str
    fragment_ids: list[FragmentRef]


Operation = Annotated[
    RegisterSection | RegisterChunk | RegisterTable | RegisterFigure | Skip | CandidateAttribute,
    Field(discriminator="op"),
]


class PageOperations(BaseModel):
    """What an engine says about one page, in reading order; stored as `ops/{n}.json`.

    `flags` are reasons for a person to look at the page (`order_conflict`, `engine_fallback`, …).
    """

    model_config = ConfigDict(extra="forbid")

    page: int = Field(ge=1)
    operations: list[Operation] = []
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    flags: list[str] = []
    notes: str = ""
    engine: str
    engine_version: str
