"""What a version of a document has that the version before has not, chunk by chunk."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.knowledge import VersionEnvelope
from shared.domain.operations import ChunkType


class ChangedChunk(BaseModel):
    """A chunk of this version, of the one before, or of both where one took the other's place."""

    change: Literal["added", "changed", "removed"]
    chunk_type: ChunkType
    id: UUID | None = Field(description="in this version")
    page: int | None = None
    before_id: UUID | None = Field(default=None, description="in the version before")
    before_page: int | None = None


class DocumentChanges(BaseModel):
    """`same` chunks say what they said before: their vectors are used again. `items` are the first of the others, as
    this version has them."""

    document_id: UUID
    before_id: UUID
    before: VersionEnvelope
    same: int
    added: int
    changed: int
    removed: int
    items: list[ChangedChunk]
