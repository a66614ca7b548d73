"""Started by the event of a deletion that was asked for, or of a run that has left work: deletes slice by slice."""

from typing import Any
from uuid import UUID

from functions.runtime_logging import log_event
from shared.archive.erasure_run import run_erasure
from shared.bootstrap import process_runtime


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """May come twice: what is gone is gone. `more` has the event bus start another run of the same key."""
    detail = event["detail"]
    key = str(detail["responsePayload"]["key"] if "responsePayload" in detail else detail["object"]["key"])
    organization, erasure = key.removesuffix(".json").split("/")[1:3]
    return {"key": key, "more": run_erasure(process_runtime(), UUID(organization), UUID(erasure))}
