"""The schema of attributes of a knowledge base: what people declared, and how far it is read.

A knowledge base without a schema is open: every attribute that is read counts. From its first version on only what is
declared does.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.domain.attributes import DeclaredValues
from shared.domain.characters import OneLine

DeclaredType = Literal["number", "category", "date", "text", "boolean"]
Reason = Literal["undeclared", "type", "unit", "value"]
NAME_MAX: Final = 60
LABEL_MAX: Final = 200
ATTRIBUTES_MAX: Final = 300
SYNONYMS_MAX: Final = 100
VALUES_MAX: Final = 500


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class AllowedValue(_Declared):
    """A value of a category, and what else is printed for it."""

    value: OneLine = Field(min_length=1, max_length=LABEL_MAX)
    synonyms: tuple[OneLine, ...] = Field(default=(), max_length=SYNONYMS_MAX)


def _as_value(given: object) -> object:
    return {"value": given} if isinstance(given, str) else given


# A value without synonyms may be given as its text alone.
GivenValue = Annotated[AllowedValue, BeforeValidator(_as_value, json_schema_input_type=AllowedValue | str)]


class Declaration(_Declared):
    """An attribute that counts. It is read from labels and headers that say its name, label or one of its synonyms.

    `unit` (UCUM, or an ISO 4217 currency) is the one in which people think of it: values of its dimension fit. With
    `bare`, numbers without a unit are in it. `values` are those that a category allows; empty: any.
    """

    name: str = Field(min_length=1, max_length=NAME_MAX, description="as filters write it: `motor_power`")
    label: OneLine = Field(default="", max_length=LABEL_MAX)
    type: DeclaredType
    unit: OneLine | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    bare: bool = False
    values: tuple[GivenValue, ...] = Field(default=(), max_length=VALUES_MAX)
    synonyms: tuple[OneLine, ...] = Field(default=(), max_length=SYNONYMS_MAX)
    description: str = Field(default="", max_length=2000)

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        problem = None
        if self.type != "number" and (self.unit or self.bare):
            problem = f"`{self.name}`: a unit belongs to numbers, and it is a {self.type}"
        elif self.bare and not self.unit:
            problem = f"`{self.name}`: `bare` says in which unit numbers without one are; give the unit"
        elif self.type != "category" and self.values:
            problem = f"`{self.name}`: allowed values belong to categories, and it is a {self.type}"
        if problem:
            raise PydanticCustomError("declaration", "{problem}", {"problem": problem})
        return self

    def reads_as(self, other: "Declaration") -> bool:
        """Whether the same values are read for both: they differ in how they are called and described alone."""
        words = {"label": "", "description": ""}
        own = self.model_copy(update=words | {"synonyms": frozenset((self.label, *self.synonyms)) - {""}})
        others = other.model_copy(update=words | {"synonyms": frozenset((other.label, *other.synonyms)) - {""}})
        return own == others


class AttributeSchema(BaseModel):
    """A version of a schema; `version` 0 is that of a knowledge base where nobody declared anything."""

    version: int = 0
    attributes: tuple[Declaration, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.version == 0

    def find(self, name: str) -> Declaration | None:
        return next((one for one in self.attributes if one.name == name), None)


def changed_names(before: Iterable[Declaration], after: Iterable[Declaration]) -> list[str]:
    """The attributes whose values are read otherwise under `after`, also those that are new or gone; sorted."""
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    return sorted(
        name
        for name in old.keys() | new.keys()
        if name not in old or name not in new or not old[name].reads_as(new[name])
    )


class NewSchema(_Declared):
    """A whole schema as the next version. `version` is the one that it was made from: it is refused where another
    came meanwhile."""

    version: int = Field(ge=0, description="the version that this one changes; 0 for the first")
    attributes: tuple[Declaration, ...] = Field(max_length=ATTRIBUTES_MAX)
    why: str = Field(default="", max_length=2000)


class Promotion(_Declared):
    """A candidate that becomes an attribute, by its printed name. What is left out is proposed by what was read."""

    name: OneLine = Field(min_length=1, max_length=LABEL_MAX)
    declaration: Declaration | None = None
    why: str = Field(default="", max_length=2000)


class Demotion(_Declared):
    """An attribute that counts no longer: its values become candidates."""

    name: str = Field(min_length=1, max_length=NAME_MAX)
    why: str = Field(default="", max_length=2000)


class Backfill(BaseModel):
    """How far the documents that were there are read under a version. Stages that ask a model are not part of it:
    `cost_usd` is 0."""

    version: int
    names: list[str]
    status: Literal["running", "done", "cancelled"]
    documents: int
    chunks: int
    documents_done: int
    chunks_done: int
    found: int
    refused: int
    unread: int
    seconds: float
    error: str | None = None
    created_at: datetime
    ended_at: datetime | None = None
    cost_usd: float = 0.0


class BackfillEstimate(BaseModel):
    """What a change would have to read. `seconds` is how long this took per chunk here before, or elsewhere."""

    names: list[str]
    documents: int
    chunks: int
    seconds: float
    cost_usd: float = 0.0


class AttributeChange(BaseModel):
    """An attribute that is other than before; `fields` that differ, `was` what it was called before."""

    name: str
    kind: Literal["added", "removed", "changed", "renamed"]
    fields: list[str] = []
    was: str | None = None
    before: Declaration | None = None
    after: Declaration | None = None


class SchemaDiff(BaseModel):
    """From one version to another, by attribute."""

    before: int
    after: int
    changes: list[AttributeChange]
    estimate: BackfillEstimate | None = None


class SchemaVersion(BaseModel):
    """Who made a version, when and why."""

    version: int
    attributes: list[Declaration]
    why: str
    author: str
    created_at: datetime


class Example(BaseModel):
    """A value where it stands: the chunk, its page and its first box."""

    raw: str
    chunk_id: UUID
    document_id: UUID
    document: str
    page: int | None = None
    box: dict[str, object] | None = None


class AttributeCounts(BaseModel):
    """What is stored of a declared attribute, and what was refused for it, by reason."""

    name: str
    count: int = 0
    documents: int = 0
    values: list[DeclaredValues] = []
    refused: dict[str, int] = {}
    examples: list[Example] = []


class SchemaState(BaseModel):
    """The schema that holds. `open`: nobody has declared anything, and every attribute that is read counts."""

    knowledge_base_id: UUID
    version: int
    open: bool
    attributes: list[Declaration]
    counts: list[AttributeCounts]
    documents: int
    backfill: Backfill | None = None


class SchemaCandidate(BaseModel):
    """Values that no filter finds, by printed name: `declared` is the attribute that they were read for, '' if none."""

    name: str
    declared: str
    reason: Literal["undeclared", "type", "unit", "value", "unreadable"]
    count: int
    documents: int
    kinds: list[str]
    units: list[str]
    examples: list[str]
    places: list[Example] = Field(default=[], description="where some of them stand")
