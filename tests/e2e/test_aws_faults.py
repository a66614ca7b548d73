"""What goes wrong under a deployment while it works, and what becomes of it: each case ends with nothing lost, nothing
twice, and a sentence for whoever waits. Poison pages, models and migrations have their own: docs/security.md lists all.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from functions.auth.cookies import SESSION
from shared.adapters.local.postgres import APPLICATION, SUPERUSER
from tests.aws.browsing import Browser
from tests.aws.customer import announce, documents_bucket, ok, send, upload, wait
from tests.aws.front import Front
from tests.aws.system import System
from tests.e2e.test_bedrock_engine import pdf_of
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws
AWAY_S = 30.0


@pytest.fixture(scope="module")
def base(owner: httpx.Client) -> str:
    return str(
        ok(owner.post("/v1/knowledge-bases", json={"name": "Faults", "description": "Where things go wrong"}))["id"]
    )


def until(found: Callable[[], Any], seconds: float = PATIENCE_S) -> Any:
    """What it finds at last. It is asked less and less often, as what is waited for needs the same cores; the longest
    pause is shorter than a function takes to start."""
    deadline, pause_s = time.monotonic() + seconds, 0.05
    while not (value := found()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause_s)
        pause_s = min(0.3, 1.2 * pause_s)
    return value


def execution(system: System, run: str) -> str:
    machine = system.deployed.only("AWS::StepFunctions::StateMachine")
    return f"{machine.replace(':stateMachine:', ':execution:')}:{run}"


def errors_of(system: System, run: str) -> list[str]:
    """What failed inside the run's execution, in its order."""
    client = system.emulator.client("stepfunctions")
    events = client.get_execution_history(executionArn=execution(system, run), maxResults=1000)["events"]
    return [one[field].get("error", "") for one in events for field in one if field.endswith("FailedEventDetails")]


def executions(system: System) -> int:
    machine = system.deployed.only("AWS::StepFunctions::StateMachine")
    found = system.emulator.client("stepfunctions").list_executions(stateMachineArn=machine)
    return len(found["executions"])


def demand_whole(system: System, run: dict[str, Any], pages: int) -> None:
    """One document that is ready, every page of it with text, every chunk with a vector, proved against its source."""
    assert (run["status"], run["error"]) == ("ready", None), run
    ((documents, chunks, vectors, read),) = system.rows(
        "select count(distinct d.id), count(c.id), count(v.chunk_id), count(distinct c.first_page)"
        " from documents d join chunks c on c.document_id = d.id left join chunk_vectors v on v.chunk_id = c.id"
        " where d.source_hash = (select source_hash from documents where id = %s)",
        run["document_id"],
    )
    assert (documents, read) == (1, pages)
    assert chunks == vectors > 0


@contextmanager
def database_away(system: System) -> Generator[None]:
    """No connection lives on and none is made, as while Aurora fails over."""
    socket = Path(system.postgres.socket_dir) / ".s.PGSQL.5432"
    with psycopg.connect(system.postgres.dsn(SUPERUSER), autocommit=True) as connection:
        socket.rename(hidden := socket.with_name("away"))
        try:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where usename = %s", (APPLICATION,)
            )
            yield
        finally:
            hidden.rename(socket)


def test_a_database_that_is_away_for_half_a_minute_costs_waiting_and_nothing_else(
    system: System, owner: httpx.Client, base: str
) -> None:
    data = pdf_of(3, "away")
    run = upload(owner, base, data, "away.pdf")
    until(lambda: ok(owner.get(f"/v1/ingestions/{run}"))["status"] == "running")
    with database_away(system):
        began = time.monotonic()
        refused = owner.get("/v1/knowledge-bases")
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert "Try again" in refused.json()["detail"]
        time.sleep(max(0.0, AWAY_S - (time.monotonic() - began)))
    until(lambda: owner.get("/v1/knowledge-bases").is_success)
    ended = wait(owner, run)
    demand_whole(system, ended, 3)
    assert set(errors_of(system, run)) <= {"StoreUnavailable", "DatabaseAway"}


def handlers(system: System, module: str) -> set[int]:
    """Processes of this deployment's function."""
    found: set[int] = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"functions.{module}.handler".encode() not in Path("/proc", name, "cmdline").read_bytes():
                continue
            if system.guard.url.encode() in Path("/proc", name, "environ").read_bytes():
                found.add(int(name))
        except OSError:
            continue  # it has ended, or is nobody's that we may read
    return found


def end(processes: set[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("module", ["parse", "finalize"])
def test_a_handler_that_is_killed_is_started_again_and_its_work_is_done_once(
    system: System, owner: httpx.Client, base: str, module: str
) -> None:
    end(handlers(system, module))
    run = upload(owner, base, pdf_of(2, f"killed in {module}"), f"{module}.pdf")
    end(killed := until(lambda: handlers(system, module)))
    assert until(lambda: handlers(system, module) - killed), "another one goes on"
    demand_whole(system, wait(owner, run), 2)


def test_events_that_come_twice_and_in_another_order_change_nothing(
    system: System, owner: httpx.Client, base: str
) -> None:
    data = pdf_of(1, "doubled")
    ticket = announce(owner, base, data, "doubled.pdf")
    send(ticket, data)
    run = str(ticket["upload_id"])
    demand_whole(system, wait(owner, run), 1)
    before = executions(system)
    ((organization,),) = system.rows("select organization_id from knowledge_bases where id = %s", base)
    key = f"incoming/{organization}/{base}/{run}/source"
    created = {"detail-type": "Object Created", "detail": {"object": {"key": key, "size": len(data)}}}
    asked = {"organization_id": str(organization), "knowledge_base_id": base, "ingestion_id": run, "key": key}
    detail = {"status": "FAILED", "input": json.dumps(asked), "error": "late", "cause": "told late"}
    ended = {"detail-type": "Step Functions Execution Status Change", "detail": detail}
    sqs = system.emulator.client("sqs")
    (queue,) = (
        u for n, u in system.deployed.physical_ids.items() if n.startswith("IngestionAdmissionQueue") and "://" in u
    )
    for message in (ended, created, ended, created):
        sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(message))
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    until(
        lambda: not sum(map(int, sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"].values()))
    )
    demand_whole(system, ok(owner.get(f"/v1/ingestions/{run}")), 1)
    assert executions(system) == before
    listed = system.emulator.client("s3").list_objects_v2(
        Bucket=documents_bucket(system), Prefix=f"sources/{organization}/{base}/{run}"
    )
    assert len(listed["Contents"]) == 1


def test_a_shard_that_runs_out_of_time_is_tried_again(system: System, owner: httpx.Client, base: str) -> None:
    """The function's own limit is made shorter than starting takes, and put right while the run tries again."""
    client = system.emulator.client("lambda")
    (name,) = (p for n, p in system.deployed.physical_ids.items() if n.startswith("IngestionParseFunction")
               and system.deployed.types[n] == "AWS::Lambda::Function")  # fmt: skip
    limit = client.get_function_configuration(FunctionName=name)["Timeout"]
    end(handlers(system, "parse"))
    client.update_function_configuration(FunctionName=name, Timeout=1)
    try:
        run = upload(owner, base, pdf_of(2, "slow"), "slow.pdf")
        for process in (held := until(lambda: handlers(system, "parse"))):
            os.kill(process, signal.SIGSTOP)
        assert until(lambda: handlers(system, "parse") - held), "the shard is given to another one"
    finally:
        client.update_function_configuration(FunctionName=name, Timeout=limit)
    demand_whole(system, wait(owner, run), 2)


def test_a_session_that_ends_in_the_middle_of_an_upload_loses_nothing(
    system: System, front: Front, owner: httpx.Client, base: str
) -> None:
    """The ticket is good without the session; who asks how it goes is told to sign in, and finds it done."""
    data = pdf_of(2, "expired")
    with front.client() as client:
        browser = Browser(client, {})
        browser.sign_in(system.owner)
        right = {"Origin": front.origin, "X-CSRF-Token": browser.csrf}
        announced = {"filename": "expired.pdf", "size": len(data), "sha256": sha256(data).hexdigest()}
        made = browser.send("POST", "/v1/uploads", json=announced | {"knowledge_base_id": base}, headers=right)
        ticket = ok(made)
        table, key = system.deployed.only("AWS::DynamoDB::Table"), sha256(browser.cookies[SESSION].encode()).hexdigest()
        system.emulator.client("dynamodb").delete_item(TableName=table, Key={"id": {"S": key}})
        send(ticket, data)
        status = f"/v1/ingestions/{ticket['upload_id']}"
        asked = browser.send("GET", status, headers={"Accept": "application/json"})
        assert asked.status_code == 401
        assert "Sign in" in asked.json()["detail"]
        again = browser.send("POST", "/v1/uploads", json=announced | {"knowledge_base_id": base}, headers=right)
        assert again.status_code == 401
        demand_whole(system, wait(owner, str(ticket["upload_id"])), 2)
        browser.sign_in(system.owner, f"/kb/{base}")
        assert ok(browser.send("GET", status))["status"] == "ready"
