"""What a document states of an experiment: statements by field, each with its passage, and the cells of its result
tables. These are the JSON shapes of the `/v1` API and of the CLI."""

from datetime import datetime
from typing import Final, Literal, get_args
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.attributes import Quantity
from shared.domain.geometry import Box

SummaryField = Literal["objective", "setup", "dataset", "metrics", "results", "stats", "limits", "confounds"]
FIELDS: Final[tuple[SummaryField, ...]] = get_args(SummaryField)
ValueKind = Literal[
    "number", "quantity", "p_value", "confidence_interval", "deviation", "sample_size", "effect_size", "agreement"
]
# Why a summary may not be what its document says any more.
StaleReason = Literal["superseded", "changed", "rejected"]
# Why there is another version.
VersionReason = Literal["made", "rebuilt", "edited", "restored"]
TEXT_MAX: Final = 1_000


class SummaryValue(BaseModel):
    """A value in a statement: `raw` as printed, from character `start` up to `end` of the statement's text. `quantity`
    has its number, and its unit where one is printed."""

    kind: ValueKind
    raw: str
    start: int
    end: int
    quantity: Quantity


class SummaryStatement(BaseModel):
    """A statement of one field. `id` is the same in every version that states it.

    `origin` extracted: verbatim, characters `start` up to `end` of its one chunk; written: by a model, from the chunks
    that it cites; person: by `author`, verbatim where it has `start` and `end`. `found_by` names what spoke for it:
    heading, phrase, value, caption. `boxes` are those of the chunks that it cites; `tests` the statistical tests that
    it names. `shown` is the text as people read it: a word that a line's end divides is one.
    """

    id: str
    field: SummaryField
    text: str
    shown: str = ""
    chunk_ids: list[UUID] = Field(min_length=1)
    start: int | None = None
    end: int | None = None
    page: int | None = None
    boxes: list[Box] = []
    origin: Literal["extracted", "written", "person"] = "extracted"
    found_by: list[str] = []
    section: str = ""
    values: list[SummaryValue] = []
    tests: list[str] = []
    edit_id: UUID | None = None
    author: str | None = None
    stale: bool = Field(default=False, description="a passage that it cites is not there any more")


class ResultCell(BaseModel):
    """A cell of a result table. `dataset`, `metric` and `system` are read from its headers, its row and its caption, as
    printed; "" for what none of them says. `row` and `column` count from 0 in the table's grid."""

    dataset: str
    metric: str
    system: str
    raw: str
    quantity: Quantity
    chunk_id: UUID = Field(description="of its row, or of the table where that has none")
    table_id: UUID
    row: int
    column: int
    caption: str = ""
    page: int | None = None
    boxes: list[Box] = []


class Searched(BaseModel):
    """Where a field was looked for: the sections that its headings named, and how many sentences and captions were
    read."""

    sections: list[str] = []
    sentences: int = 0


class SummaryBody(BaseModel):
    """What a version says. `taken_out`: what was found and people took out or replaced."""

    statements: list[SummaryStatement] = []
    taken_out: list[SummaryStatement] = []
    cells: list[ResultCell] = []
    searched: dict[SummaryField, Searched] = {}


class FieldConfidence(BaseModel):
    """How far a field can be relied upon: `value` is the product of the three, each from 0 to 1.

    `coverage`: the share of the kinds of evidence for the field (heading, phrase, and value where it is told with
    values) that any statement has; `consistency`: the share that its statements have on average, which is high where
    they agree; `density`: citations that are still there for each statement, at most 1.
    """

    value: float
    coverage: float
    consistency: float
    density: float


class FieldSummary(BaseModel):
    """A field: its statements in the document's order, or `missing`, with where it was looked for."""

    field: SummaryField
    state: Literal["stated", "missing"]
    statements: list[SummaryStatement] = []
    confidence: FieldConfidence | None = None
    searched: Searched


class ExperimentSummary(BaseModel):
    """The summary of a document, in its version `version`. `stale` says why it may not hold any more."""

    document_id: UUID
    knowledge_base_id: UUID
    document: str
    version: int
    newest: int = Field(description="the version that is shown")
    reason: VersionReason
    engine: str
    usd: float = 0.0
    author: str
    created_at: datetime
    stale: list[StaleReason] = []
    fields: list[FieldSummary]
    cells: list[ResultCell]


class ListedSummary(BaseModel):
    """A summary in a list: how many statements each field has, which fields are missing, and which statements and cells
    passed the filter."""

    id: UUID = Field(description="of its document")
    document: str
    version: int
    engine: str
    author: str
    created_at: datetime
    stale: list[StaleReason] = []
    counts: dict[SummaryField, int]
    missing: list[SummaryField]
    cells: int
    statements_found: list[SummaryStatement] = []
    cells_found: list[ResultCell] = []


class SummaryVersion(BaseModel):
    """A version of a summary in a list."""

    version: int
    reason: VersionReason
    restored: int | None = Field(description="the version that it says again")
    engine: str
    usd: float
    author: str
    statements: int
    cells: int
    created_at: datetime


class SummaryChange(BaseModel):
    """A statement that one version has and the other has not. `changed`: `after` stands in the place of `before`."""

    kind: Literal["added", "removed", "changed"]
    field: SummaryField
    before: SummaryStatement | None = None
    after: SummaryStatement | None = None


class SummaryChanges(BaseModel):
    """What differs from version `former` to version `later`: statements in the order of fields, and how many result
    cells only one of them has."""

    former: int
    later: int
    changes: list[SummaryChange]
    cells_added: int
    cells_removed: int


class RestoredSummary(BaseModel):
    """Which version is to be shown again."""

    version: int = Field(ge=1, le=2**31 - 1)


class SummaryFilter(BaseModel):
    """Which summaries: with all `words` in one statement (of `field`), with a cell whose metric and system contain
    these words, with a value from `low` to `high` (in the canonical unit; of `unit` where that is given)."""

    field: SummaryField | None = None
    words: str = Field(default="", max_length=500)
    metric: str | None = Field(default=None, max_length=200)
    system: str | None = Field(default=None, max_length=200)
    low: float | None = None
    high: float | None = None
    unit: str | None = Field(default=None, max_length=50)


class NewSummaryEdit(BaseModel):
    """A change of a summary. `text` alone adds a statement to `field`; with `target`, a statement's id, it replaces
    that; `target` alone takes it out. A statement cites chunks of its document."""

    target: str | None = Field(default=None, max_length=64)
    field: SummaryField | None = Field(default=None, description="where a statement is added")
    text: str | None = Field(default=None, min_length=1, max_length=TEXT_MAX)
    chunk_ids: list[UUID] = Field(default=[], max_length=10)


class SummaryEdit(BaseModel):
    """A change that a person made."""

    id: UUID
    target: str | None
    field: SummaryField
    text: str | None
    chunk_ids: list[UUID]
    author: str
    created_at: datetime


class ComparedCell(BaseModel):
    """One value in a comparison, with the document that states it."""

    document_id: UUID
    document: str
    cell: ResultCell


class ComparedRow(BaseModel):
    """A row of a comparison: by place in `columns`, the cells that give this metric on this dataset. Where a table
    names no dataset its `caption` says what it is of, and no other table has part in the row."""

    dataset: str
    caption: str = ""
    metric: str
    unit: str | None
    cells: list[list[ComparedCell]]
    disagree: list[bool] = Field(description="by place in `columns`: documents give different values")
    printed_of: list[int] = Field(
        default=[], description="what its shares are printed of: 1, 100 or, in different tables, both; compared as one"
    )


class ExperimentComparison(BaseModel):
    """Summaries side by side: what each states of each field, and the metrics by system. Which values are better is
    not known, so none is marked. `left_out`: rows that `limit` left out."""

    summaries: list[ExperimentSummary]
    columns: list[str]
    rows: list[ComparedRow]
    without_summary: list[UUID] = Field(description="documents that have none yet")
    left_out: int = 0


class GroupSource(BaseModel):
    """A document that says a statement of the group, as it says it there."""

    document_id: UUID
    document: str
    statement: SummaryStatement


class GroupStatement(BaseModel):
    """A statement of a group, in the words of the first document that says it; `said_by` has every one, by order."""

    id: str
    field: SummaryField
    text: str
    said_by: list[GroupSource] = Field(min_length=1)


class GroupField(BaseModel):
    """A field over a group. `coverage` is the share of its documents that state it; `confidence` is the mean of the
    documents' own, 0 for one that does not state it. `missing_in` names those."""

    field: SummaryField
    state: Literal["stated", "missing"]
    statements: list[GroupStatement]
    coverage: float
    confidence: float
    missing_in: list[str]


class GroupMember(BaseModel):
    """A document of a group, and the version of its summary that was read."""

    document_id: UUID
    document: str
    version: int
    stale: list[StaleReason]


class WrittenSource(BaseModel):
    """A passage that a statement of a group cites."""

    document_id: UUID
    document: str = ""
    chunk_id: UUID
    page: int | None = None


class WrittenGroupStatement(BaseModel):
    """A statement that a model wrote of a group; its passages bear it out."""

    id: str
    field: SummaryField
    text: str
    sources: list[WrittenSource] = Field(min_length=1)
    values: list[SummaryValue] = []
    stale: bool = Field(default=False, description="a passage that it cites is not there any more")


class WrittenGroupBody(BaseModel):
    """What a version of a written summary of a group says."""

    statements: list[WrittenGroupStatement] = []


class WrittenGroup(WrittenGroupBody):
    """What a model wrote of a group, in its version `version`. `changed`: documents whose summary is another one now,
    or does not hold any more; while there are any, it may not hold either."""

    version: int
    newest: int
    engine: str
    usd: float
    author: str
    created_at: datetime
    changed: list[str]


class WrittenGroupVersion(BaseModel):
    """A version of what a model wrote of a group, in a list."""

    version: int
    engine: str
    usd: float
    author: str
    statements: int
    created_at: datetime


class GroupWish(BaseModel):
    """Of which documents a model writes a summary together. They are of one knowledge base."""

    document_ids: list[UUID] = Field(min_length=2, max_length=20)
    model: str | None = Field(
        default=None, max_length=200, description="which model writes, of /v1/models; null: the usual one"
    )


class GroupSummary(BaseModel):
    """One summary of several documents. It is put together from theirs when it is read: what people changed there is
    in it, and it is as stale as they are. Values are never averaged; `left_out` counts rows. `written` is what a model
    wrote of them, where it was asked to."""

    documents: list[GroupMember]
    without_summary: list[UUID] = Field(description="documents that have none yet, and count for nothing here")
    fields: list[GroupField]
    columns: list[str]
    rows: list[ComparedRow]
    left_out: int = 0
    written: WrittenGroup | None = None
