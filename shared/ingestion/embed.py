"""Stage 6: vectors for chunks whose index text has none of their embedder yet, and the lexical index."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from shared.domain.scope import Scope
from shared.ingestion.event import Event
from shared.ingestion.recorded import recorded
from shared.runtime import Runtime
from shared.store import lexical, vectors
from shared.store.embedders import adopt_embedder

# Rows per transaction: a crash repeats at most these.
BATCH = 128


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    run_event = Event.model_validate(event)
    with recorded(runtime, run_event.scope, run_event.ingestion_id, "embed"):
        return _embed(runtime, run_event)


def _embed(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        versions = adopt_embedder(connection, event.document_id, runtime.embedders.default)
        reused = sum(vectors.reuse(connection, event.document_id, version) for version in versions)
    embedded = embed_missing(runtime, event.scope, event.document_id)
    with runtime.database.transaction(event.scope) as connection:
        lexical.index_chunks(connection, event.knowledge_base_id, event.document_id)
    return {"embedded": embedded, "reused": reused}


def embed_missing(runtime: Runtime, scope: Scope, document_id: UUID) -> int:
    """Give every chunk without a vector of its present index text one, of the embedder that serves its knowledge base
    and of the one that a change is under way to; returns how many vectors that were."""
    with runtime.database.transaction(scope) as connection:
        versions = adopt_embedder(connection, document_id, runtime.embedders.default)
    embedded = 0
    for version in versions:
        while batch := _embed_batch(runtime, scope, document_id, version):
            embedded += batch
    return embedded


def _embed_batch(runtime: Runtime, scope: Scope, document_id: UUID, version: str) -> int:
    """Equal texts are embedded once."""
    with runtime.database.transaction(scope) as connection:
        missing = vectors.missing(connection, document_id, version, BATCH)
    if not missing:
        return 0
    texts = {index_hash: index_text for _, index_text, index_hash in missing}
    made = runtime.embedders.get(version).embed_passages(list(texts.values()))
    place = {index_hash: row for row, index_hash in enumerate(texts)}
    with runtime.database.transaction(scope) as connection:
        vectors.store(connection, version, missing, made[[place[index_hash] for _, _, index_hash in missing]])
    return len(missing)
