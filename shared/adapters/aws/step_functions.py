"""Running the stages again for a document that is there: a further execution of the state machine."""

import json
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable


class StepFunctionsWorkflow:
    """Starts executions named after their ingestion, so that the same request twice starts one."""

    leases = False

    def __init__(self, state_machine_arn: str) -> None:
        self._state_machine_arn = state_machine_arn

    def start(self, event: Mapping[str, Any]) -> None:
        """Raises Unavailable when the execution cannot be started now."""
        client = make_client("stepfunctions")
        try:
            client.start_execution(
                stateMachineArn=self._state_machine_arn, name=str(event["ingestion_id"]), input=json.dumps(dict(event))
            )
        except client.exceptions.ExecutionAlreadyExists:
            return
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"The ingestion cannot be started: {error}") from error
