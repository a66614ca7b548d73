"""Started by the event of an archive that somebody sent: reads it."""

from typing import Any

from functions.runtime_logging import log_event
from shared.archive.import_jobs import run_import
from shared.bootstrap import process_runtime


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """May come twice: what is done is done."""
    key = event["detail"]["object"]["key"]
    run_import(process_runtime(), key)
    return {"key": key}
