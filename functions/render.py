"""Page images of one shard."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import render


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return render.run(process_runtime(), event)
