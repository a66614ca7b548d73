"""Started by events of requests: writes the archive that somebody waits for, or reads the one that somebody sent."""

from pathlib import Path
from typing import Any

from functions.runtime_logging import log_event
from shared.archive.import_jobs import run_import
from shared.archive.jobs import run_export
from shared.bootstrap import process_runtime
from shared.contract import IMPORT_ENDING, SENT_ENDING


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """May come twice: what is done is done."""
    key = event["detail"]["object"]["key"]
    if key.endswith(SENT_ENDING):
        run_import(process_runtime(), key.split("/")[1], Path(key).name.removesuffix(SENT_ENDING))
    elif not key.endswith(IMPORT_ENDING):  # that one waits for its archive
        run_export(process_runtime(), key)
    return {"key": key}
