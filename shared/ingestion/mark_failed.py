"""Marks a run as failed: stores the status and the reason; everything done so far is kept."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from shared.contract import INCOMING_PREFIX, RUN_LIMIT_S
from shared.domain.scope import Scope
from shared.ingestion.arrival import drops
from shared.ingestion.event import Arrival
from shared.runtime import Runtime
from shared.store import ingestions

ENDS = {
    "TIMED_OUT": f"The run took longer than {RUN_LIMIT_S // 86400} days and was stopped",
    "ABORTED": "The run was stopped from outside",
}
DROP_AGAIN = "The file is as it was: when the cause is gone, put it there again."
ADVICE = "Nothing was lost: what was done so far is kept, and `autri reingest` tries again."


def run(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """`event` is the failed stage's input with `error` ({Error, Cause} of the state machine, or {Cause}), or the event
    bus's notification of an execution that did not succeed.

    A run that has ended already is not changed: the state machine reports the failure first, the event bus then the
    end.
    """
    if "detail" in event:
        event = _of_execution(event["detail"])
    error = f"{_reason(event).strip().rstrip('.')}. {ADVICE}"
    if "ingestion_id" in event:
        ingestion_id = UUID(str(event["ingestion_id"]))
        scope = Scope(
            organization_id=event["organization_id"], knowledge_base_ids=(UUID(str(event["knowledge_base_id"])),)
        )
    elif str(event.get("key", "")).startswith(INCOMING_PREFIX):
        arrival = Arrival.from_event(event)
        ingestion_id, scope = arrival.upload_id, arrival.scope
    else:
        return {"status": "ignored"}
    with runtime.database.transaction(scope) as connection:
        failed = ingestions.fail(connection, ingestion_id, error)
        upload = ingestions.find_upload(connection, ingestion_id)
    runtime.vault.forget(ingestion_id)
    if failed and upload is not None and upload["drop_key"] is not None:
        _say_beside(runtime, upload["drop_key"], event)
    return {"status": "failed" if failed else "ignored"}


def _say_beside(runtime: Runtime, key: str, event: Mapping[str, Any]) -> None:
    """Of a dropped file that was not taken in yet: whoever dropped it sees no page of ours. One that is in custody is a
    document, which says itself that it failed."""
    if runtime.blobs.exists(key):
        drops.refuse(runtime, key, f"{_reason(event).strip().rstrip('.')}. {DROP_AGAIN}")


def _of_execution(detail: Mapping[str, Any]) -> dict[str, Any]:
    """The execution's input, with its end as an error."""
    status = str(detail.get("status"))
    cause = ENDS.get(status) or detail.get("cause") or detail.get("error") or f"The run ended as {status}"
    return {**json.loads(detail.get("input") or "{}"), "error": {"Cause": cause}}


def _reason(event: Mapping[str, Any]) -> str:
    """The sentence to show. The error of a Lambda function is JSON with a message and a stack trace."""
    cause = str(dict(event.get("error") or {}).get("Cause") or "Unknown error")
    try:
        return str(json.loads(cause)["errorMessage"])
    except (ValueError, KeyError, TypeError):
        return cause
