"""From a posted text to a served document: the stages of every other source, one after the other in the request.

No ticket, no queue and no state machine: the sender waits. What is posted is put into custody here, so that nothing has
to be received.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import OUTCOME_REFUSED, OUTCOME_RUN, STAGES, incoming_key, source_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import AutriError, PlanExhausted
from shared.ingestion import mark_failed
from shared.ingestion.event import Event
from shared.ingestion.limits import within_request
from shared.processes import own_name
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.connect import Connection

FILENAME_MAX = 200


class Posting(NamedTuple):
    """What is to be read: `posted` is the row of its table, with its source type."""

    knowledge_base_id: UUID
    filename: str
    title: str
    data: bytes
    posted: Mapping[str, Any]
    version_of: UUID | None = None


class Posted(NamedTuple):
    """The document that it became, or had become before (`duplicate`)."""

    document_id: UUID
    duplicate: bool


class _NoSecrets:
    """What is posted has no password."""

    def put(self, name: UUID, secret: str) -> None:
        return

    def get(self, name: UUID) -> str | None:
        return None

    def forget(self, name: UUID) -> None:
        return


def announce(runtime: Runtime, connection: Connection, identity: Identity, posting: Posting) -> UUID:
    """Inserts the rows of its run in the caller's transaction; returns the run's id."""
    run_id = new_id()
    ids = str(identity.organization_id), str(posting.knowledge_base_id), str(run_id)
    row = {
        "organization_id": identity.organization_id,
        "knowledge_base_id": posting.knowledge_base_id,
        "id": run_id,
        "filename": posting.filename,
        "title": posting.title,
        "size": len(posting.data),
        "sha256": hashlib.sha256(posting.data).hexdigest(),
        "version_of": posting.version_of,
        "label": None,
        "created_by": identity.user_id,
        "source_key": incoming_key(*ids),
        "posted": dict(posting.posted),
    }
    ingestions.insert_posted(connection, row, own_name() if runtime.workflow.leases else None)
    return run_id


def walk(runtime: Runtime, identity: Identity, run_id: UUID, posting: Posting) -> Posted:
    """Runs the stages over an announced posting. Raises PlanExhausted where the plan has no room; whatever else a stage
    raises ends the run as failed, and is raised."""
    ids = str(identity.organization_id), str(posting.knowledge_base_id), str(run_id)
    run = replace(runtime, vault=_NoSecrets())
    try:
        run.blobs.put(source_key(*ids), posting.data)
        with within_request():
            answer = _stages(run, {"key": incoming_key(*ids)})
    except Exception as error:
        said = str(error) if isinstance(error, AutriError | ValueError) else type(error).__name__
        names = ("organization_id", "knowledge_base_id", "ingestion_id")
        mark_failed.run(run, {**dict(zip(names, ids, strict=True)), "error": {"Cause": said}})
        raise
    if answer["outcome"] == OUTCOME_REFUSED:
        raise PlanExhausted(answer["error"])
    return Posted(UUID(answer["document_id"]), answer["outcome"] != OUTCOME_RUN)


def _stages(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """What `register` answers, after the stages behind it."""
    answer = _run(STAGES[0].name, runtime, event)
    if answer["outcome"] == OUTCOME_RUN:
        for stage in STAGES[1:]:
            for work in (
                json.loads(runtime.blobs.get(Event.model_validate(answer).plan_key)) if stage.mapped else [answer]
            ):
                _run(stage.name, runtime, work)
    return answer


def _run(stage: str, runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return import_module(f"shared.ingestion.{stage}").run(runtime, event)
