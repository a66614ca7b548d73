"""The attributes of a knowledge base, from which people choose filters."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


class DeclaredValues(BaseModel):
    """The values of one type and one unit. `unit` is canonical (UCUM, or a currency), `printed_unit` as on the page;
    both are null for bare numbers and for what is no number. `low` and `high` are in `unit`."""

    type: Literal["number", "text", "time", "boolean"]
    unit: str | None = None
    printed_unit: str | None = None
    count: int
    low: float | None = None
    high: float | None = None
    first: datetime | None = None
    last: datetime | None = None
    example: str


class DeclaredAttribute(BaseModel):
    """A name that filters may use, with how many values it has in how many documents."""

    name: str
    count: int
    documents: int
    values: list[DeclaredValues] = Field(description="most frequent first")
