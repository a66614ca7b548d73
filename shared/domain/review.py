"""What people decide about what was read: a document as a whole, flagged passages, doubtful pages."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.characters import OneLine
from shared.domain.geometry import Box
from shared.domain.knowledge import ReviewState
from shared.domain.operations import ChunkType

Verdict = Literal["accepted", "corrected", "rejected"]
NOTE_MAX = 500
CHUNKS_MAX = 500
PAGES_MAX = 100
Note = Annotated[OneLine, Field(max_length=NOTE_MAX)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class DocumentReview(_Closed):
    """Approve or reject a document version, or take that back (`unreviewed`). A rejected one answers nothing."""

    state: ReviewState
    note: Note | None = None


class PageToReview(_Closed):
    """A page of a document, and every passage on it."""

    document_id: UUID
    page: int = Field(ge=1, lt=2**31)


class NewDecision(_Closed):
    """One decision about passages and pages: those that are named, or at once all that are left with `flag` and no
    other flag, or of the document `document_id`.

    `accepted`: right as they are. `rejected`: left out of retrieval. A table's rows follow their table, passages their
    page.
    """

    verdict: Literal["accepted", "rejected"]
    chunk_ids: list[UUID] = Field(default=[], max_length=CHUNKS_MAX)
    pages: list[PageToReview] = Field(default=[], max_length=PAGES_MAX)
    flag: OneLine | None = Field(default=None, min_length=1, max_length=100)
    document_id: UUID | None = Field(default=None, description="all that is left of this document")
    note: Note | None = None

    @property
    def at_once(self) -> bool:
        """Whether it is about all that is left."""
        return self.flag is not None or self.document_id is not None


class Decided(BaseModel):
    """What was decided: the id that takes it back, and how many passages and pages it is about."""

    decision_id: UUID
    chunks: int
    pages: int


class ReviewItem(BaseModel):
    """Something to look at: a flagged passage, or a page that is yellow or red. A page has no chunk, type or boxes."""

    kind: Literal["chunk", "page"]
    document_id: UUID
    document_name: str
    page: int | None
    chunk_id: UUID | None
    chunk_type: ChunkType | None
    section: str | None
    content: str
    boxes: list[Box]
    flags: list[str]
    confidence: float
    worst: float = Field(description="what the list is sorted by: the lower one of its page's confidence and its own")
    ordinal: int


class FlagLeft(BaseModel):
    """How many passages with a flag are left; `alone`: without another flag."""

    flag: str
    chunks: int
    alone: int


class DocumentLeft(BaseModel):
    """How much of a document is left."""

    id: UUID
    name: str
    chunks: int
    pages: int


class ReviewLeft(BaseModel):
    """How much of a knowledge base is left to look at; documents with most of it first."""

    chunks: int
    pages: int
    flags: list[FlagLeft]
    documents: list[DocumentLeft]


class ReviewDecision(BaseModel):
    """A decision that counts, or did: `stale` of its passages are no longer there as they were, and `reason` says why.

    `excerpt` is the beginning of its first passage.
    """

    id: UUID
    verdict: Verdict
    document_id: UUID
    document_name: str
    documents: int
    page: int | None
    chunks: int
    pages: int
    excerpt: str
    note: str | None
    author: str
    created_at: datetime
    stale: int
    reason: str | None


class Review(BaseModel):
    """What was decided about one passage of a document, or about a page (without `chunk_id`)."""

    id: UUID
    decision_id: UUID
    page: int | None
    chunk_id: UUID | None
    verdict: Verdict
    flags: list[str]
    excerpt: str
    note: str | None
    author: str
    created_at: datetime
    stale: str | None
