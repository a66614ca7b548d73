"""An object has arrived in the bucket: which document is it, and what is to be done with it?"""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import register


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return register.run(process_runtime(), event)
