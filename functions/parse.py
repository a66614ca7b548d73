"""Page files of one shard: fragments with their boxes."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion import parse


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return parse.run(process_runtime(), event)
