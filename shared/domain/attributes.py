"""Typed values found in a document's text, with the text that they were read from.

`raw` is verbatim: it occurs in the text of the fragments named. A number is stored twice: as printed, in the printed
unit, and in the canonical unit of its dimension, so that 10 hp and 7.5 kW can be compared. Units are UCUM codes; for
money the ISO 4217 code takes their place. At the end: the attributes of a knowledge base, from which people choose
filters.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

ATTRIBUTES_VERSION: Final = "attributes-1"
Route = Literal["label", "table", "text", "model"]
Comparator = Literal["=", "<", "<=", ">", ">=", "~"]
# What a passage does not say itself, or once more: a value of the head that it stands under (the headers of its mail,
# the fields of its record); another name of the value before it, for filters alone.
Role = Literal["head", "alias"]


class Quantity(BaseModel):
    """A number as printed: `upper` is the end of a range that begins at `number`, `tolerance` what stands behind ±.

    `unit` is the UCUM code (or currency) of the printed unit, None for a bare number; `canonical_*` the same in the
    unit of its dimension.
    """

    model_config = ConfigDict(frozen=True)

    number: float
    upper: float | None = None
    tolerance: float | None = None
    comparator: Comparator = "="
    unit: str | None = None
    canonical_number: float
    canonical_upper: float | None = None
    canonical_unit: str | None = None


class Attribute(BaseModel):
    """A named value: exactly one of `quantity`, `text`, `time` and `boolean` is set.

    `fragment_ids` are whole fragments, or parts of them where the positions of single characters are known. `qualifier`
    is the other axis of a table: the column's header where the row's label is the name, or the reverse.
    With a `role` it is not said in the passage itself, or is not what is shown.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    raw: str
    fragment_ids: tuple[str, ...]
    route: Route
    quantity: Quantity | None = None
    text: str | None = None
    time: datetime | None = None
    boolean: bool | None = None
    qualifier: str | None = None
    confidence: float = 1.0
    role: Role | None = None

    @property
    def value(self) -> float | str | bool:
        """The value as JSON shows it, in the unit that is printed."""
        if self.quantity is not None:
            return self.quantity.number
        if self.boolean is not None:
            return self.boolean
        return self.time.date().isoformat() if self.time is not None else self.text or ""


class AttributeCandidate(BaseModel):
    """A possible attribute without a typed value: the value is ambiguous, or only an engine proposed it."""

    model_config = ConfigDict(frozen=True)

    name: str
    raw: str


class UndeclaredValue(BaseModel):
    """A typed value that no filter finds, of the chunk at index `chunk` of a draft: its name is not declared, or it
    does not fit what is declared under `declared`."""

    chunk: int
    attribute: Attribute
    declared: str = ""
    reason: Literal["undeclared", "type", "unit", "value"] = "undeclared"


def readable(attributes: Iterable[Attribute]) -> dict[str, Any]:
    """`{name: {raw, value, unit, …}}` as stored on the chunk; further values of a name are listed in its `also`. Those
    of the head have `head`: true."""
    found: dict[str, Any] = {}
    for attribute in attributes:
        if attribute.role == "alias":
            continue
        shown = _shown(attribute)
        if attribute.name in found:
            found[attribute.name].setdefault("also", []).append(shown)
        else:
            found[attribute.name] = shown
    return found


def _shown(attribute: Attribute) -> dict[str, Any]:
    quantity = attribute.quantity
    shown: dict[str, Any] = {
        "raw": attribute.raw,
        "value": attribute.value,
        "unit": quantity.unit if quantity else None,
        "fragment_ids": list(attribute.fragment_ids),
        "route": attribute.route,
    }
    if quantity:
        extra = {
            "upper": quantity.upper,
            "tolerance": quantity.tolerance,
            "comparator": None if quantity.comparator == "=" else quantity.comparator,
            "canonical": None if quantity.unit == quantity.canonical_unit else _canonical(quantity),
        }
        shown |= {name: value for name, value in extra.items() if value is not None}
    if attribute.qualifier:
        shown["qualifier"] = attribute.qualifier
    if attribute.role:
        shown["head"] = True
    return shown


def own_names(attrs: Mapping[str, Any]) -> list[str]:
    """Of the attributes that a passage states itself, of those that are stored on it."""
    return [name for name, value in attrs.items() if not value.get("head")]


def _canonical(quantity: Quantity) -> dict[str, Any]:
    return {"value": quantity.canonical_number, "unit": quantity.canonical_unit}


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
    label: str = Field(default="", description="what people call it, where it is declared")
    type: Literal["number", "category", "date", "text", "boolean"] | None = Field(
        default=None, description="as it is declared; null where nobody declared anything"
    )
    unit: str | None = Field(default=None, description="in which people think of it, where it is declared")
    allowed: list[str] = Field(default=[], description="the values of a declared category")
    description: str = ""
