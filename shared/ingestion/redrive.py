"""Runs failed documents again, when the cause is gone."""

from typing import cast

from shared.access import reading, require_admin
from shared.domain.scope import Identity
from shared.domain.workload import Redrive, RedriveReport, Restarted, StuckRun
from shared.errors import AutriError, Unavailable
from shared.extraction.engine_choice import Engine
from shared.ingestion.uploads import reingest
from shared.runtime import Runtime
from shared.store import workload


def redrive(runtime: Runtime, identity: Identity, wish: Redrive) -> RedriveReport:
    """Each with the engine of its failed run. What cannot be started is reported and stops no other; what is named and
    has not failed is left alone. Raises Forbidden for editors and viewers, Unavailable where nothing can be started
    now."""
    require_admin(identity)
    with reading(runtime, identity) as connection:
        found = workload.failed_documents(connection, wish.documents, wish.limit + 1)
    items = [_start(runtime, identity, run) for run in found[: wish.limit]]
    return RedriveReport(items=items, more=len(found) > wish.limit)


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
