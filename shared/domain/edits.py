"""People's corrections of an extraction: the requests, what is stored of them, and what is shown.

An edit never contains text. It says which fragments belong together and what they are; text and boxes are composed from
them as for an engine's operations. Stored edits refer to fragments, because chunk ids may change.
"""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.domain.knowledge import Chunk
from shared.domain.operations import (
    ChunkType,
    EngineChunkType,
    FragmentRef,
    RegisterChunk,
    RegisterSection,
    Skip,
    SkipReason,
)

EditKind = Literal["merge", "split", "retype", "resection", "furniture", "restore", "unflag"]
# The same as REFERENCE, in the regular expression dialect of JSON Schema.
LineRef = Annotated[str, Field(pattern=r"^p[0-9]+\.f[0-9]+(\[[0-9]+:[0-9]+\])?$", max_length=60)]
EditedType = Literal["text", "list", "code", "formula", "caption", "footnote", "heading"]
MAX_CHUNKS = 50
MAX_FRAGMENTS = 2000
ChunkIds = Annotated[list[UUID], Field(min_length=1, max_length=MAX_CHUNKS)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Merge(_Closed):
    """Make one chunk of several, in reading order; it has the type and the section of the first."""

    kind: Literal["merge"] = "merge"
    chunk_ids: Annotated[list[UUID], Field(min_length=2, max_length=MAX_CHUNKS)]


class Split(_Closed):
    """Begin a new chunk at one of a chunk's lines, named by its fragment."""

    kind: Literal["split"] = "split"
    chunk_id: UUID
    fragment_id: LineRef


class Retype(_Closed):
    """Say what a chunk is. `depth` (from 1) is for a heading; without it a numbered title has as many levels as its
    number, and another stands beside the heading before it. A table or a figure can become text, whole."""

    kind: Literal["retype"] = "retype"
    chunk_id: UUID
    chunk_type: EditedType
    depth: Annotated[int, Field(ge=1, le=12)] | None = None


class Resection(_Closed):
    """Put chunks into a section of the document; null puts them where reading order has them."""

    kind: Literal["resection"] = "resection"
    chunk_ids: ChunkIds
    section_id: UUID | None


class FurnitureEdit(_Closed):
    """Leave chunks out: they are no content, for this reason."""

    kind: Literal["furniture"] = "furniture"
    chunk_ids: ChunkIds
    reason: SkipReason


class Restore(_Closed):
    """Make a chunk of text that was left out; the fragments are those of one piece of `skipped` on the page."""

    kind: Literal["restore"] = "restore"
    page: int = Field(ge=1)
    fragment_ids: Annotated[list[LineRef], Field(min_length=1, max_length=MAX_FRAGMENTS)]
    chunk_type: EngineChunkType = "text"


class Unflag(_Closed):
    """A person has looked: take the flags off a page, or off chunks. Give one of the two."""

    kind: Literal["unflag"] = "unflag"
    chunk_ids: Annotated[list[UUID], Field(max_length=MAX_CHUNKS)] = []
    page: int | None = Field(default=None, ge=1)


EditRequest = Annotated[
    Merge | Split | Retype | Resection | FurnitureEdit | Restore | Unflag, Field(discriminator="kind")
]


class Passage(_Closed):
    """Fragments of one page with a hash of their text, by which changes are detected. Without fragments, the whole
    page."""

    page: int
    fragment_ids: tuple[FragmentRef, ...] = ()
    text_hash: str


class Regroup(_Closed):
    """Replaces the operations that claim a passage by others that claim exactly the same fragments."""

    change: Literal["regroup"] = "regroup"
    passage: Passage
    operations: list[RegisterSection | RegisterChunk | Skip] = Field(min_length=1)


class Placement(_Closed):
    """Moves chunks that begin in the passage to the section that `section` opens; None cancels earlier placements."""

    change: Literal["place"] = "place"
    passage: Passage
    section: Passage | None


class ClearFlags(_Closed):
    """Clears these flags on chunks that begin in the passage, or on its whole page."""

    change: Literal["clear_flags"] = "clear_flags"
    passage: Passage
    flags: tuple[str, ...]


Change = Annotated[Regroup | Placement | ClearFlags, Field(discriminator="change")]


class Edit(_Closed):
    """An edit as stored: enough to apply it again to the operations of another run."""

    id: UUID
    kind: EditKind
    changes: list[Change] = Field(min_length=1)

    @property
    def pages(self) -> list[int]:
        return sorted({change.passage.page for change in self.changes})


class EditPiece(BaseModel):
    """What a person is shown of a chunk before or after an edit: the beginning of its text. A page has no type."""

    chunk_type: ChunkType | Literal["skipped", "page"]
    text: str
    section: str | None = None
    flags: list[str] = []


class EditRow(BaseModel):
    """An edit in a document's history. `stale` says why it no longer applies; `undone_at` is null while it counts."""

    id: UUID
    document_id: UUID
    kind: EditKind
    page: int
    before: list[EditPiece]
    after: list[EditPiece]
    author_id: UUID | None
    author: str
    created_at: datetime
    undone_at: datetime | None
    undone_by: str | None
    stale: str | None


class EditResult(BaseModel):
    """Answer of an edit or its undoing: the document's revision, the chunks there are now where it changed something,
    and the ids of those that are no more."""

    edit: EditRow
    revision: int
    chunks: list[Chunk]
    removed: list[UUID]
