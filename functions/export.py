"""Started by the event of a request for an export, or of a run that has left work: writes the archive that somebody
waits for, slice by slice."""

from typing import Any

from functions.runtime_logging import log_event
from functions.time_left import budget_of
from shared.archive.jobs import run_export
from shared.bootstrap import process_runtime


@log_event
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """May come twice: what is done is done. `more` has the event bus start another run of the same key."""
    detail = event["detail"]
    key = str(detail["responsePayload"]["key"] if "responsePayload" in detail else detail["object"]["key"])
    return {"key": key, "more": run_export(process_runtime(), key, budget_of(context))}
