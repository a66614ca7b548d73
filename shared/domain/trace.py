"""The parts of a trace as the API returns them. They hold ids, ranks and scores, never content."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.knowledge import Boost, IndexName

Operator = Literal["search", "lookup", "ask"]
DropReason = Literal[
    "near_duplicate", "table_of_row", "heading_of_passage", "below_score", "beyond_pool", "below_k"
]  # fmt: skip


class Step(BaseModel):
    """A step with its wall time, and how much of it the database took."""

    name: str
    ms: float
    database_ms: float | None = None


@dataclass(slots=True)
class TracedCandidate:
    """A chunk as one index ranked it, from 1."""

    chunk_id: UUID
    rank: int
    score: float | None


class IndexTrace(BaseModel):
    """One index: how it was read, its weight in the fusion (null where nothing is fused), what it found."""

    name: IndexName
    plan: str
    exact: bool = True
    figures: dict[str, Any] = {}
    weight: float | None = None
    candidates: list[TracedCandidate]


class SelectionTrace(BaseModel):
    """What the filters left to be ranked: how that was decided, and the counts behind it."""

    plan: str
    figures: dict[str, Any] = {}


class RankedCandidate(BaseModel):
    """A candidate in the one order that the hits are cut from: after fusion and every boost, before repetitions are
    taken out."""

    chunk_id: UUID
    rank: int
    score: float
    boosts: list[Boost] = []


@dataclass(slots=True)
class Dropped:
    """A candidate that is not among the hits; `kept` is the chunk that stands for it.

    `below_score`: under the request's `min_score`. `beyond_pool`: ranked too low to be read at all. `below_k`: read,
    and not among the `k` best.
    """

    chunk_id: UUID
    reason: DropReason
    kept: UUID | None = None


class TracedHit(BaseModel):
    """A hit with its final score and its boosts."""

    chunk_id: UUID
    score: float
    boosts: list[Boost] = []


class TraceBody(BaseModel):
    """What is stored of a call beside its parameters."""

    steps: list[Step] = []
    selection: SelectionTrace | None = None
    embedder_version: str | None = None
    indexes: list[IndexTrace] = []
    ranking: list[RankedCandidate] = []
    dropped: list[Dropped] = []
    hits: list[TracedHit] = []
    notes: dict[str, Any] = Field(default={}, description="decisions with the figures behind them")


class TraceHead(BaseModel):
    """A stored trace as listed."""

    id: UUID
    operator: Operator
    query: str
    knowledge_base_ids: list[UUID]
    latency_ms: float
    request_id: str | None = None
    created_at: datetime


class ListedTrace(TraceHead):
    """With the number of hits."""

    hits: int


class Trace(TraceBody, TraceHead):
    """A stored trace, whole. `parameters` is the request: sending it again replays the call."""

    parameters: dict[str, Any]


class TracedChunk(BaseModel):
    """A chunk that a trace names, as it is now: what a person needs to recognise it."""

    chunk_id: UUID
    document_id: UUID
    document_name: str
    version_label: str | None
    is_current: bool
    chunk_type: str
    section_id: str | None
    page: int | None
    excerpt: str
