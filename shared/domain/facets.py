"""Counts of a result by the values of its attributes, and the result as a table: shapes of the API and the CLI.

Each value and range says the whole filter that choosing it makes, so that what is counted and what is then found are
one thing.
"""

from datetime import date
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

FacetKind = Literal["category", "boolean", "number", "date"]


class FacetChoice(BaseModel):
    """What can be chosen of an attribute: `where` is the filter then, "" for none; of a chosen one the filter
    without."""

    count: int = Field(description="chunks of the result that have it")
    where: str
    chosen: bool = False


class FacetValue(FacetChoice):
    """One value of a category."""

    value: str


class FacetRange(FacetChoice):
    """The numbers or days from `low` (inclusive) to `high` (exclusive)."""

    low: float | date
    high: float | date


class Facet(BaseModel):
    """One attribute in one unit. `rest` is the filter without its conditions, `narrowed` whether it has any; `written`
    is its name as filters have it."""

    name: str
    written: str
    kind: FacetKind
    unit: str | None = Field(default=None, description="as filters take it; ranges, `low` and `high` are in it")
    chunks: int = Field(description="of the result that have it")
    values: list[FacetValue] = Field(default=[], description="most frequent first")
    further: int = Field(default=0, description="values that are not listed")
    ranges: list[FacetRange] = []
    low: float | date | None = None
    high: float | date | None = None
    rest: str = ""
    narrowed: bool = False


class Facets(BaseModel):
    """Of `chunks` chunks: all that pass the filters (`matches`), or those that a query ranked (`candidates`)."""

    counted: Literal["matches", "candidates"]
    chunks: int
    attributes: list[Facet]


class TableColumn(BaseModel):
    """A column: what is known of every hit (`document`, `date`, …), or an attribute. `unit`: that of every number."""

    name: str
    label: str
    unit: str | None = None
    number: bool = False


class TableRow(BaseModel):
    """A hit as a row; null where it has no such attribute."""

    chunk_id: UUID
    document_id: UUID
    cells: list[str | float | None]


class ResultTable(BaseModel):
    """The hits as a table, in their order."""

    columns: list[TableColumn]
    rows: list[TableRow]
