"""Runs that nobody is left to end: each ends with a reason, and its document may be run again."""

import json
from typing import Any, LiteralString
from uuid import UUID

import pytest

from functions import mark_failed as on_event
from shared.adapters.aws.step_functions import StepFunctionsWorkflow
from shared.contract import RUN_LIMIT_S
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import Conflict
from shared.ingestion import mark_failed
from shared.ingestion.mark_failed import ADVICE
from shared.ingestion.reap import end_lost_runs
from shared.ingestion.uploads import get_ingestion, reingest
from shared.library.documents import get_document
from shared.library.retention import end_untaken_uploads
from shared.maintenance import maintain
from shared.runtime import Runtime
from tests.e2e.test_ingestion import small_pdf
from tests.pipeline import make_knowledge_base, run_all, run_stage, scope_of, upload
from tests.store.test_retention import announce, organization_of


@pytest.fixture
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, new_id().hex)


@pytest.fixture
def scope(identity: Identity, base: UUID) -> Scope:
    return scope_of(identity, base)


def execution(status: str, started_with: dict[str, Any], **more: str) -> dict[str, Any]:
    """What EventBridge tells of an execution (Step Functions' "Execution Status Change")."""
    return {
        "source": "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        "detail": {
            "executionArn": "arn:aws:states:eu-central-1:123456789012:execution:machine:name",
            "stateMachineArn": "arn:aws:states:eu-central-1:123456789012:stateMachine:machine",
            "status": status,
            "input": json.dumps(started_with),
            "inputDetails": {"included": True},
            **more,
        },
    }


def tell(runtime: Runtime, monkeypatch: pytest.MonkeyPatch, event: dict[str, Any]) -> str:
    monkeypatch.setattr(on_event, "process_runtime", lambda: runtime)
    return on_event.handler(event, None)["status"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("TIMED_OUT", "The run took longer than 7 days and was stopped"),
        ("ABORTED", "The run was stopped from outside"),
        ("FAILED", "mark_failed timed out"),
    ],
)
def test_an_execution_that_ended_otherwise_than_well_ends_its_ingestion_and_lets_another_run(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch, status: str, reason: str
) -> None:
    data = small_pdf(f"execution {status}")
    event, twin = (upload(runtime, identity, base, data) for _ in range(2))
    document_id = UUID(run_all(runtime, event, until="parse")["document_id"])
    run_stage(runtime, "register", twin)
    with pytest.raises(Conflict):
        reingest(runtime, identity, document_id)
    started_with = {"bucket": "b", "key": event["key"], "size": 1, "etag": "e"}
    told = execution(status, started_with, **({"cause": reason} if status == "FAILED" else {}))
    assert tell(runtime, monkeypatch, told) == "failed"
    for ticket in (event, twin):
        ended = get_ingestion(runtime, identity, UUID(ticket["upload_id"]))
        assert (ended.status, ended.error) == ("failed", f"{reason}. {ADVICE}")
    document = get_document(runtime, identity, document_id)
    assert (document.status, document.error) == ("failed", f"{reason}. {ADVICE}")
    assert tell(runtime, monkeypatch, told) == "ignored"
    again = reingest(runtime, identity, document_id)
    ids = {"organization_id": identity.organization_id, "knowledge_base_id": base, "document_id": document_id}
    second = {name: str(value) for name, value in ids.items()} | {"schema": 1, "ingestion_id": str(again.id)}
    assert tell(runtime, monkeypatch, execution(status, {**second, "key": event["key"]})) == "failed"
    assert get_ingestion(runtime, identity, again.id).status == "failed"
    third = reingest(runtime, identity, document_id)
    run_all(runtime, {**second, "ingestion_id": str(third.id)})
    assert get_document(runtime, identity, document_id).status == "ready"


def test_an_execution_that_failed_after_its_run_had_ended_changes_nothing(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = upload(runtime, identity, base, small_pdf("ended"))
    document_id = UUID(run_all(runtime, event)["document_id"])
    assert tell(runtime, monkeypatch, execution("TIMED_OUT", {"key": event["key"]})) == "ignored"
    assert tell(runtime, monkeypatch, execution("ABORTED", {})) == "ignored"
    assert get_ingestion(runtime, identity, UUID(event["upload_id"])).status == "ready"
    assert get_document(runtime, identity, document_id).status == "ready"


def age(runtime: Runtime, scope: Scope, ingestion_id: UUID, seconds: float, column: LiteralString) -> None:
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            f"update ingestions set {column} = now() - make_interval(secs => %s) where id = %s",  # noqa: S608 ours
            (seconds, ingestion_id),
        )


def test_runs_that_no_one_leases_end_when_their_time_is_over(
    runtime: Runtime, identity: Identity, base: UUID, scope: Scope, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = RUN_LIMIT_S + 3600
    files = {name: small_pdf(name) for name in ("lost", "young", "leased", "never started")}
    events = {name: upload(runtime, identity, base, data) for name, data in files.items()}
    answers = {name: run_all(runtime, event, until="render") for name, event in events.items()}
    ids = {name: UUID(event["upload_id"]) for name, event in events.items()}
    for name in ("lost", "leased"):
        age(runtime, scope, ids[name], over, "started_at")
    age(runtime, scope, ids["young"], over, "created_at")
    with runtime.database.transaction(scope) as connection:
        connection.execute("update ingestions set lease_owner = 'a:1:1' where id = %s", (ids["leased"],))
    mark_failed.run(runtime, {**answers["never started"], "error": {"Cause": "x"}})
    queued = reingest(runtime, identity, UUID(answers["never started"]["document_id"]))
    for column in ("created_at", "queued_at"):
        age(runtime, scope, queued.id, over, column)
    follower = upload(runtime, identity, base, files["young"])
    assert run_all(runtime, follower)["outcome"] == "duplicate"
    ids["its follower"] = UUID(follower["upload_id"])
    age(runtime, scope, ids["its follower"], over, "created_at")
    age(runtime, scope, ids["its follower"], over, "started_at")
    assert end_lost_runs(runtime, scope) == 0, "on one machine every run has a lease"
    monkeypatch.setattr(runtime, "workflow", StepFunctionsWorkflow("arn"))
    tasks = {one["task"]: one for one in maintain(runtime, owner_dsn)["tasks"]}
    assert tasks["end_lost_runs"]["result"] == 1
    told = {name: get_ingestion(runtime, identity, one).status for name, one in (ids | {"queued": queued.id}).items()}
    assert told == {
        "lost": "failed", "young": "running", "leased": "running", "never started": "failed", "queued": "queued",
        "its follower": "running",
    }  # fmt: skip
    lost = get_document(runtime, identity, UUID(answers["lost"]["document_id"]))
    assert (lost.status, "within 7 days" in (lost.error or "")) == ("failed", True)
    age(runtime, scope, queued.id, over, "admitted_at")
    woken = list[bool]()
    monkeypatch.setattr(runtime, "wake_sending", lambda: woken.append(True))
    assert end_lost_runs(runtime, scope) == 1, "it had a slot for so long and did not begin"
    assert end_lost_runs(runtime, scope) == 0
    assert woken == [True]


def test_a_file_that_came_and_was_never_taken_up_ends_after_two_days_without_file_and_password(
    runtime: Runtime, identity: Identity, base: UUID, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = list[bool]()
    monkeypatch.setattr(runtime, "wake_sending", lambda: woken.append(True))
    late, yesterday, empty = (announce(runtime, identity, base, days) for days in (2.1, 1.9, 2.1))
    key = f"incoming/{identity.organization_id}/{base}/"
    for ticket in (late, yesterday):
        runtime.blobs.put(f"{key}{ticket.upload_id}/source", b"abc")
    assert end_untaken_uploads(runtime, organization_of(identity)) == 1
    assert woken == [True]
    ended = get_ingestion(runtime, identity, late.upload_id)
    assert (ended.status, "Upload it again" in (ended.error or "")) == ("failed", True)
    assert [runtime.vault.get(one.upload_id) for one in (late, yesterday, empty)] == [None, "sesame", "sesame"]
    assert list(runtime.blobs.list(key)) == [f"{key}{yesterday.upload_id}/source"]
