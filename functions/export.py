"""Started by the event of a request for an export: writes the archive that somebody waits for."""

from typing import Any

from functions.runtime_logging import log_event
from shared.archive.jobs import run_export
from shared.bootstrap import process_runtime


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """May come twice: what is done is done."""
    key = event["detail"]["object"]["key"]
    run_export(process_runtime(), key)
    return {"key": key}
