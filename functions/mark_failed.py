"""Called with a failed stage's event and error, so that the document says what happened."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import mark_failed


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return mark_failed.run(process_runtime(), event)
