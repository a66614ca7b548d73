"""Stage 6: embeds chunks whose index text has no vector yet, and updates the lexical index."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from shared import telemetry
from shared.domain.model_calls import Usage
from shared.domain.scope import Scope
from shared.errors import Unavailable
from shared.ingestion.event import Event
from shared.ingestion.recorded import recorded
from shared.lexical import index as lexical
from shared.ports import for_nothing
from shared.runtime import Runtime
from shared.store import costs, documents, ingestions
from shared.store.planner import follow_growth
from shared.vectors import rows as vectors
from shared.vectors.embedders import adopt_embedder

# Rows per transaction, which is the most that has to be repeated after a crash.
BATCH = 128
# Chunks that are looked for at once: each look compares all chunks of the documents with all of their vectors.
AHEAD = 8 * BATCH
# Page number of a cost row that concerns no single page; pages count from 1.
WHOLE_DOCUMENT = 0
# The part of the stage's time that goes into vectors; the rest goes into the lexical index (a standard of 71 pages).
EMBEDDING = 0.95
# Called with the number of vectors made so far.
Made = Callable[[int], None]
# Called with an embedder's version, the usage of a batch, and its cost in US dollars.
Record = Callable[[str, Usage, float], None]


# Below the stage's 900 s (a test compares): the rest of a long document is done by the next run of the stage.
BUDGET_S = 600.0


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """Raises Unavailable where its time is used up: what is embedded is stored, and the next run goes on from there."""
    run_event = Event.model_validate(event)
    ids = {"document_id": run_event.document_id, "ingestion_id": run_event.ingestion_id}
    with (
        recorded(runtime, run_event.scope, run_event.ingestion_id, "embed"),
        telemetry.work("embed.upsert", **ids) as span,
    ):
        done = _embed(runtime, run_event)
        span.note(**done)
        return done


def _embed(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        ingestions.check_run(connection, event.document_id, event.ingestion_id)
        versions = adopt_embedder(connection, event.document_id, runtime.embedders.default)
        reused = sum(vectors.reuse(connection, [event.document_id], version) for version in versions)
        document = documents.find_document(connection, event.document_id)
    wanted = (document["chunk_count"] if document else 0) * len(versions) - reused
    deadline = time.monotonic() + BUDGET_S
    embedded = embed_missing(
        runtime,
        event.scope,
        [event.document_id],
        partial(_record, runtime, event),
        deadline,
        partial(_tell, runtime, event, wanted, time.perf_counter()),
    )
    with runtime.database.transaction(event.scope) as connection:
        lexical.index_chunks(connection, event.knowledge_base_id, event.document_id)
    follow_growth(runtime.database)
    return {"embedded": embedded, "reused": reused}


def _tell(runtime: Runtime, event: Event, wanted: int, begun: float, made: int) -> None:
    """Says how much of the stage is done, by which the time left is estimated."""
    if made < wanted:
        with runtime.database.transaction(event.scope) as connection:
            elapsed = time.perf_counter() - begun
            ingestions.set_share(connection, event.ingestion_id, "embed", EMBEDDING * made / wanted, elapsed)


def _record(runtime: Runtime, event: Event, version: str, usage: Usage, usd: float) -> None:
    """Stores the cost of a batch as a model call of the whole document."""
    owner: dict[str, Any] = {
        "organization_id": event.organization_id,
        "knowledge_base_id": event.knowledge_base_id,
        "document_id": event.document_id,
        "ingestion_id": event.ingestion_id,
        "stage": "embed",
        "page": WHOLE_DOCUMENT,
    }
    with runtime.database.transaction(event.scope) as connection:
        costs.record_call(connection, owner, version, usage, usd)


def embed_missing(
    runtime: Runtime,
    scope: Scope,
    document_ids: Sequence[UUID],
    record: Record | None = None,
    deadline: float = math.inf,
    tell: Made | None = None,
) -> int:
    """Embeds chunks without a vector of their present index text, of documents of one knowledge base, with its embedder
    and with the target of a change under way; returns the number of vectors. Raises Unavailable after `deadline`, a
    time of `time.monotonic`, where something is left."""
    with runtime.database.transaction(scope) as connection:
        versions = adopt_embedder(connection, document_ids[0], runtime.embedders.default)
    embedded = 0
    for version in versions:
        for batch in _batches(runtime, scope, document_ids, version):
            if embedded and time.monotonic() > deadline:
                raise Unavailable("Embedding takes longer than one run of the stage; the rest follows in the next.")
            _embed_batch(runtime, scope, version, batch, record)
            embedded += len(batch)
            if tell is not None:
                tell(embedded)
    return embedded


def _batches(
    runtime: Runtime, scope: Scope, document_ids: Sequence[UUID], version: str
) -> Iterator[Sequence[vectors.MissingVector]]:
    """What has no vector, until nothing is left."""
    full = True
    while full:
        with runtime.database.transaction(scope) as connection:
            missing = vectors.missing(connection, document_ids, version, AHEAD)
        yield from (missing[start : start + BATCH] for start in range(0, len(missing), BATCH))
        full = len(missing) == AHEAD


def _embed_batch(
    runtime: Runtime, scope: Scope, version: str, missing: Sequence[vectors.MissingVector], record: Record | None
) -> None:
    """Embeds one batch, each of several equal texts once. A chunk whose text is another one by now is left as it is."""
    texts = {index_hash: index_text for _, index_text, index_hash in missing}
    spent = for_nothing if record is None else partial(record, version)
    made = runtime.embedders.get(version).embed_passages(list(texts.values()), spent)
    place = {index_hash: row for row, index_hash in enumerate(texts)}
    with runtime.database.transaction(scope) as connection:
        vectors.store(connection, version, missing, made[[place[index_hash] for _, _, index_hash in missing]])
