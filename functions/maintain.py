"""Scheduled: indexes, changes of embedders, retention. Says whether there is more to do. By an object that names a
knowledge base: its digest alone. And, asked by an operator, whether database and store belong together."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from functions.runtime_logging import log_event
from shared.bootstrap import owner_dsn, process_runtime
from shared.digest.updates import follow_digest
from shared.domain.scope import Scope
from shared.maintenance import look_at_storage, maintain


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Fails when a task failed, so that the alarm on errors sees it; the other tasks have run by then. The event
    `{"look": "storage"}` does nothing but compare rows with objects, as `autri doctor --storage`."""
    if event.get("look") == "storage":
        return look_at_storage(process_runtime(), owner_dsn(), timedelta(0)).model_dump(mode="json")
    if event.get("source") == "aws.s3":
        organization, base = str(event["detail"]["object"]["key"]).removesuffix(".json").split("/")[1:3]
        scope = Scope(organization_id=UUID(organization), knowledge_base_ids=(UUID(base),))
        return {"busy": False, "more": False, "files": follow_digest(process_runtime(), scope)}
    done = maintain(process_runtime(), owner_dsn(), daily=event.get("detail-type") == "Scheduled Event")
    if done["failed"]:
        raise RuntimeError("; ".join(f"{one['task']}: {one['error']}" for one in done["tasks"] if one["error"]))
    return {"busy": done["busy"], "more": done["more"]}
