"""Tells webhooks what happened: started by ends of runs, by what asks for it, and by a look every few minutes."""

import json
import logging
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
# The database is looked at once a day at least, whoever failed to ask for it.
DAY: Final = timedelta(days=1)


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """`{"tick": true}` asks the bucket first whether anything is due, and lets the database sleep where nothing is;
    anything else looks at once. `more`: time ran out, so it is run again."""
    runtime, now = process_runtime(), utc_now()
    if event.get("tick") and not _is_due(runtime, now):
        return {"more": False, "looked": False}
    # Whatever becomes of this look, the next one goes on.
    _note_due(runtime, now)
    with WebhookSender(runtime) as sending:
        more = sending.send_due(SECONDS)
    with runtime.database.unscoped() as connection:
        due = next_due(connection) or now + DAY
    wait = DAY if event.get("detail", {}).get("status") in (None, "SUCCEEDED") else SOON
    _note_due(runtime, min(due, now + wait))
    return {"more": more, "looked": True}


def _note_due(runtime: Runtime, due: datetime) -> None:
    runtime.blobs.put(SENDING_DUE, json.dumps({"due_at": due.isoformat()}).encode(), "application/json")


def _is_due(runtime: Runtime, now: datetime) -> bool:
    """Also where it is not known."""
    try:
        return datetime.fromisoformat(json.loads(runtime.blobs.get(SENDING_DUE))["due_at"]) <= now
    except NotFound:
        return True
