"""Tells webhooks what happened: started by ends of runs, by what asks for it, and by a look every few minutes."""

import json
import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.contract import SENDING_DUE
from shared.errors import NotFound
from shared.library.webhook_sending import WebhookSender, utc_now
from shared.runtime import Runtime
from shared.store.webhooks import next_due

logger = logging.getLogger("autri.send")
# Below the function's own time, with a lane's last attempt.
SECONDS: Final = 180.0
# A run that did not end well is marked by others who hear of it at the same time.
SOON: Final = timedelta(minutes=1)


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """`{"tick": true}` asks the bucket first whether anything is due, and lets the database sleep where nothing is;
    anything else looks at once. `more`: time ran out, so it is run again."""
    runtime = process_runtime()
    if event.get("tick") and not _is_due(runtime):
        return {"more": False, "looked": False}
    with WebhookSender(runtime) as sending:
        more = sending.send_due(SECONDS)
    with runtime.database.unscoped() as connection:
        due = next_due(connection)
    if event.get("detail", {}).get("status") not in (None, "SUCCEEDED"):
        soon = utc_now() + SOON
        due = min(due, soon) if due else soon
    runtime.blobs.put(
        SENDING_DUE, json.dumps({"due_at": due.isoformat() if due else None}).encode(), "application/json"
    )
    return {"more": more, "looked": True}


def _is_due(runtime: Runtime) -> bool:
    with suppress(NotFound):
        due = json.loads(runtime.blobs.get(SENDING_DUE))["due_at"]
        return due is not None and datetime.fromisoformat(due) <= utc_now()
    return False
