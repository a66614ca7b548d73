"""Runs failed documents again, when the cause is gone."""

from typing import Final, cast

from shared.access import find_row, reading, require_admin
from shared.domain.scope import Identity
from shared.domain.workload import Redrive, RedriveReport, Restarted, StuckRun
from shared.errors import AutriError, Unavailable
from shared.extraction.engine_choice import Engine
from shared.ingestion.uploads import reingest
from shared.runtime import Runtime
from shared.store import workload
from shared.store.audit import note

SOUND: Final = "It has not failed. `autri reingest` runs it again all the same."


def redrive(runtime: Runtime, identity: Identity, wish: Redrive) -> RedriveReport:
    """Each with the engine of its failed run. What cannot be started, or is named and has not failed, is reported and
    stops no other. Raises Forbidden for editors and viewers, NotFound for a document that is named and not there,
    Unavailable where nothing can be started now."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        named = [find_row(connection, document_id) for document_id in wish.documents or ()]
        found = workload.failed_documents(connection, wish.documents, wish.limit + 1)
        note(connection, identity, "operation.redrive", documents=min(len(found), wish.limit))
    failed = {run.document_id for run in found}
    items = [_start(runtime, identity, run) for run in found[: wish.limit]]
    sound = [Restarted(document_id=d["id"], filename=d["name"], error=SOUND) for d in named if d["id"] not in failed]
    return RedriveReport(items=[*items, *sound], more=len(found) > wish.limit)


def _start(runtime: Runtime, identity: Identity, run: StuckRun) -> Restarted:
    assert run.document_id is not None  # noqa: S101 a failed document has an id
    known = Restarted(document_id=run.document_id, filename=run.filename)
    try:
        started = reingest(runtime, identity, run.document_id, cast(Engine, run.engine))
    except Unavailable:
        raise
    except AutriError as error:
        return known.model_copy(update={"error": str(error)})
    return known.model_copy(update={"ingestion_id": started.id})
