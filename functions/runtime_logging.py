"""One structured log line per invocation: which event, how long, and how it ended. Ids only, never content."""

import os
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools.logging import Logger

from shared.contract import SHARD_FIELDS, Env

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]
logger = Logger(service="autri", level=os.environ.get(Env.LOG_LEVEL, "INFO"))


def log_event(handler: Handler) -> Handler:
    """Log the event's ids and the outcome around `handler`; an error passes on as it is."""

    @wraps(handler)
    def logged(event: dict[str, Any], context: Any) -> dict[str, Any]:
        ids = {name: event[name] for name in SHARD_FIELDS if name in event}
        started = time.monotonic()
        outcome = "failed"
        try:
            result = handler(event, context)
            outcome = str(result.get("outcome", "done"))
            return result
        finally:
            seconds = round(time.monotonic() - started, 3)
            logger.info(handler.__module__, extra={**ids, "outcome": outcome, "seconds": seconds})

    return logged
