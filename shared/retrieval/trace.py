"""The trace of one call: what was asked, what each index found, what was dropped and why, and how long it took.

A trace holds ids, ranks and scores, never content.
"""

import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from shared.domain.ids import REQUEST_ID, new_id
from shared.domain.knowledge import Boost, IndexName
from shared.domain.scope import Identity
from shared.domain.trace import (
    Dropped,
    DropReason,
    IndexTrace,
    Operator,
    RankedCandidate,
    SelectionTrace,
    Step,
    TraceBody,
    TracedCandidate,
)
from shared.filters.selection import Selection
from shared.lexical.page_scores import Matches
from shared.lexical.query import Word
from shared.store import traces
from shared.store.connect import Connection, database_seconds
from shared.store.search import Ranking


class Tracer:
    """Collects a trace while a call runs. One that is `part_of` another call has that call's id, and is not stored by
    itself: the other takes from it what it wants to keep."""

    def __init__(self, operator: Operator, query: str, request: BaseModel, part_of: UUID | None = None) -> None:
        self.id = part_of or new_id()
        self._is_part = part_of is not None
        self.body = TraceBody()
        self._operator = operator
        self._query = query
        self._parameters = request.model_dump(mode="json")
        self._created_at = datetime.now(UTC)
        self._started = time.perf_counter()
        self._having: list[tuple[Word, set[UUID]]] = []
        self.naming: Mapping[str, Collection[UUID]] = {}

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        started, waited = time.perf_counter(), database_seconds()
        yield
        database_ms = round((database_seconds() - waited) * 1000, 3)
        self.body.steps.append(Step(name=name, ms=_milliseconds_since(started), database_ms=database_ms))

    def selected(self, selection: Selection) -> None:
        """Notes how the filters were applied."""
        self.body.selection = SelectionTrace(plan=selection.plan, figures=selection.figures)

    def found(self, name: IndexName, ranking: Ranking) -> None:
        listed = [
            TracedCandidate(chunk_id=c.chunk_id, rank=rank, score=c.score)
            for rank, c in enumerate(ranking.candidates, start=1)
        ]
        found = IndexTrace(
            name=name, plan=ranking.plan, exact=ranking.exact, figures=ranking.figures, candidates=listed
        )
        before = [index.name for index in self.body.indexes]
        at = before.index(name) if name in before else len(before)
        self.body.indexes[at : at + 1] = [found]

    def corrected(self, corrections: Mapping[str, str]) -> None:
        """Notes which words were looked for instead of misspelt ones."""
        if corrections:
            self.body.notes["corrections"] = dict(corrections)

    @property
    def corrections(self) -> dict[str, str]:
        return self.body.notes.get("corrections", {})

    def having(self, form: str) -> set[UUID]:
        """The candidates that have a word of the query."""
        return {chunk_id for word, chunks in self._having if word.form == form for chunk_id in chunks}

    def named(self, names: Collection[str], rest: Ranking) -> None:
        """Notes which words of the query name documents, so that full text ranks by the others: `rest`."""
        if names:
            self.body.notes["names"] = sorted(names)
            self.found("fts_search", rest)

    def searched(self, words: Sequence[Word], matches: Matches) -> None:
        """Remembers which candidates have each of the query's words; the hits' ranks are noted with the hits."""
        self._having = [(w, {c for c, has in matches.terms.items() if has & {*w.terms.values()}}) for w in words]

    def found_words(self) -> None:
        """Notes, for each word of the query, its rarity, how many chunks in scope have it, and the ranks of the hits
        that do."""
        ranks = {hit.chunk_id: rank for rank, hit in enumerate(self.body.hits, start=1)}
        for word, having in self._having:
            hits = sorted(ranks[chunk_id] for chunk_id in having & ranks.keys())
            found = {"rarity": round(word.rarity, 2), "chunks": word.frequency, "hits": hits}
            self.body.notes.setdefault("words", {})[word.form] = found

    def looked_up(self, chunk_ids: Sequence[UUID]) -> None:
        listed = [TracedCandidate(chunk_id=c, rank=rank, score=None) for rank, c in enumerate(chunk_ids, start=1)]
        plan = "title" if "named_title" in self.body.notes else "address"
        self.body.indexes.append(IndexTrace(name="lookup_section", plan=plan, candidates=listed))

    def nearest(self) -> float:
        """The best cosine of a chunk to the query; 0 where vectors were not searched or found nothing."""
        scores = (c.score for i in self.body.indexes if i.name == "vector_search" for c in i.candidates)
        return max((score for score in scores if score is not None), default=0.0)

    def ranked(self, scores: Mapping[UUID, float], boosts: Mapping[UUID, list[Boost]]) -> None:
        """Notes the ranking that the hits are taken from."""
        self.body.ranking = [
            RankedCandidate(chunk_id=chunk_id, rank=rank, score=score, boosts=boosts.get(chunk_id, []))
            for rank, (chunk_id, score) in enumerate(scores.items(), start=1)
        ]

    def boosted(self, boosts: Mapping[UUID, Boost]) -> None:
        """Notes what changed ranks after fusion; ranks are among the candidates that were left."""
        for candidate in self.body.ranking:
            if candidate.chunk_id in boosts:
                candidate.boosts = [*candidate.boosts, boosts[candidate.chunk_id]]

    def drop(self, chunk_ids: Sequence[UUID], reason: DropReason) -> None:
        self.body.dropped += [Dropped(chunk_id=chunk_id, reason=reason) for chunk_id in chunk_ids]

    def store(self, connection: Connection, identity: Identity) -> float:
        """Stores the trace with the open scope, unless it is a part; returns the latency so far in milliseconds."""
        latency = _milliseconds_since(self._started)
        if self._is_part:
            return latency
        candidate_ids, packed = traces.pack(self.body)
        row: dict[str, Any] = {
            "id": self.id,
            "operator": self._operator,
            "query": self._query,
            "parameters": self._parameters,
            "chunk_ids": [h.chunk_id for h in self.body.hits],
            "scores": [h.score for h in self.body.hits],
            "candidate_ids": candidate_ids,
            "trace": packed,
            "latency_ms": latency,
            "request_id": REQUEST_ID.get(),
            "created_at": self._created_at,
        }
        traces.add_trace(connection, identity, row)
        return latency


def _milliseconds_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
