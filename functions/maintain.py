"""Scheduled: indexes, changes of embedders, retention. Says whether there is more to do. And, asked by an operator,
whether database and store belong together."""

from datetime import timedelta
from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import owner_dsn, process_runtime
from shared.maintenance import look_at_storage, maintain


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Fails when a task failed, so that the alarm on errors sees it; the other tasks have run by then. The event
    `{"look": "storage"}` does nothing but compare rows with objects, as `autri doctor --storage`."""
    if event.get("look") == "storage":
        return look_at_storage(process_runtime(), owner_dsn(), timedelta(0)).model_dump(mode="json")
    done = maintain(process_runtime(), owner_dsn(), daily=event.get("detail-type") == "Scheduled Event")
    if done["failed"]:
        raise RuntimeError("; ".join(f"{one['task']}: {one['error']}" for one in done["tasks"] if one["error"]))
    return {"busy": done["busy"], "more": done["more"]}
