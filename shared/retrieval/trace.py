"""The trace of one call: what was asked, what each index found, what was dropped and why, and how long it took.

A trace holds ids, ranks and scores, never content.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.ids import new_id
from shared.domain.knowledge import Boost, IndexName
from shared.domain.scope import Identity
from shared.store import traces
from shared.store.candidates import Ranking
from shared.store.connect import Connection

Operator = Literal["search", "lookup", "ask"]
DropReason = Literal["near_duplicate", "table_of_row", "heading_of_passage"]


class Step(BaseModel):
    """A step with its wall time."""

    name: str
    ms: float


class TracedCandidate(BaseModel):
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


class Dropped(BaseModel):
    """A candidate that is not among the hits; `kept` is the chunk that stands for it."""

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
    indexes: list[IndexTrace] = []
    dropped: list[Dropped] = []
    hits: list[TracedHit] = []
    notes: dict[str, Any] = Field(default={}, description="decisions with the figures behind them")


class Trace(TraceBody):
    """A stored trace. `parameters` is the request: sending it again replays the call."""

    id: UUID
    operator: Operator
    query: str
    parameters: dict[str, Any]
    knowledge_base_ids: list[UUID]
    latency_ms: float
    created_at: datetime


class Tracer:
    """Collects a trace while a call runs."""

    def __init__(self, operator: Operator, query: str, request: BaseModel) -> None:
        self.id = new_id()
        self.body = TraceBody()
        self._operator = operator
        self._query = query
        self._parameters = request.model_dump(mode="json")
        self._created_at = datetime.now(UTC)
        self._started = time.perf_counter()

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        started = time.perf_counter()
        yield
        self.body.steps.append(Step(name=name, ms=_milliseconds_since(started)))

    def found(self, name: IndexName, ranking: Ranking) -> None:
        listed = [
            TracedCandidate(chunk_id=c.chunk_id, rank=rank, score=c.score)
            for rank, c in enumerate(ranking.candidates, start=1)
        ]
        self.body.indexes.append(
            IndexTrace(name=name, plan=ranking.plan, exact=ranking.exact, figures=ranking.figures, candidates=listed)
        )

    def looked_up(self, chunk_ids: Sequence[UUID]) -> None:
        listed = [TracedCandidate(chunk_id=c, rank=rank, score=None) for rank, c in enumerate(chunk_ids, start=1)]
        self.body.indexes.append(IndexTrace(name="lookup_section", plan="address", candidates=listed))

    def store(self, connection: Connection, identity: Identity, knowledge_base_ids: Sequence[UUID]) -> float:
        """Store the trace; returns the call's latency so far in milliseconds."""
        latency = _milliseconds_since(self._started)
        row: dict[str, Any] = {
            "id": self.id,
            "operator": self._operator,
            "query": self._query,
            "parameters": self._parameters,
            "knowledge_base_ids": list(knowledge_base_ids),
            "chunk_ids": [h.chunk_id for h in self.body.hits],
            "scores": [h.score for h in self.body.hits],
            "trace": self.body.model_dump(mode="json"),
            "latency_ms": latency,
            "created_at": self._created_at,
        }
        traces.add_trace(connection, identity, row)
        return latency


def read_trace(row: dict[str, Any]) -> Trace:
    """A trace from its row."""
    return Trace.model_validate(row | row["trace"])


def _milliseconds_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
