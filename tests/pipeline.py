"""Drives the real stages in this process, one after the other, as the state machine and the runner do."""

import hashlib
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import SecretStr

from shared.contract import OUTCOME_RUN, STAGES, incoming_key
from shared.domain.scope import Identity, Scope
from shared.extraction.engine_choice import Engine
from shared.ingestion.event import Event
from shared.ingestion.uploads import UploadRequest, create_upload, receive_upload
from shared.library.knowledge_bases import NewKnowledgeBase, create_knowledge_base
from shared.runtime import Runtime

SAMPLES = Path(__file__).parent.parent / "samples"
RULES_2025 = SAMPLES / "kestrel-cup-2025.pdf"
RULES_2026 = SAMPLES / "kestrel-cup-2026.pdf"
PRICES = SAMPLES / "tarnwick-price-list-2026.pdf"


def make_knowledge_base(runtime: Runtime, identity: Identity, name: str) -> UUID:
    return create_knowledge_base(runtime, identity, NewKnowledgeBase(name=name, description="for tests")).id


def scope_of(identity: Identity, knowledge_base_id: UUID) -> Scope:
    return Scope(
        organization_id=identity.organization_id, user_id=identity.user_id, knowledge_base_ids=(knowledge_base_id,)
    )


def upload(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    data: bytes,
    name: str = "rules.pdf",
    version_of: UUID | None = None,
    label: str | None = None,
    password: str | None = None,
    engine: Engine = "layout",
) -> dict[str, Any]:
    """Announce and send bytes; returns the event that starts their ingestion."""
    request = UploadRequest(
        filename=name,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        knowledge_base_id=knowledge_base_id,
        version_of=version_of,
        label=label,
        password=SecretStr(password) if password else None,
        engine=engine,
    )
    ticket = create_upload(runtime, identity, request)
    receive_upload(runtime, identity, ticket.upload_id, [data])
    key = incoming_key(str(identity.organization_id), str(knowledge_base_id), str(ticket.upload_id))
    return {"key": key, "upload_id": str(ticket.upload_id)}


def run_stage(runtime: Runtime, stage: str, event: Mapping[str, Any]) -> dict[str, Any]:
    return import_module(f"shared.ingestion.{stage}").run(runtime, event)


def shards(runtime: Runtime, event: Mapping[str, Any]) -> list[dict[str, Any]]:
    return json.loads(runtime.blobs.get(Event.model_validate(event).plan_key))


def run_all(runtime: Runtime, event: Mapping[str, Any], until: str | None = None) -> dict[str, Any]:
    """Every stage, up to and including `until`; returns what `register` answered."""
    answer = run_stage(runtime, STAGES[0].name, event)
    if answer["outcome"] != OUTCOME_RUN:
        return answer
    for stage in STAGES[1:]:
        for work in shards(runtime, answer) if stage.mapped else [answer]:
            run_stage(runtime, stage.name, work)
        if stage.name == until:
            break
    return answer


def chunk_rows(runtime: Runtime, scope: Scope, document_id: UUID | str) -> list[dict[str, Any]]:
    """The document's chunks in order: id, type, content, boxes."""
    with runtime.database.transaction(scope) as connection:
        return connection.execute(
            "select id, chunk_type, content, boxes from chunks where document_id = %s order by ordinal",
            (document_id,),
        ).fetchall()
