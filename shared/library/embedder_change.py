"""Changes the embedder of a knowledge base while it is searched.

Vectors of the new embedder are stored beside the old ones, each text embedded once; queries use the old ones until
every chunk has a new one, and from that transaction on the new ones. Every step may be interrupted and resumed.
"""

from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.access import changing, check_knowledge_base, reading
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput
from shared.runtime import Runtime
from shared.store.audit import note
from shared.vectors.embedders import (
    begin_change,
    delete_other_vectors,
    embedded_by,
    missing_texts,
    store_by_hash,
    switch_embedder,
)

# Texts per transaction, which is the most that an interruption repeats.
BATCH: Final = 256
DELETED_AT_ONCE: Final = 5_000


class EmbedderWish(BaseModel):
    """The embedder to change to; by default the one that this installation uses for new knowledge bases."""

    model_config = ConfigDict(extra="forbid")

    to: str | None = Field(default=None, max_length=200)


class EmbedderState(BaseModel):
    """The serving embedder of a knowledge base, and the target of a change under way."""

    serving: str | None
    target: str | None


def embedder_state(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> EmbedderState:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        serving, target = embedded_by(connection, knowledge_base_id)
    return EmbedderState(serving=serving, target=target)


def request_change(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: EmbedderWish
) -> EmbedderState:
    """Stores the target; maintenance does the work. The serving embedder as target cancels a change under way.

    Raises BadInput where that embedder is not available here, NotFound for an unknown knowledge base.
    """
    version = wanted.to or runtime.embedders.default
    runtime.embedders.get(version)
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        begin_change(connection, knowledge_base_id, version)
        note(connection, identity, "knowledge_base.embedder", knowledge_base_id, knowledge_base_id, to=version)
        serving, target = embedded_by(connection, knowledge_base_id)
    if serving is None:
        raise BadInput("This knowledge base has no vectors yet: its first document takes the present embedder.")
    return EmbedderState(serving=serving, target=target)


def backfill(runtime: Runtime, scope: Scope, batch: int = BATCH) -> int:
    """Embeds up to `batch` texts that have no vector of the target; returns how many, 0 when all have one."""
    (base,) = scope.knowledge_base_ids
    with runtime.database.transaction(scope) as connection:
        target = embedded_by(connection, base).target
        texts = missing_texts(connection, base, target, batch) if target else {}
    if not target or not texts:
        return 0
    found = runtime.embedders.get(target).embed_passages(list(texts.values()))
    with runtime.database.transaction(scope) as connection:
        store_by_hash(connection, base, target, dict(zip(texts, found, strict=True)))
    return len(texts)


def finish_change(runtime: Runtime, scope: Scope) -> bool:
    """Switches to the target if every chunk has a vector of it; returns True when the target serves now."""
    (base,) = scope.knowledge_base_ids
    with runtime.database.transaction(scope) as connection:
        target = embedded_by(connection, base).target
        return target is not None and switch_embedder(connection, base, target)


def forget_former_vectors(runtime: Runtime, scope: Scope) -> int:
    """Deletes some of the vectors that are neither of the serving embedder nor of the target; returns how many, 0 when
    none is left."""
    (base,) = scope.knowledge_base_ids
    with runtime.database.transaction(scope) as connection:
        return delete_other_vectors(connection, base, DELETED_AT_ONCE)
