"""Vectors for the chunks that have none yet."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import embed


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return embed.run(process_runtime(), event)
