"""Chunks, sections and tables of the whole document, in one transaction."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import finalize


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return finalize.run(process_runtime(), event)
