"""Documents, sections and chunks as they are read back, and the hits that retrieval answers with.

These are the JSON shapes of the `/v1` API and of the CLI.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from shared.domain.cell_formulas import CellFormula
from shared.domain.document_date import DateSource, DateUnit
from shared.domain.facets import Facets, ResultTable
from shared.domain.geometry import Box, with_ticks
from shared.domain.operations import ChunkType

DocumentStatus = Literal["queued", "running", "ready", "ready_with_errors", "refused", "failed"]
Tier = Literal["green", "yellow", "red"]
ReviewState = Literal["unreviewed", "approved", "rejected"]
GREEN_FROM = 0.85
YELLOW_FROM = 0.70


def tier_of(confidence: float) -> Tier:
    """Document tier by confidence: green from 0.85, yellow from 0.70 (docs/decisions/0003)."""
    if confidence >= GREEN_FROM:
        return "green"
    return "yellow" if confidence >= YELLOW_FROM else "red"


class SectionStep(BaseModel):
    """One level of a section's path, outermost first."""

    id: UUID
    address: str | None
    title: str


class Section(SectionStep):
    """A section with its path from the document's top down to itself; `depth` from 1."""

    path: list[SectionStep]
    depth: int


class TableCell(BaseModel):
    """A cell of a table: its verbatim text, and where it stands (on two pages where a page break divides its row).

    `formula` is there where the cell of a spreadsheet has one, "" where it cannot be read; `calculated` where it is
    false: nobody has calculated the formula, and the cell has no text."""

    text: str
    boxes: list[Box]
    row_span: int = 1
    col_span: int = 1
    formula: str | None = Field(default=None, exclude_if=lambda formula: formula is None)
    calculated: bool = Field(default=True, exclude_if=bool)

    @computed_field
    @property
    def fragment_ids(self) -> list[str]:
        return [reference for box in self.boxes for reference in box.fragment_ids]


class TableGrid(BaseModel):
    """A table, whole; the first `header_rows` rows are its header. A row lists the cells that begin in it, from the
    left: a cell above that reaches into it takes its place, as in HTML."""

    id: UUID
    caption: str
    header_rows: int
    first_page: int
    last_page: int
    rows: list[list[TableCell]]


class Chunk(BaseModel):
    """A chunk, whole. `content` is verbatim; `section_id` is the printed address of its section.

    `table_id` and `row` (from 0, header rows counted) say which row of which table a `table_row` is; `table` is the
    grid, on a chunk of type `table` in a document's list of chunks. `labelled`: a row of a table with each cell after
    its column's header (`Class: S | Minimum mass (kg): 372`); null where that says nothing more.
    `formulas` are there where cells of a spreadsheet that the chunk stands in have some, but for a whole table, whose
    grid has them.
    """

    id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    ordinal: int
    chunk_type: ChunkType
    content: str
    section_id: str | None
    section: Section | None
    boxes: list[Box]
    attrs: dict[str, Any] = {}
    keywords: list[str] = []
    date: datetime | None = None
    confidence: float
    flags: list[str] = []
    ocr: bool = False
    table_id: UUID | None = None
    row: int | None = None
    labelled: str | None = None
    table: TableGrid | None = None
    formulas: list[CellFormula] | None = Field(default=None, exclude_if=lambda formulas: not formulas)

    @computed_field
    @property
    def marked(self) -> str | None:
        """The content with ☒ and ☐ where the page draws boxes to tick, and with the numbers that lists show and nobody
        typed; None where there are none."""
        shown = with_ticks(self.content, self.boxes)
        return shown if shown != self.content else None

    @property
    def told(self) -> str:
        """What it says to who sees no page: boxes with their ticks, cells with their headers."""
        return self.marked or self.labelled or self.content

    @property
    def section_path(self) -> str:
        """Its sections from the top, with their numbers; "" for none."""
        path = self.section.path if self.section else []
        return " › ".join(" ".join(filter(None, (step.address, step.title))) for step in path)

    @property
    def first_page(self) -> int | None:
        return min((box.page for box in self.boxes), default=None)


class VersionEnvelope(BaseModel):
    """Which version of which logical document a hit comes from; `index` counts from 1, oldest first."""

    label: str | None
    index: int
    is_current: bool
    logical_document_name: str


class DocumentRef(BaseModel):
    """The document of a hit."""

    id: UUID
    name: str
    source_type: str


IndexName = Literal["lookup_section", "fts_search", "vector_search", "rerank"]


class IndexRank(BaseModel):
    """Where one index ranked a hit: `rank` from 1, `score` null for look-up."""

    name: IndexName
    rank: int = Field(ge=1)
    score: float | None


class Boost(BaseModel):
    """A factor applied after fusion, with the rank before and after."""

    name: str
    factor: float
    from_rank: int
    to_rank: int


class OtherPlace(BaseModel):
    """The same passage of the same file in another knowledge base."""

    chunk_id: UUID
    document: DocumentRef
    knowledge_base_id: UUID
    knowledge_base: str = Field(description="its name")


class CorrectingNote(BaseModel):
    """A note that corrects what a hit says. `text` is its beginning, up to 2,000 characters."""

    id: UUID
    title: str
    text: str
    author: str
    of_document: bool = Field(description="it corrects the document as a whole, and not this passage of it")
    created_at: datetime


class NamedCell(BaseModel):
    """A cell of a row: its text under its column's header ("" for none)."""

    label: str
    value: str

    def __str__(self) -> str:
        return f"{self.label}: {self.value}" if self.label else self.value


class KeptRow(BaseModel):
    """A row of a long table that is no passage, with those of its cells that have text. `row` is its number in its
    sheet, `range` its cells there (`A652:D652`), `page` its part of the document; `flags` as of a passage: whether its
    source hides it."""

    page: int
    row: int
    sheet: str
    range: str
    cells: list[NamedCell]
    flags: list[str] = []


class Hit(BaseModel):
    """A chunk that a query found, with every index that found it; a file that lies in several knowledge bases gives one
    hit, with its `other_places`. `corrected_by`: what was written since against it, oldest first.

    `kept_row`: the hit of an answer is this row of a long table, which is no passage. The id of its chunk names the row
    in its table as long as that holds the same rows; there is no chunk to be read by it."""

    chunk: Chunk
    document: DocumentRef
    score: float
    indexes: list[IndexRank]
    boosts: list[Boost] = []
    version: VersionEnvelope | None = None
    other_places: list[OtherPlace] = []
    corrected_by: list[CorrectingNote] = []
    kept_row: KeptRow | None = None


class RowBehind(KeptRow):
    """A row of a long table that is no passage, as a search lists it. An answer cites it by its `id`; `words` are those
    of the query that stand in it."""

    id: UUID
    knowledge_base_id: UUID
    table_id: UUID
    document: DocumentRef
    version: VersionEnvelope
    words: list[str]


class DocumentBehind(BaseModel):
    """A document with `rows` that are no passages."""

    document: DocumentRef
    version: VersionEnvelope
    rows: int


class RowsBehind(BaseModel):
    """The rows of long tables in scope that are no passages: `rows` of them, in `document_count` documents, of which
    those with the most are listed. They are not ranked, and meaning does not find them: words do.

    `sought` are the words of the query that were looked for; none where an index or a filter was asked for that such
    rows have no part in. `hits`: the first rows that have all of those that some block has, then those with a code
    among them. `before_hits`: the first of them has all words of the query, or all its codes, and no ranked passage
    does, so that it is shown above these. `absent`: words that none has. `more`: others may have them too. `unread`:
    rows of which nothing is known until their document is reingested.
    """

    rows: int
    document_count: int
    documents: list[DocumentBehind]
    sought: list[str] = []
    absent: list[str] = []
    hits: list[RowBehind] = []
    before_hits: bool = False
    more: bool = False
    unread: int = 0


class SearchResult(BaseModel):
    """Answer of `search`. `corrections` maps misspelt words of the query to those that were looked for instead;
    `facets` and `table` are there where they were asked for; `rows_behind` where documents in scope have rows that are
    no passages."""

    query: str
    trace_id: UUID
    latency_ms: float
    hits: list[Hit]
    corrections: dict[str, str] = {}
    facets: Facets | None = None
    table: ResultTable | None = None
    rows_behind: RowsBehind | None = None


class FoundSection(BaseModel):
    """A section that an address resolved to. `exact`: printed so, and not only an alias, as one without its letter.

    `told_by` is the section of its document with the same address that has the text, where this one has none (as an
    entry of a list): its chunks are then not among the hits.
    """

    section: Section
    document: DocumentRef
    version: VersionEnvelope | None
    exact: bool = True
    told_by: UUID | None = None


class LookupResult(BaseModel):
    """Answer of `lookup`: the sections, and their chunks in document order."""

    query: str
    trace_id: UUID
    latency_ms: float
    sections: list[FoundSection]
    hits: list[Hit]


class QuotedCell(BaseModel):
    """A cell of a quoted row, as printed, under its column's header ("" for none); `hidden` as of a statement."""

    label: str
    value: str
    answers: bool = Field(description="it is what was asked for")
    hidden: list[tuple[int, int]] = []


class RowsMeeting(BaseModel):
    """How many `rows` of the `compared` ones of a table are meant, and by what: `berth: North B`, `over 20 m`."""

    rows: int
    compared: int
    said: list[str]


class AnswerSentence(BaseModel):
    """One statement of an answer with the chunks it stands on (never empty).

    `marks`: where its text holds a value of the kind that was asked for, from and up to a character. `hidden`: where it
    has what is written and not shown, the brackets and targets of Markdown's links. `cells`: of a table's row.
    `compared`: of how many rows of its table, by one column, it has the most or the least, where that is asked.
    `meeting`: where it is asked which things there are, how many rows of its table are meant, of which the first ten
    are quoted.
    `listed`: it is an item of the list that the statement before the list announces.
    """

    text: str
    citations: list[UUID] = Field(min_length=1)
    marks: list[tuple[int, int]] = []
    hidden: list[tuple[int, int]] = []
    cells: list[QuotedCell] = []
    compared: int | None = None
    meeting: RowsMeeting | None = None
    listed: bool = False

    @property
    def told(self) -> str:
        """What it says to who sees no page: cells with their headers."""
        return told_cells(self.cells) or self.text


def told_cells(cells: Sequence[QuotedCell]) -> str:
    """`Class: S · Minimum mass (kg): 372`, without what is not shown; "" for none."""
    return " · ".join(f"{cell.label}: {_shown(cell)}".removeprefix(": ") for cell in cells)


def _shown(cell: QuotedCell) -> str:
    return "".join(one for at, one in enumerate(cell.value) if not any(a <= at < b for a, b in cell.hidden))


class ConflictSide(BaseModel):
    """What one of two statements says: `sentence` is its place in the answer from 0; `value` as printed, null where it
    is what the statement says as a whole. `date`: the passage's own, else its document's, else when that was added."""

    sentence: int
    value: str | None
    chunk_id: UUID
    document: DocumentRef
    version: VersionEnvelope | None = None
    date: datetime | None = None


class Contradiction(BaseModel):
    """Two statements of an answer, by their places in it from 0, that give one thing different values (`value`), or of
    which one denies the other (`polarity`).

    `between`: two versions of one document, two documents, or two places of one. `sides`: of versions the older first.
    """

    sentences: tuple[int, int]
    kind: Literal["value", "polarity"] = "value"
    between: Literal["versions", "documents", "places"] = "documents"
    sides: list[ConflictSide] = Field(default=[], description="two")


class Insufficiency(BaseModel):
    """Why an answer has no sentence. Before anything is quoted, or a model asked: there is nothing to read
    (`nothing_there`); a name, code or year of the question is nowhere in scope (`not_named`); a year is not that of
    what comes nearest (`other_period`); nothing near gives such a value (`no_value`); no passage speaks of it
    (`not_spoken_of`); nothing is near in words or meaning (`nothing_found`). After: the model wrote nothing, or nothing
    that it wrote is borne out.

    `missing`: the words of the question that the reason is about. `searched` are knowledge bases, `nearest` chunks, the
    nearest first.
    """

    reason: Literal[
        "nothing_there",
        "not_named",
        "other_period",
        "no_value",
        "not_spoken_of",
        "nothing_found",
        "model_declined",
        "not_borne_out",
    ]
    missing: list[str] = []
    searched: list[UUID]
    nearest: list[UUID]


class Widening(BaseModel):
    """A knowledge base that was not asked and seems to answer: ask again with it, if whoever asks wishes. `confidence`
    is that of an answer, by its passages."""

    knowledge_base_id: UUID
    slug: str
    name: str
    confidence: float


class Answer(BaseModel):
    """Answer of `ask`. Where nothing answers there are no sentences, and `answer` says so.

    `mode` quotations: statements quoted word for word, the best first; answer: sentences that `model` wrote, each borne
    out by what it cites, for `usd` US dollars.

    `hits` is everything that the search behind it found; `citations` are those that the answer stands on.
    `confidence` is the estimated probability that the documents answer the question; it does not speak of a single
    statement. `corrections` maps misspelt words of the question to those that were looked for instead.
    """

    answer: str
    sentences: list[AnswerSentence]
    citations: list[Hit]
    hits: list[Hit]
    insufficient_evidence: bool
    contradictions: list[Contradiction] = []
    confidence: float
    trace_id: UUID
    corrections: dict[str, str] = {}
    mode: Literal["quotations", "answer"] = "quotations"
    model: str | None = None
    usd: float = 0.0
    insufficiency: Insufficiency | None = None
    widening: list[Widening] = Field(
        default=[], description="where nothing answers: also search these? Nothing of them is in the answer"
    )
    rows_behind: RowsBehind | None = Field(
        default=None, description="rows that are no passages and have words of the question: none is in the answer"
    )


class KnowledgeBase(BaseModel):
    """A knowledge base with its counts. Passages that have its `date_attribute` are as old as that says, whatever the
    date of their document is.

    `restricted`: named members alone see it, and owners and admins. `may_write`: whoever asks may change it.
    `approved_only`: only documents that somebody approved answer.
    """

    id: UUID
    name: str
    slug: str
    description: str
    date_attribute: str | None = None
    restricted: bool = False
    approved_only: bool = False
    may_write: bool = True
    documents: int
    chunks: int


class Document(BaseModel):
    """A document version as listed. `revision` counts the changes of its chunks: an edit names the one it is about.

    `source_changed_at`: since when its stored source is known not to be the file that was uploaded. Nothing of it is
    proved then: its tier is red, and its chunks bear the flag `source_changed`.

    `document_date` is what recency counts from, before `created_at`; `document_date_source` says where it was read, or
    that a person `edited` it, which may have left none.
    """

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    knowledge_base_id: UUID
    logical_document_id: UUID
    name: str
    source_type: str
    status: DocumentStatus
    error: str | None
    needs_password: bool = Field(default=False, description="it is protected, and no password has opened it")
    tier: Tier | None
    confidence: float | None
    pages: int
    chunks: int
    size: int
    source_hash: str
    source_changed_at: datetime | None = None
    version: VersionEnvelope
    engine: str | None
    extractor_version: str | None
    embedder_version: str | None
    ingestion_id: UUID | None
    revision: int = 0
    document_date: date | None = Field(default=None, description="of a month or a year its first day")
    document_date_unit: DateUnit | None = None
    document_date_source: DateSource | None = None
    document_date_confidence: float | None = None
    document_date_text: str | None = Field(default=None, description="what it was read from")
    review: ReviewState = Field(default="unreviewed", description="a rejected document answers nothing")
    reviewed_by: str | None = None
    reviewed_at: datetime | None = None
    review_note: str | None = None
    created_at: datetime
    published_at: datetime | None
    skipped: dict[str, int] = {}
    seconds: float | None = None
    cost_usd: float = 0.0


class DocumentTree(BaseModel):
    """A logical document with its versions, oldest first."""

    id: UUID
    name: str
    versions: list[Document]
