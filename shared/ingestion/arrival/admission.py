"""Before and between runs: files arrive and are queued, what waits gets free slots, runs that nobody ends are ended.

A queued row is the only truth. Events of the bucket and of executions say that it may be time to look, so they may come
twice, late, in any order, or be found again by `redrive`.
"""

from collections.abc import Mapping
from typing import Any

from shared.contract import DROP_PREFIX, EVENT_SCHEMA, INCOMING_PREFIX
from shared.errors import BadInput
from shared.ingestion import mark_failed
from shared.ingestion.arrival import drops
from shared.ingestion.event import Arrival
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.admission import Admitted, admit, runs_in_slots

OBJECT_CREATED = "Object Created"
EXECUTION_ENDED = "Step Functions Execution Status Change"
# The bus tells of an execution's end within seconds, and its row is ended before; after that it is looked at.
OVERDUE_S = 300.0
# For so long after the last run it is looked whether all have ended. Then nothing wakes the database, which may pause.
WATCHED_S = 3600.0
ENDED_UNSEEN = "The run ended and nothing was heard of it"


def handle(runtime: Runtime, message: Mapping[str, Any]) -> None:
    """One notification of the event bus. Raises BadInput for one that is neither of an object nor of an execution."""
    kind, detail = message.get("detail-type"), message.get("detail") or {}
    if kind == OBJECT_CREATED:
        found = detail["object"]
        arrive(runtime, str(found["key"]), int(found.get("size", 0)), found.get("version-id"))
    elif kind == EXECUTION_ENDED:
        if detail.get("status") != "SUCCEEDED":
            mark_failed.run(runtime, message)
    else:
        raise BadInput(f"{kind!r} is no notification that is awaited here.")


def arrive(runtime: Runtime, key: str, size: int, version: str | None) -> None:
    """Queues the run of an object that is there. What nobody announced, and what comes after its upload was registered,
    is deleted unread."""
    if key.startswith(DROP_PREFIX):
        drops.take_in(runtime, key, size, version)
        return
    arrival = Arrival.from_event({"key": key})
    with runtime.database.transaction(arrival.scope) as connection:
        if ingestions.queue(connection, arrival.upload_id):
            return
        row = ingestions.find_ingestion(connection, arrival.upload_id)
    if row is None or row["document_id"] is not None or row["finished_at"] is not None:
        runtime.blobs.delete_prefix(key)


def dispatch(runtime: Runtime) -> int:
    """Starts what waits while slots are free; returns how many runs. Raises Unavailable where a run cannot be started:
    it waits as before.

    A run is started before its slot is committed. A crash between the two leaves it waiting, and starting it again
    starts the same execution.
    """
    if runtime.workflow.leases:
        return 0
    started = 0
    while _start_next(runtime):
        started += 1
    return started


def look(runtime: Runtime) -> int:
    """Ends runs that have a slot and no execution, then dispatches; returns how many were ended."""
    if runtime.workflow.leases:
        return 0
    with runtime.database.unscoped() as connection:
        held = runs_in_slots(connection, OVERDUE_S)
    ended = sum(_end_unseen(runtime, run) for run in held)
    if ended:
        runtime.tell_webhooks()
    dispatch(runtime)
    return ended


def watch(runtime: Runtime) -> int:
    """The same as `look`, unless nothing has run for an hour: the database is not asked then."""
    return 0 if runtime.workflow.idle(WATCHED_S) else look(runtime)


def redrive(runtime: Runtime) -> dict[str, int]:
    """Finds what the bus told of and nobody heard: files that wait below `incoming/` and `drop/`, and runs that ended.

    Returns how many files were looked at and how many runs were ended. A file that was refused and has not changed is
    refused again; a version that was taken in is not taken in twice.
    """
    looked = 0
    for prefix in (INCOMING_PREFIX, DROP_PREFIX):
        for found in runtime.blobs.entries(prefix):
            if not found.partial:
                _arrive_again(runtime, found.key, found.size)
                looked += 1
    return {"files": looked, "ended": look(runtime)}


def _arrive_again(runtime: Runtime, key: str, size: int) -> None:
    try:
        arrive(runtime, key, size, None)
    except BadInput:
        # Below `incoming/` only tickets write, so it belongs to none; the bucket lets it expire.
        return


def _start_next(runtime: Runtime) -> bool:
    with runtime.database.unscoped() as connection:
        run = admit(connection, runtime.slots)
        if run is not None:
            runtime.workflow.start(event_of(run))
    return run is not None


def event_of(run: Admitted) -> dict[str, Any]:
    """The input of the run's execution."""
    ids = {
        "organization_id": str(run.organization_id),
        "knowledge_base_id": str(run.knowledge_base_id),
        "ingestion_id": str(run.ingestion_id),
    }
    document = {} if run.document_id is None else {"document_id": str(run.document_id)}
    return {"schema": EVENT_SCHEMA, **ids, **document, "key": run.source_key}


def _end_unseen(runtime: Runtime, run: Admitted) -> bool:
    """Whether the run's execution has ended and left it unfinished; then it is marked as failed."""
    end = runtime.workflow.end_of(run.ingestion_id)
    if end is None:
        return False
    cause = mark_failed.ENDS.get(end, ENDED_UNSEEN)
    return mark_failed.run(runtime, {**event_of(run), "error": {"Cause": cause}})["status"] == "failed"
