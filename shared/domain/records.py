"""Records: structured data of a declared kind, each a document whose versions are its states."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.knowledge import DocumentStatus

KEY_MAX = 200
BATCH_MAX = 1_000

KindName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,59}$")]
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=120)]
RecordKey = Annotated[OneLine, StringConstraints(strip_whitespace=True, min_length=1, max_length=KEY_MAX)]


class KindSchema(BaseModel):
    """What records of a kind are: `schema` is JSON Schema (draft 2020-12) of an object. Its properties that are objects
    are the groups of fields, lists of objects are tables; `title` is a field's label, `x-unit` its unit.

    `key_field` tells records apart, and without one each is posted with its key; `title_field` is what one is called.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    json_schema: dict[str, Any] = Field(alias="schema")
    key_field: FieldName | None = None
    title_field: FieldName | None = None


class RecordKind(KindSchema):
    """A declared kind. `revision` goes up with each change; a record keeps the schema that it was posted under."""

    name: KindName
    revision: int
    updated_at: datetime


class NewRecord(BaseModel):
    """A record as it is posted. `key` may be left out where the kind says which field it is."""

    model_config = ConfigDict(extra="forbid")

    kind: KindName
    key: RecordKey | None = None
    values: dict[str, Any]


class RecordBatch(BaseModel):
    """Records that are posted together: all are checked before the first one is stored."""

    model_config = ConfigDict(extra="forbid")

    records: list[NewRecord] = Field(min_length=1, max_length=BATCH_MAX)


class PostedRecord(BaseModel):
    """A record that is found by now: the document that is its present version, of the document that its versions share.
    `duplicate`: it was stored with these values already."""

    id: UUID
    kind: str
    key: str
    title: str
    revision: int
    status: DocumentStatus
    duplicate: bool


class PostedRecords(BaseModel):
    """The answer to a batch, in its order."""

    records: list[PostedRecord]
    stored: int
    duplicates: int
    seconds: float
