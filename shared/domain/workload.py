"""Models of `/v1/ops`: what an operator asks of one organization's ingestion."""

from datetime import date
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

# As many documents as one call starts again, and one answer lists.
MOST = 200


class StateCount(BaseModel):
    """How many ingestions are in a state, and for how many seconds the oldest has been there or under way."""

    status: str
    count: int
    oldest_seconds: float


class WorkloadStatus(BaseModel):
    """Ingestions under way, and those that ended within the last day."""

    open: list[StateCount]
    ended: list[StateCount]


class CostLine(BaseModel):
    """What one stage paid one model for on one day (UTC) in one knowledge base."""

    day: date
    knowledge_base_id: UUID
    stage: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float


class CostReport(BaseModel):
    """The lines of the last `days` days, newest first, and their sum."""

    days: int
    usd: float
    lines: list[CostLine]


class StuckRun(BaseModel):
    """`overdue` has been under way for too long; `failed` is a document's last run, which `redrive` begins anew;
    `unread` failed before there was a document: the file has to be sent again."""

    kind: Literal["overdue", "failed", "unread"]
    ingestion_id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    filename: str
    engine: str
    error: str | None
    age_seconds: float


class Redrive(BaseModel):
    """Which failed documents are run again: those named, or all (at most `limit` of them, oldest first)."""

    model_config = ConfigDict(extra="forbid")

    documents: list[UUID] | None = Field(default=None, min_length=1, max_length=MOST)
    limit: int = Field(default=50, ge=1, le=MOST)


class Restarted(BaseModel):
    """A document that is run again, or why it is not."""

    document_id: UUID
    filename: str
    ingestion_id: UUID | None = None
    error: str | None = None


class RedriveReport(BaseModel):
    """What was started, and whether more failed documents are left."""

    items: list[Restarted]
    more: bool


class HealthCheck(BaseModel):
    """One thing that was tried, and how long it took to answer."""

    name: str
    ok: bool
    milliseconds: float
    error: str | None = None


class DeepHealth(BaseModel):
    """`ok` when every check is."""

    status: Literal["ok", "degraded"]
    version: str
    checks: list[HealthCheck]
