"""The result of one index, as it is passed on to fusion."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Candidate:
    """A chunk with its score in one index: BM25, or cosine; higher is better."""

    chunk_id: UUID
    document_id: UUID
    score: float


@dataclass(frozen=True)
class Ranking:
    """The candidates of one index, best first. `plan` describes how it was read; `exact` is False where a better chunk
    may have been missed; `figures` are counts and bounds for the trace."""

    candidates: list[Candidate]
    plan: str
    exact: bool
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
