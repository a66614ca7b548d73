"""Versions of a logical document: what is suggested, what people decide. JSON shapes of the API and of the CLI."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.characters import OneLine
from shared.domain.document_date import EARLIEST_DATE
from shared.domain.knowledge import Document
from shared.domain.version_profile import VersionParts

SuggestionStatus = Literal["open", "accepted", "dismissed"]
LABEL_MAX = 80
NAME_MAX = 255
VERSIONS_MAX = 1000


class VersionOf(BaseModel):
    """One side of a suggestion: a document version, by what people know it by."""

    id: UUID
    name: str
    label: str | None
    index: int


class LogicalDocumentRef(BaseModel):
    """A logical document and how many versions it has."""

    id: UUID
    name: str
    versions: int


class VersionSuggestion(BaseModel):
    """`document` looks like a version of `logical_document`, whose version `nearest` is most like it.

    `score` is what `parts` come to; `position` (from 1) and `label` are where and as what it would be linked. Nothing
    is linked until somebody accepts.
    """

    id: UUID
    knowledge_base_id: UUID
    document: VersionOf
    logical_document: LogicalDocumentRef
    nearest: VersionOf | None
    score: float
    parts: VersionParts
    label: str | None
    position: int
    status: SuggestionStatus
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None


class LinkRequest(BaseModel):
    """Make a document a version of the logical document that `version_of`, another document, belongs to.

    `position` counts from 1, oldest first; without it the place follows from what the names say about date and number,
    the end where they say nothing.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    version_of: UUID
    label: OneLine | None = Field(default=None, min_length=1, max_length=LABEL_MAX)
    position: int | None = Field(default=None, ge=1, le=VERSIONS_MAX)


class AcceptRequest(BaseModel):
    """Link as suggested, with another label or position where given."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    label: OneLine | None = Field(default=None, min_length=1, max_length=LABEL_MAX)
    position: int | None = Field(default=None, ge=1, le=VERSIONS_MAX)


class DocumentChange(BaseModel):
    """What may be changed about a document; a field that is left out stays, a label or a date that is null is removed.

    `logical_document_name` is what all its versions are called together. A date that was changed or removed stays so
    when the document is read again.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: OneLine | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    label: OneLine | None = Field(default=None, min_length=1, max_length=LABEL_MAX)
    logical_document_name: OneLine | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    document_date: date | None = Field(default=None, ge=EARLIEST_DATE)


class Versions(BaseModel):
    """All versions of a logical document, oldest first."""

    logical_document: LogicalDocumentRef
    items: list[Document]
