"""Runs as executions of the state machine, each named after its ingestion."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable


class StepFunctionsWorkflow:
    """Starts executions named after their ingestion, so that the same request twice starts one."""

    leases = False

    def __init__(self, state_machine_arn: str) -> None:
        self._machine = state_machine_arn

    def start(self, event: Mapping[str, Any]) -> None:
        """Raises Unavailable when the execution cannot be started now."""
        client = make_client("stepfunctions")
        with _unavailable("The ingestion cannot be started"):
            try:
                client.start_execution(
                    stateMachineArn=self._machine, name=str(event["ingestion_id"]), input=json.dumps(dict(event))
                )
            except client.exceptions.ExecutionAlreadyExists:
                return

    def end_of(self, ingestion_id: UUID) -> str | None:
        """Raises Unavailable."""
        client = make_client("stepfunctions")
        arn = f"{self._machine.replace(':stateMachine:', ':execution:')}:{ingestion_id}"
        with _unavailable("The ingestion cannot be looked at"):
            try:
                status = str(client.describe_execution(executionArn=arn)["status"])
            except client.exceptions.ExecutionDoesNotExist:
                return "GONE"
        return None if status in ("RUNNING", "PENDING_REDRIVE") else status

    def idle(self, seconds: float) -> bool:
        """Raises Unavailable. Lists are sorted by start, newest first."""
        client = make_client("stepfunctions")
        before = datetime.now(UTC) - timedelta(seconds=seconds)
        with _unavailable("The ingestions cannot be listed"):
            if client.list_executions(stateMachineArn=self._machine, statusFilter="RUNNING", maxResults=1)[
                "executions"
            ]:
                return False
            latest = client.list_executions(stateMachineArn=self._machine, maxResults=1)["executions"]
        return all(one["stopDate"] < before for one in latest)


@contextmanager
def _unavailable(what: str) -> Generator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"{what}: {error}") from error
