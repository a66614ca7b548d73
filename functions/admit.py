"""A queue's notifications of files that came and runs that ended; and every few minutes a look by itself."""

import json
import logging
from typing import Any

from functions.runtime_logging import log_event
from shared.bootstrap import process_runtime
from shared.ingestion.arrival import admission
from shared.runtime import Runtime

logger = logging.getLogger("autri.admit")


@log_event
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """`{Records}` of the queue; `{redrive: true}`, by hand or once a day; anything else is the schedule.

    Answers which records are to be given again (SQS: a partial batch response). Fails where nothing can be started, so
    that all are.
    """
    runtime = process_runtime()
    if "Records" in event:
        failed = [record["messageId"] for record in event["Records"] if not _handled(runtime, record)]
        admission.dispatch(runtime)
        return {"batchItemFailures": [{"itemIdentifier": one} for one in failed]}
    if event.get("redrive"):
        return dict(admission.redrive(runtime))
    return {"ended": admission.watch(runtime)}


def _handled(runtime: Runtime, record: dict[str, Any]) -> bool:
    try:
        admission.handle(runtime, json.loads(record["body"]))
    except Exception as error:  # noqa: BLE001 one message's failure is its own: it comes again, then to the dead letters
        logger.warning("message %s: %s: %s", record["messageId"], type(error).__name__, error)
        return False
    return True
