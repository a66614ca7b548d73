"""What an index hands to fusion, and how it came to it."""

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
    """One index' answer, best first. `plan` says in words how it was read; `exact` whether no better chunk can have
    been missed; `figures` are the counts and bounds behind that, for the trace."""

    candidates: list[Candidate]
    plan: str
    exact: bool
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
