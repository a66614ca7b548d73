"""Notes: what somebody wrote here, instead of a file."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.knowledge import DocumentStatus
from shared.domain.people import StrictBody

NoteType = Literal["prose", "code", "table", "reference", "correction"]
TEXT_MAX = 200_000
TAGS_MAX = 20

Tag = Annotated[OneLine, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=40)]


def _written(text: str) -> str:
    if not text.strip():
        raise ValueError("the note is empty: write or paste something")
    if "\0" in text:
        raise ValueError("the note has a character U+0000, which cannot be stored: leave it out")
    return text


Title = Annotated[OneLine, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
NoteText = Annotated[str, StringConstraints(max_length=TEXT_MAX), AfterValidator(_written)]


class Corrects(StrictBody):
    """What a correction corrects: a document, or a chunk of it."""

    document_id: UUID
    chunk_id: UUID | None = None


class NewNote(BaseModel):
    """A note as it is posted. Without a type or a title they are read from the text; `version_of` is the note that it
    is a revision of, whose title and tags stay where none are given."""

    model_config = ConfigDict(extra="forbid")

    text: NoteText
    title: Title | None = None
    note_type: NoteType | None = Field(default=None, alias="type")
    tags: list[Tag] | None = Field(default=None, max_length=TAGS_MAX)
    corrects: Corrects | None = None
    version_of: UUID | None = None


class DraftNote(BaseModel):
    """A text that may become a note."""

    model_config = ConfigDict(extra="forbid")

    text: NoteText


class NoteAdvice(BaseModel):
    """What a text seems to be, and tags that it might have."""

    type: NoteType
    title: str
    tags: list[str]


class Note(BaseModel):
    """A note as it is stored: a version of a document, whose id it has. `text` is what was written."""

    id: UUID
    knowledge_base_id: UUID
    ingestion_id: UUID | None
    title: str
    type: NoteType
    tags: list[str]
    author: str
    text: str = ""
    revision: int = Field(description="from 1")
    is_current: bool
    status: DocumentStatus
    corrects: Corrects | None = None
    created_at: datetime


class PostedNote(Note):
    """The answer to a posted note: it is found by now. `duplicate`: the same note was there already. `suggested_tags`
    are tags that it does not have."""

    duplicate: bool
    suggested_tags: list[str]
    seconds: float


class NoteCorrection(BaseModel):
    """A note that corrects a document: beside `chunk_id` where what it corrects is still said there."""

    id: UUID
    title: str
    text: str
    author: str
    chunk_id: UUID | None
    created_at: datetime
