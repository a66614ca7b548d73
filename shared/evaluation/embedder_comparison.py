"""Compares the embedder that serves a knowledge base with another one on gold questions, before a change.

The other one's vectors are made in memory: nothing is stored, and searches go on as they are.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final
from uuid import UUID

import numpy as np
from pydantic import BaseModel

from shared.access import check_knowledge_base, reading
from shared.domain.evaluation import GoldInput, Parameters, QuestionResult, Score
from shared.domain.model_calls import Usage
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.evaluation.measure import Measurer
from shared.evaluation.runs import stored_questions
from shared.evaluation.scorecard import compare, score
from shared.library.document_names import DocumentNames
from shared.ports import Embedder, Vectors
from shared.retrieval.requests import SearchRequest
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.runtime import Runtime, known_share
from shared.store import evaluation as rows
from shared.store.connect import Connection
from shared.vectors.embedders import embedded_by
from shared.vectors.rows import missing
from shared.vectors.unstored import EVERY, UnstoredVectors

# As many as the embed stage hands over at once.
BATCH: Final = 128
# Texts that the serving embedder embeds anew, to learn its speed.
SAMPLE: Final = 64
# Texts whose vectors are held in memory: at 1,024 dimensions 4 KB each.
TEXTS_MAX: Final = 200_000
# No embedder has this version, so that all chunks lack a vector of it.
NO_VERSION: Final = ""

# Called with how many texts are embedded, and of how many.
Progress = Callable[[int, int], None]


def _unseen(_done: int, _total: int) -> None:
    """For what nobody watches."""


class MeasuredEmbedder(BaseModel):
    """One embedder's measures. `query_ms` is the median per question; `tokens` and `usd` are what embedding `texts`
    passages in `seconds` used, where a service counts and a price is set."""

    version: str
    dimensions: int
    query_ms: float
    texts: int
    seconds: float
    tokens: int
    usd: float
    scores: list[Score]


class EmbedderComparison(BaseModel):
    """Both embedders over the same questions. `texts` is what a change would embed, in about `change_seconds` here;
    `deltas` are the other's measures minus the serving one's, question by question."""

    gold: str
    questions: int
    left_out: int
    texts: int
    change_seconds: float
    serving: MeasuredEmbedder
    other: MeasuredEmbedder
    deltas: list[Score]


@dataclass
class _Meter:
    """Embeds queries and passages, and notes what that took."""

    embedder: Embedder
    query_s: list[float] = field(default_factory=list[float])
    texts: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0

    def query(self, text: str) -> Vectors:
        started = time.monotonic()
        vector = self.embedder.embed_query(text)
        self.query_s.append(time.monotonic() - started)
        return vector

    def passages(self, texts: Sequence[str], progress: Progress = _unseen) -> Vectors:
        made = [np.zeros((0, self.embedder.dimensions), np.float32)]
        started = time.monotonic()
        for first in range(0, len(texts), BATCH):
            made.append(self.embedder.embed_passages(texts[first : first + BATCH], self._spent))
            progress(min(first + BATCH, len(texts)), len(texts))
        self.texts, self.seconds = len(texts), time.monotonic() - started
        return np.concatenate(made)

    def _spent(self, usage: Usage, usd: float) -> None:
        self.tokens += usage.input_tokens
        self.usd += usd

    def measured(self, scores: list[Score]) -> MeasuredEmbedder:
        return MeasuredEmbedder(
            version=self.embedder.version,
            dimensions=self.embedder.dimensions,
            query_ms=1000 * median(self.query_s or [0.0]),
            texts=self.texts,
            seconds=self.seconds,
            tokens=self.tokens,
            usd=self.usd,
            scores=scores,
        )


@dataclass(frozen=True)
class _Known:
    """What is compared on: the knowledge base's serving embedder, documents, texts by hash, and chunks' hashes."""

    serving: str
    documents: DocumentNames
    questions: list[GoldInput]
    texts: dict[str, str]
    hashes: dict[UUID, str]


def compare_embedders(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    other: Embedder,
    parameters: Parameters,
    gold: tuple[str, Sequence[GoldInput]] | None = None,
    progress: Progress = _unseen,
) -> EmbedderComparison:
    """Measures both on `gold` (its name and questions), by default on the stored questions; only answerable ones count.

    Raises NotFound, and BadInput where there is nothing to compare; errors of either embedder come through.
    """
    with reading(runtime, identity, [knowledge_base_id], snapshot=True) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        known = _read(connection, knowledge_base_id, gold[1] if gold else None)
    if known.serving == other.version:
        raise BadInput(f"{other.version} serves this knowledge base already. Name another one: --with onnx:/FOLDER.")
    ours, theirs = _Meter(runtime.embedders.get(known.serving)), _Meter(other)

    def results(meter: _Meter, unstored: UnstoredVectors | None) -> list[QuestionResult]:
        def embed(_: Runtime, request: SearchRequest, tracer: Tracer) -> EmbeddedQuery:
            version = tracer.body.embedder_version = meter.embedder.version
            return EmbeddedQuery(
                request.query,
                meter.query(request.query),
                version,
                rank=None if unstored is None else unstored.rank,
                known_share=lambda _version, text: known_share(meter.embedder, text),
            )

        measurer = Measurer(runtime, identity, knowledge_base_id, parameters, False, known.documents, embed)
        return _counted(measurer, known)

    before = results(ours, None)
    if not before:
        raise BadInput("No question of this gold can be answered by this knowledge base. Give other questions.")
    ours.passages(list(known.texts.values())[:SAMPLE])
    after = results(theirs, _embed_all(known, theirs, ours.embedder.dimensions, progress))
    return EmbedderComparison(
        gold=gold[0] if gold else "stored",
        questions=len(before),
        left_out=len(known.questions) - len(before),
        texts=len(known.texts),
        change_seconds=theirs.seconds,
        serving=ours.measured(score(before)),
        other=theirs.measured(score(after)),
        deltas=compare(after, before),
    )


def _read(connection: Connection, base: UUID, questions: Sequence[GoldInput] | None) -> _Known:
    asked = stored_questions(connection, base) if questions is None else list(questions)
    serving = embedded_by(connection, base).serving
    if serving is None:
        raise BadInput("This knowledge base has no vectors yet. Ingest a document first: autri ingest FILE --kb NAME.")
    documents = rows.named_documents(connection, base)
    texts: dict[str, str] = {}
    hashes: dict[UUID, str] = {}
    for document in documents:
        for chunk_id, text, index_hash in missing(connection, [document["id"]], NO_VERSION, EVERY):
            texts[index_hash], hashes[chunk_id] = text, index_hash
        if len(texts) > TEXTS_MAX:
            raise BadInput(f"More than {TEXTS_MAX:,} texts are too many to compare in memory. Compare a smaller part.")
    return _Known(serving, DocumentNames(documents), asked, texts, hashes)


def _embed_all(known: _Known, meter: _Meter, dimensions: int, progress: Progress) -> UnstoredVectors:
    places = {index_hash: row for row, index_hash in enumerate(known.texts)}
    made = meter.passages(list(known.texts.values()), progress)
    chunks = {chunk_id: places[index_hash] for chunk_id, index_hash in known.hashes.items()}
    return UnstoredVectors(chunks, made, known.serving, dimensions)


def _counted(measurer: Measurer, known: _Known) -> list[QuestionResult]:
    """The answerable questions that are measured; negative ones say nothing about an index."""
    answerable = [question for question in known.questions if question.kind == "answerable"]
    return [result for result in map(measurer.measure, answerable) if not result.skipped]
