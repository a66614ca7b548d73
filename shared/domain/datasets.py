"""Datasets: tables of documents with typed columns, whose rows and cells say where they come from."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import repeat
from typing import Annotated, Final, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.json_schema import SkipJsonSchema

from shared.domain.geometry import Box
from shared.domain.knowledge import VersionEnvelope
from shared.domain.transforms import Step, Steps

ROWS_MAX = 100_000
LINEAGE_MAX = 200
ColumnType = Literal["number", "integer", "text", "boolean", "date", "quantity"]
NUMERIC: tuple[ColumnType, ...] = ("number", "integer", "quantity")
Cell = bool | int | float | str | None
# Source types of sheets, whose long tables are stored in windows.
SHEETS: Final = frozenset({"csv", "ods", "xls", "xlsb", "xlsx"})
# The largest whole number that every reader of JSON keeps (RFC 8259, section 6).
EXACT_MAX: Final = 2**53 - 1


def json_cell(cell: Cell) -> Cell:
    """A whole number that a reader of JSON would round as its digits."""
    return str(cell) if isinstance(cell, int) and abs(cell) > EXACT_MAX else cell


def as_printed(value: float, decimals: int | None, digits: int = 12) -> str:
    """With as many decimals as it is printed with; else a whole number with all digits, others with `digits`."""
    if isinstance(value, int) and not decimals:
        return f"{value}"
    return f"{value:.{digits}g}" if decimals is None else f"{value:.{decimals}f}"


# Of columns, by their labels, whose numbers are printed with different decimals: how many each row's is.
Decimals = dict[str, list[int | None]]


JsonCell = Annotated[Cell, PlainSerializer(json_cell, return_type=Cell, when_used="json")]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class DatasetColumn(BaseModel):
    """A column under its header as printed. `unit`: UCUM or ISO 4217; a quantity is a number that has one. `scale`:
    what the printed numbers are to be multiplied by ("in millions"). `confidence`: the share of cells that read as
    `type`, lower where the unit is guessed; 1 where a person said so. `decimals`: how many all of its numbers are
    printed with, absent where they differ; it is read with the rows, and no part of what a revision keeps."""

    model_config = ConfigDict(extra="forbid")

    label: str
    type: ColumnType
    unit: str | None = None
    scale: float = 1.0
    confidence: float = Field(default=1.0, ge=0, le=1)
    formula: str | None = Field(default=None, description="what it was computed by")
    decimals: int | None = Field(default=None, exclude_if=lambda decimals: decimals is None)


def decimals_by_row(columns: Sequence[DatasetColumn], decimals: Decimals) -> Iterator[Sequence[int | None]]:
    """Of each row with how many decimals its numbers are printed; without an end where no column has its own."""
    return zip(*(decimals.get(one.label, repeat(one.decimals)) for one in columns), strict=False)


class WindowRow(BaseModel):
    """A row by its place in the table from 0, header rows counted. `chunk_id`: the passage to cite it by; null where it
    is none of its own, as of a heading in the table. A cell is null where nothing is printed. `formulas` are there
    where cells of a spreadsheet's row have some: by column, "" for one that cannot be read."""

    row: int
    chunk_id: UUID | None
    cells: list[JsonCell]
    formulas: list[str | None] | None = Field(default=None, exclude_if=lambda formulas: formulas is None)


class TableWindow(BaseModel):
    """A part of a document's table as it would be a dataset; `rows_in_all` counts all of it without its header.
    `decimals`: of columns whose numbers are printed with different ones, by their labels, how many each row's is."""

    table_id: UUID
    document_id: UUID
    document: str
    version: VersionEnvelope
    caption: str
    first_page: int
    last_page: int
    columns: list[DatasetColumn]
    rows: list[WindowRow] = Field(description="in the table's order")
    decimals: Decimals = Field(default={}, exclude_if=lambda decimals: not decimals)
    rows_in_all: int
    rows_left: int = Field(description="behind these")


class FoundTable(BaseModel):
    """A table that a dataset can be made of, with those that have the same header. `parts`: a long table of a
    spreadsheet is stored in several."""

    table_id: UUID
    document_id: UUID
    document: str
    caption: str
    first_page: int
    last_page: int
    header: list[str]
    rows: int
    parts: int
    version: int = Field(description="of its document, from 1")
    alike: int = Field(description="tables of the knowledge base with the same header, this one included")


class DatasetSource(BaseModel):
    """A document that a dataset has tables of, as it is now. `newest_id`: its current version, where that is a newer
    one."""

    document_id: UUID
    document: str
    version: str = Field(description="what people call it, else its number from 1")
    newest_id: UUID | None
    tables: int = Field(description="of this document")
    rows: int


class DatasetSummary(BaseModel):
    """A dataset without its rows. `revision` counts changes of its columns and steps; `sha256` is that of its columns
    and steps as canonical JSON. `missing`: tables that it was made of and are gone, or hidden from you."""

    id: UUID
    knowledge_base_id: UUID
    name: str
    revision: int
    sha256: str
    columns: int
    steps: int
    rows: int = Field(description="of its tables, before the steps")
    missing: int
    may_write: bool
    created_at: datetime
    updated_at: datetime


class Dataset(DatasetSummary):
    """Whole, but for its rows. `source_columns` are those of its tables, which people correct; `stored_steps` transform
    them."""

    source_columns: list[DatasetColumn]
    stored_steps: list[Step]
    sources: list[DatasetSource]


class SchemaChange(BaseModel):
    """How a revision differs from the one before it. `before` and `after` are labels, types, or units; a column is
    named as it is called afterwards, and before where it is gone."""

    kind: Literal["added", "removed", "renamed", "type", "unit", "steps", "tables"]
    column: str | None = None
    before: str | None = None
    after: str | None = None


class DatasetRevision(BaseModel):
    """What a dataset was at a time; `changes`: since the revision before."""

    revision: int
    sha256: str
    source_columns: list[DatasetColumn]
    steps: list[Step]
    changes: list[SchemaChange]
    author: str
    created_at: datetime


class RowLineage(BaseModel):
    """Where a row or a cell comes from: `rows` are `table:row`, at most 200 of them, `count` is how many in truth.
    Where one column of several counts, they are `table:row:column`."""

    rows: list[str]
    count: int


# What a list of source rows is called that all columns share.
ALL_ROWS: Final = "l"


class ColumnSource(NamedTuple):
    """A column of tables that a column of a result is made of: `tables` are ids, `column` its place from 0. `rows`
    names the rows of them that a cell is made of: all that its row is of, or of a pivot, a join, a melting not all."""

    tables: frozenset[str]
    column: int
    rows: str = ALL_ROWS


class DatasetNote(BaseModel):
    """What the rows do not show by themselves: cells that are missing because they do not read as their column's type,
    values or rows that a step left out or doubled, which columns it put together. `step` counts from 1; null: the
    tables as they are read. `count`: how many cells or rows it is about."""

    step: int | None
    count: int
    said: str


class DatasetTable(BaseModel):
    """A window of a dataset, its steps applied. Dates are ISO text; whole numbers beyond 2**53 are their digits as
    text, since readers of JSON would round them. `lineage` has an entry for each row; `made_of` says
    for each column which places of its source rows it is computed of, and `rows_of` which rows, where not all.
    `decimals`: of columns whose numbers are printed with different ones, by their labels, how many each row's is; null
    where the number is not printed so."""

    dataset_id: UUID
    revision: int
    sha256: str = Field(description="of its columns and of all steps that were applied")
    columns: list[DatasetColumn]
    rows: list[list[JsonCell]]
    decimals: Decimals = Field(default={}, exclude_if=lambda decimals: not decimals)
    rows_in_all: int
    offset: int
    lineage: list[RowLineage]
    notes: list[DatasetNote] = Field(
        default=[], description="with the first rows alone", exclude_if=lambda notes: not notes
    )
    made_of: SkipJsonSchema[list[list[ColumnSource]]] = Field(default=[], exclude=True)
    rows_of: SkipJsonSchema[dict[str, list[RowLineage]]] = Field(default={}, exclude=True)

    def cells(self, row: int, column: int) -> list[str]:
        """Ids (`table:row:column`) of the printed cells that a cell of the result is made of, for `resolve_cells`."""
        made_of = self.made_of[column]
        found = [
            cell
            for rows in self._row_lists(column)
            for place in self._lineage(rows, row).rows
            for cell in _cells(place, [source for source in made_of if source.rows == rows])
        ]
        return [*dict.fromkeys(found)]

    def count_rows(self, row: int, column: int) -> int:
        """Of how many source rows a cell is made; one without any, as a count of rows, of all that its row is."""
        return sum(self._lineage(rows, row).count for rows in self._row_lists(column) or [ALL_ROWS])

    def _row_lists(self, column: int) -> list[str]:
        return sorted({source.rows for source in self.made_of[column]})

    def _lineage(self, rows: str, row: int) -> RowLineage:
        return (self.lineage if rows == ALL_ROWS else self.rows_of[rows])[row]


def _cells(place: str, made_of: list[ColumnSource]) -> list[str]:
    """Of a source row; where it counts for one column alone (`table:row:column`), of that one."""
    table, row, *only = place.split(":")
    columns = sorted({source.column for source in made_of if table in source.tables})
    return [f"{table}:{row}:{column}" for column in columns if not only or int(only[0]) == column]


class SourceCell(BaseModel):
    """A printed cell: its text, the passage to cite it by (null where its row is none), and its box."""

    id: str
    table_id: UUID
    row: int
    column: int
    text: str
    chunk_id: UUID | None
    document_id: UUID
    knowledge_base_id: UUID
    document: str
    version: str = Field(description="what people call it, else its number from 1")
    page: int | None
    box: Box | None


class HistogramBin(BaseModel):
    """How many values lie from `low` to `high`, the last one included in the last bin."""

    low: float
    high: float
    count: int


class ValueCount(BaseModel):
    """A frequent value."""

    value: str
    count: int


class ColumnProfile(BaseModel):
    """Of all rows. `histogram` for numbers, `frequent` for everything else; `min` and `max` of dates are ISO text.
    `decimals`: how many all of its numbers are printed with; `min_decimals`, `max_decimals`: how many these two."""

    label: str
    decimals: int | None = None
    min_decimals: int | None = None
    max_decimals: int | None = None
    count: int
    missing: int
    distinct: int
    min: JsonCell
    max: JsonCell
    mean: float | None
    stddev: float | None
    histogram: list[HistogramBin]
    frequent: list[ValueCount]


class DatasetProfile(BaseModel):
    """Of a dataset with its steps applied."""

    revision: int
    rows: int
    columns: list[ColumnProfile]


class NewDataset(BaseModel):
    """A dataset of tables with the same number of columns and the same header. With `alike` all of the knowledge base
    that have the header of the first; `superseded` versions of documents too, or current ones alone. `origin`: the
    first step says of each row which document and version it comes from; `labels`: a step says of each which label
    stands over its group."""

    model_config = ConfigDict(extra="forbid")

    knowledge_base_id: UUID
    name: Name | None = Field(default=None, description="else the caption or the document's name")
    table_ids: list[UUID] = Field(min_length=1, max_length=1_000, description="ids of tables, or of chunks in them")
    alike: bool = False
    superseded: bool = False
    origin: bool | None = Field(default=None, description="else where there are several versions of one document")
    labels: bool | None = Field(default=None, description="else where it is sure that rows stand in groups")


class ColumnCorrection(BaseModel):
    """What a column is, as a person says; what is left out stays. A `unit` of "" is none."""

    model_config = ConfigDict(extra="forbid")

    column: str = Field(description="its label")
    type: ColumnType | None = None
    unit: Annotated[str, Field(max_length=60)] | None = None
    label: Name | None = None


class TableReplacement(BaseModel):
    """The tables of a document that the dataset is made of give way to another one, as of its newer version."""

    model_config = ConfigDict(extra="forbid")

    document_id: UUID
    table_id: UUID = Field(description="or that of a chunk in it")


class DatasetChange(BaseModel):
    """Another name; corrections of columns; other steps; other tables, whose columns are read anew: what people
    corrected stays where the header has the same label. What is left out stays. `revision`, where given, is the one
    that was looked at: another one meanwhile is a conflict."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    columns: list[ColumnCorrection] = Field(default=[], max_length=200)
    steps: Steps | None = None
    tables: list[TableReplacement] = Field(default=[], max_length=200)
    revision: int | None = None


class PreviewRequest(BaseModel):
    """`steps` instead of the dataset's own, which stay as they are."""

    model_config = ConfigDict(extra="forbid")

    steps: Steps
    offset: int = Field(default=0, ge=0, le=10_000_000)
    limit: int = Field(default=100, ge=1, le=1_000)


class SourcesRequest(BaseModel):
    """A cell of the result, by its row and column from 0; of other `steps`, where they are given."""

    model_config = ConfigDict(extra="forbid")

    row: int = Field(ge=0, le=10_000_000)
    column: int = Field(ge=0, le=500)
    steps: Steps | None = None
    revision: int | None = Field(default=None, ge=1, lt=2**31, description="else the newest")


class CellSources(BaseModel):
    """The printed cells that a cell of a result is made of, those that you may see: `cells` of at most 200 rows.
    `rows` is how many rows it is made of in truth."""

    label: str
    value: JsonCell
    rows: int
    cells: list[SourceCell]
