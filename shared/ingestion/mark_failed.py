"""What happens when a stage gives up: the status and the reason are stored; everything done so far stays."""

from collections.abc import Mapping
from typing import Any

from shared.contract import INCOMING_PREFIX
from shared.ingestion.event import Arrival, Event
from shared.runtime import Runtime
from shared.store import documents, ingestions

ADVICE = "Nothing was lost: what was done so far is kept, and `autri reingest` tries again."


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """`event` is the failed stage's input with `error` ({Error, Cause} of the state machine, or {Cause})."""
    cause = str(dict(event.get("error") or {}).get("Cause") or "unknown error")
    error = f"{cause.strip().rstrip('.')}. {ADVICE}"
    if "ingestion_id" in event:
        run_event = Event.model_validate(event)
        ingestion_id, scope = run_event.ingestion_id, run_event.scope
    elif str(event.get("key", "")).startswith(INCOMING_PREFIX):
        arrival = Arrival.from_event(event)
        ingestion_id, scope = arrival.upload_id, arrival.scope
    else:
        return {"status": "ignored"}
    with runtime.database.transaction(scope) as connection:
        ingestion = ingestions.find_ingestion(connection, ingestion_id)
        if ingestion is None:
            return {"status": "ignored"}
        if ingestion["document_id"] is not None:
            documents.set_document_status(connection, ingestion["document_id"], "failed", error)
        ingestions.finish(connection, ingestion_id, "failed", error=error)
    return {"status": "failed"}
