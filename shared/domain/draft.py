"""A document as reader and extraction engine produce it, without ids: the input of `finalize`.

All readers produce a `DocumentDraft`; rows get their ids when the store upserts them. Lists begin by a factory: one
that is given pydantic would copy, deeply and in Python, for each chunk.
"""

from typing import Any

from pydantic import BaseModel, Field

from shared.domain.attributes import Attribute, AttributeCandidate, UndeclaredValue
from shared.domain.cell_formulas import CellFormula
from shared.domain.geometry import Box, FigureBox
from shared.domain.kept_rows import KeptRows
from shared.domain.operations import ChunkType, FigureType, SkipReason


class SectionDraft(BaseModel):
    """A section; `index` is its position in `DocumentDraft.sections`, `parent` the index of its parent.

    `captioned` is what a caption names, a table or figure, which stays part of its parent.
    `title` is verbatim, without the address. `aliases` are further normalised addresses it answers to;
    those of a section without an address are names of what it defines, and as good as printed ones.
    """

    index: int
    parent: int | None
    address: str | None
    address_key: str | None
    aliases: list[str] = Field(default_factory=list[str])
    title: str
    depth: int
    page: int | None
    captioned: bool = False


class ChunkDraft(BaseModel):
    """A chunk in document order. `content` is its fragments' texts joined by the reader's rule.

    `section` indexes `DocumentDraft.sections`; `table` indexes `DocumentDraft.tables` for a table and its rows.
    `context` is what the index text adds in front of the content (section path, caption), never shown as content.
    `labelled` stands for the content in the index text of a table's row: each cell behind its column's header. `row` is
    the row's place in its table's grid, from 0, header rows counted. `formulas` are those of its cells, of a whole
    table none: its grid has them.
    """

    section: int | None
    chunk_type: ChunkType
    content: str
    boxes: list[Box]
    keywords: list[str] = Field(default_factory=list[str])
    attributes: list[Attribute] = Field(default_factory=list[Attribute])
    attrs: dict[str, Any] = Field(default_factory=dict[str, Any])
    context: str = ""
    labelled: str = ""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    flags: list[str] = Field(default_factory=list[str])
    ocr: bool = False
    table: int | None = None
    row: int | None = None
    formulas: list[CellFormula] = Field(default_factory=list[CellFormula])


class CellDraft(BaseModel):
    """A cell of a stored table: its verbatim text and boxes, and its formula where it has one."""

    text: str
    boxes: list[Box]
    row_span: int = 1
    col_span: int = 1
    formula: str | None = Field(default=None, exclude_if=lambda formula: formula is None)
    calculated: bool = Field(default=True, exclude_if=bool)


class FormValue(BaseModel):
    """What a row of a form has under a label: the text of the row's `cell` (from 0) from the character `start` on. The
    label stands in the cell before it, or in front of it in its own."""

    label: str
    cell: int
    start: int = 0


class TableDraft(BaseModel):
    """A table as a grid; the first `header_rows` rows are its header. May run over several pages. `values`: those of
    the rows that are a form's or fields, by row. `kept`: rows that follow those of the grid and are no passages."""

    header_rows: int
    rows: list[list[CellDraft]]
    values: dict[int, list[FormValue]] = Field(default_factory=dict[int, list[FormValue]])
    caption: str = ""
    first_page: int
    last_page: int
    kept: KeptRows | None = None


class FigureDraft(BaseModel):
    """A figure; `chunk` indexes `DocumentDraft.chunks`."""

    page: int
    box: FigureBox
    caption: str
    figure_type: FigureType
    chunk: int


class SkippedDraft(BaseModel):
    """Text left out of the chunks, with its reason: shown in the inspector on demand."""

    page: int
    reason: SkipReason
    text: str
    box: Box


class PageSummary(BaseModel):
    """What finalize records of a page. Counts are in fragments; `unclaimed` is an error unless 0."""

    page: int
    confidence: float
    flags: list[str] = Field(default_factory=list[str])
    fragments: int
    claimed: int
    skipped: int
    unclaimed: int


class DocumentDraft(BaseModel):
    """A whole document, ready to be stored in one transaction.

    `schema_version` is what its attributes were read under; None: nobody has declared any.
    """

    sections: list[SectionDraft]
    chunks: list[ChunkDraft]
    tables: list[TableDraft] = Field(default_factory=list[TableDraft])
    figures: list[FigureDraft] = Field(default_factory=list[FigureDraft])
    skipped: list[SkippedDraft] = Field(default_factory=list[SkippedDraft])
    pages: list[PageSummary] = Field(default_factory=list[PageSummary])
    candidates: list[AttributeCandidate] = Field(default_factory=list[AttributeCandidate])
    undeclared: list[UndeclaredValue] = Field(default_factory=list[UndeclaredValue])
    schema_version: int | None = None
    confidence: float
