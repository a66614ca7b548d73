"""What a task is given to read from the digest and the documents, within a budget of tokens."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from shared.domain.digest import Origin, SourceKind, Standing
from shared.domain.people import StrictBody

TASK_MAX = 4_000
BASES_MAX = 100
BUDGET_LEAST = 100
BUDGET_MOST = 200_000
LEFT_OUT_LISTED = 100
ContextKind = Literal["index", "summary", "description", "passage"]
# `budget`: it did not fit. `covered`: its passage is there already. `deleted`: what it stood on is gone.
LeftOutReason = Literal["budget", "covered", "deleted"]


class ContextRequest(StrictBody):
    """`budget_tokens` limits the whole text. Without `digest`: passages alone."""

    task: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TASK_MAX)]
    budget_tokens: int = Field(default=4_000, ge=BUDGET_LEAST, le=BUDGET_MOST)
    knowledge_base_ids: list[UUID] = Field(
        default=[], max_length=BASES_MAX, description="none: all that the caller may read"
    )
    digest: bool = Field(default=True, description="index, summaries and descriptions too, where there is a digest")


class ContextSource(BaseModel):
    """What `[number]` in the text stands for. `document` is its name, `page` the first page; null for events and
    evaluation runs, and where the source is gone. `standing` is anything but `current` where it is stale."""

    number: int
    kind: SourceKind
    source_id: UUID
    document_id: UUID | None
    document: str | None
    version: str | None
    section: str
    page: int | None
    standing: Standing = "current"


class ContextStatement(BaseModel):
    """A line of the text, with the numbers of its sources. `stale`: one of these is not current any more; `origin` is
    `user` for a person's statement, `uncited` marks one that nothing here bears out."""

    text: str
    sources: list[int]
    stale: bool = False
    origin: Origin = "system"
    uncited: bool = False


class ContextPart(BaseModel):
    """A part of the text: lines of a file of the digest (`file_id`, `path`, `version`), or a passage (`chunk_id`), with
    why it was chosen and the tokens that it takes."""

    kind: ContextKind
    knowledge_base_id: UUID
    title: str
    file_id: UUID | None = None
    path: str | None = None
    version: str | None = None
    chunk_id: UUID | None = None
    why: str
    tokens: int
    statements: list[ContextStatement]


class LeftOut(BaseModel):
    """What belongs to the task too and is not in the text: where to read it, and why it is not there."""

    kind: ContextKind
    knowledge_base_id: UUID
    title: str
    file_id: UUID | None = None
    path: str | None = None
    chunk_id: UUID | None = None
    statements: int
    tokens: int
    reason: LeftOutReason


class Context(BaseModel):
    """`text` is what to give to a model: `tokens` of it, as `counted_by` counts (`estimate` is never below). `[1]` in
    it is a number of `sources`. `left_out` lists the first 100 of `left_out_count`. `digests` counts those of the
    knowledge bases asked that have one."""

    task: str
    budget_tokens: int
    tokens: int
    counted_by: str
    text: str
    parts: list[ContextPart]
    sources: list[ContextSource]
    left_out: list[LeftOut]
    left_out_count: int
    digests: int
    knowledge_bases: int
    trace_id: UUID
