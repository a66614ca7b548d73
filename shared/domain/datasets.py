"""A table of a document as a small data set: typed columns, and rows that say which passage each of them is."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.knowledge import VersionEnvelope


class DatasetColumn(BaseModel):
    """A column under its header as printed. `number`: every cell that is not empty is one number; `unit`: that of all,
    `scale`: what they are to be multiplied by ("in millions")."""

    label: str
    kind: Literal["number", "text"]
    unit: str | None = None
    scale: float = 1.0


class DatasetRow(BaseModel):
    """A row by its place in the table from 0, header rows counted. `chunk_id`: the passage to cite it by; null where it
    is none of its own, as of a heading in the table. A cell is null where nothing is printed."""

    row: int
    chunk_id: UUID | None
    cells: list[str | float | None]


class Dataset(BaseModel):
    """A part of a table; `rows_in_all` counts all of it without its header."""

    table_id: UUID
    document_id: UUID
    document: str
    version: VersionEnvelope
    caption: str
    first_page: int
    last_page: int
    columns: list[DatasetColumn]
    rows: list[DatasetRow] = Field(description="in the table's order")
    rows_in_all: int
    rows_left: int = Field(description="behind these")
