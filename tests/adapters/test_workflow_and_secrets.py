import json
from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import boto3
import pytest
from moto import mock_aws

from shared.adapters.aws import clients
from shared.adapters.aws.secrets import read_secret
from shared.adapters.aws.step_functions import StepFunctionsWorkflow
from shared.adapters.aws.vault import SecretsManagerVault
from shared.adapters.local.vault import SealedFolder
from shared.errors import Unavailable

REGION = "eu-central-1"
EVENT: dict[str, Any] = {
    "schema": 1,
    "ingestion_id": "01900000-0000-7000-8000-000000000001",
    "key": "incoming/a/b/c/source",
}


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    clients.make_client.cache_clear()
    with mock_aws():
        yield
    clients.make_client.cache_clear()


@pytest.fixture
def machine() -> str:
    definition = json.dumps({"StartAt": "End", "States": {"End": {"Type": "Succeed"}}})
    client: Any = boto3.client("stepfunctions")
    role = "arn:aws:iam::123456789012:role/machine"
    return client.create_state_machine(name="ingestion", definition=definition, roleArn=role)["stateMachineArn"]


def executions(machine: str) -> list[dict[str, Any]]:
    client: Any = boto3.client("stepfunctions")
    found = client.list_executions(stateMachineArn=machine)["executions"]
    return [client.describe_execution(executionArn=e["executionArn"]) for e in found]


def test_a_further_run_is_an_execution_with_the_event_as_its_input(machine: str) -> None:
    StepFunctionsWorkflow(machine).start(EVENT)
    (execution,) = executions(machine)
    assert json.loads(execution["input"]) == EVENT


def test_how_a_run_ended_is_asked_by_its_ingestion_and_rest_is_told_from_work(machine: str) -> None:
    workflow, run = StepFunctionsWorkflow(machine), UUID(EVENT["ingestion_id"])
    assert (workflow.end_of(run), workflow.idle(0)) == ("GONE", True)
    workflow.start(EVENT)
    assert (workflow.end_of(run), workflow.idle(0)) == (None, False)
    (execution,) = executions(machine)
    client: Any = boto3.client("stepfunctions")
    client.stop_execution(executionArn=execution["executionArn"])
    assert (workflow.end_of(run), workflow.idle(3600), workflow.idle(-60)) == ("ABORTED", False, True)


def test_a_machine_that_is_not_there_is_unavailable() -> None:
    gone = f"arn:aws:states:{REGION}:123456789012:stateMachine:gone"
    with pytest.raises(Unavailable, match="cannot be started"):
        StepFunctionsWorkflow(gone).start(EVENT)


def test_a_password_is_kept_under_the_deployments_prefix_until_it_is_forgotten_for_good() -> None:
    key: Any = boto3.client("kms")
    key_arn = key.create_key()["KeyMetadata"]["Arn"]
    vault, name = SecretsManagerVault("autri-test/passwords/", key_arn), uuid4()
    assert vault.get(name) is None
    vault.put(name, "hush")
    client: Any = boto3.client("secretsmanager")
    (kept,) = client.list_secrets()["SecretList"]
    assert (kept["Name"], kept["KmsKeyId"]) == (f"autri-test/passwords/{name}", key_arn)
    assert vault.get(name) == "hush"
    vault.forget(name)
    vault.forget(name)
    assert vault.get(name) is None
    assert client.list_secrets(IncludePlannedDeletion=True)["SecretList"] == []


def test_a_password_sealed_with_another_key_reads_as_none(tmp_path: Path) -> None:
    vault, name = SealedFolder(tmp_path / "vault"), uuid4()
    vault.put(name, "hush")
    assert vault.get(name) == "hush"
    assert (tmp_path / "vault.key").stat().st_mode & 0o077 == 0
    (tmp_path / "vault.key").unlink()
    assert vault.get(name) is None


def test_a_secret_is_read_by_its_arn_and_a_missing_one_is_unavailable() -> None:
    client: Any = boto3.client("secretsmanager")
    arn = client.create_secret(Name="database", SecretString='{"host": "db"}')["ARN"]
    assert json.loads(read_secret(arn)) == {"host": "db"}
    with pytest.raises(Unavailable, match="cannot be read"):
        read_secret(arn + "x")
