"""One structured log line per invocation: which request and event, how long, and how it ended. Ids only, never content.

The application's own loggers are children of this one (`autri.…`), so that their lines are structured as well.
"""

import os
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools.logging import Logger

from shared import telemetry
from shared.contract import SHARD_FIELDS, Env

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]
logger = Logger(service="autri", level=os.environ.get(Env.LOG_LEVEL, "INFO"))


def log_event(handler: Handler) -> Handler:
    """Log the event's ids and the outcome around `handler`; an error passes on as it is."""

    @wraps(handler)
    def logged(event: dict[str, Any], context: Any) -> dict[str, Any]:
        ids = {name: event[name] for name in SHARD_FIELDS if name in event}
        started = time.monotonic()
        outcome, stage = "failed", handler.__module__.rpartition(".")[2]
        try:
            with telemetry.request(stage):
                result = handler(event, context)
            outcome = str(result.get("outcome", "done"))
            return result
        finally:
            telemetry.flush()
            seconds = round(time.monotonic() - started, 3)
            request = getattr(context, "aws_request_id", None)
            values = {"stage": stage, "request_id": request, "outcome": outcome, "seconds": seconds}
            logger.info("ended", extra={**ids, **values})

    return logged
