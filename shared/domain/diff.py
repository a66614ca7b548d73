"""The difference of two versions of a document, section by section: the JSON of the API and of the CLI."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from shared.domain.geometry import Box
from shared.domain.knowledge import SectionStep, VersionEnvelope
from shared.domain.operations import ChunkType

ItemStatus = Literal["unchanged", "moved", "changed", "added", "removed"]
Meaning = Literal["same", "changed"]
Flag = Literal["numbers", "units", "limits", "negation", "modality"]
WordOp = Literal["equal", "removed", "added"]


class DiffSide(BaseModel):
    """One of the two versions."""

    id: UUID
    name: str
    version: VersionEnvelope


class WordRun(BaseModel):
    """A run of text that both have, or only one of them."""

    op: WordOp
    text: str


class DiffChunk(BaseModel):
    """A chunk of one side, and where to look at it."""

    chunk_id: UUID
    chunk_type: ChunkType
    page: int | None
    boxes: list[Box]


class DiffPart(BaseModel):
    """A passage of a section in both versions, or in one of them.

    `words` are the whole text with what was taken out and put in; empty where nothing differs. `meaning` and `flags`
    are about a changed passage: `same` for a small change of wording (`diff_wording.is_small`), `changed` for any more
    than that. `similarity` is of its words, `cosine` of the stored vectors; None without a counterpart, or without
    vectors of one embedder.
    """

    status: ItemStatus
    meaning: Meaning | None = None
    flags: list[Flag] = []
    similarity: float | None = None
    cosine: float | None = None
    words: list[WordRun] = []
    a: DiffChunk | None
    b: DiffChunk | None


class DiffSection(BaseModel):
    """A section of one side; None for what stands before the first section."""

    id: UUID | None
    address: str | None
    title: str
    path: list[SectionStep]
    page: int | None
    chunk_id: UUID | None


class DiffItem(BaseModel):
    """A section in both versions, or in one of them.

    `moved`: it has another number, or stands below another section, than before; a changed section may be moved too.
    `parts` are its passages that differ; unchanged ones are only counted, in `unchanged_parts`.
    """

    status: ItemStatus
    moved: bool
    meaning: Meaning | None
    flags: list[Flag]
    similarity: float | None
    a: DiffSection | None
    b: DiffSection | None
    parts: list[DiffPart]
    unchanged_parts: int


class DiffSummary(BaseModel):
    """How many sections; `renumbered` of all that are in both.

    Of the changed ones `reworded` are small changes of wording, `meaning_changed` are any more than that.
    """

    sections_a: int
    sections_b: int
    unchanged: int
    moved: int
    changed: int
    added: int
    removed: int
    renumbered: int
    reworded: int
    meaning_changed: int
    flags: dict[Flag, int]


class Diff(BaseModel):
    """From version `a` to version `b`: every section, in the order of `b`, removed ones behind what preceded them.

    `vectors`: whether passages could be compared by meaning too (both versions have vectors of one embedder).
    """

    a: DiffSide
    b: DiffSide
    vectors: bool
    summary: DiffSummary
    items: list[DiffItem]
