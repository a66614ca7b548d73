"""Stage 6: vectors for chunks whose index text has none of this embedder yet, and the lexical index."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from shared.domain.scope import Scope
from shared.ingestion.event import Event
from shared.ingestion.recorded import recorded
from shared.runtime import Runtime
from shared.store import lexical, vectors

# Rows per transaction: a crash repeats at most these.
BATCH = 128


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    run_event = Event.model_validate(event)
    with recorded(runtime, run_event.scope, run_event.ingestion_id, "embed"):
        return _embed(runtime, run_event)


def _embed(runtime: Runtime, event: Event) -> dict[str, Any]:
    with runtime.database.transaction(event.scope) as connection:
        reused = vectors.reuse(connection, event.document_id, runtime.embedder.version)
    embedded = embed_missing(runtime, event.scope, event.document_id)
    with runtime.database.transaction(event.scope) as connection:
        lexical.index_chunks(connection, event.knowledge_base_id, event.document_id)
    return {"embedded": embedded, "reused": reused}


def embed_missing(runtime: Runtime, scope: Scope, document_id: UUID) -> int:
    """Give every chunk without a vector of its present index text one; returns how many got one."""
    embedded = 0
    while batch := _embed_batch(runtime, scope, document_id):
        embedded += batch
    return embedded


def _embed_batch(runtime: Runtime, scope: Scope, document_id: UUID) -> int:
    version = runtime.embedder.version
    with runtime.database.transaction(scope) as connection:
        missing = vectors.missing(connection, document_id, version, BATCH)
    if not missing:
        return 0
    found = runtime.embedder.embed_passages([index_text for _, index_text, _ in missing])
    with runtime.database.transaction(scope) as connection:
        vectors.store(connection, version, missing, found)
    return len(missing)
