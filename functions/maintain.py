"""Scheduled: indexes, changes of embedders, retention. Says whether there is more to do."""

from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import owner_dsn, process_runtime
from shared.maintenance import maintain


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Fails when a task failed, so that the alarm on errors sees it; the other tasks have run by then."""
    done = maintain(process_runtime(), owner_dsn(), daily=event.get("detail-type") == "Scheduled Event")
    if done["failed"]:
        raise RuntimeError("; ".join(f"{one['task']}: {one['error']}" for one in done["tasks"] if one["error"]))
    return {"busy": done["busy"], "more": done["more"]}
