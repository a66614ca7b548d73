"""The local workflow over a real database; stages run in threads of this process instead of worker processes."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from functions.samples import upload_file
from shared import processes
from shared.domain.inspect import Ingestion
from shared.domain.scope import Identity, Scope
from shared.errors import AutriError, BadInput
from shared.ingestion import runner as runner_module
from shared.ingestion.runner import Runner
from shared.ingestion.uploads import get_ingestion, list_ingestions, reingest
from shared.processes import host_name, is_dead, own_name
from shared.runtime import Runtime
from shared.store import ingestions
from tests.e2e.test_ingestion import small_pdf
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, run_stage, scope_of, upload

Submit = Callable[[str, Mapping[str, Any]], "Future[dict[str, Any]]"]
OPEN = {"waiting", "queued", "running"}


@pytest.fixture
def pool(runtime: Runtime) -> Submit:
    executor = ThreadPoolExecutor(4)
    return lambda stage, event: executor.submit(run_stage, runtime, stage, event)


@pytest.fixture
def knowledge_base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    return make_knowledge_base(runtime, identity, request.node.name)


def wait_for_end(runtime: Runtime, identity: Identity, knowledge_base: UUID) -> list[Ingestion]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = list_ingestions(runtime, identity, knowledge_base)
        if not any(ingestion.status in OPEN for ingestion in found):
            return found
        time.sleep(0.05)
    raise TimeoutError


def runner(runtime: Runtime, submit: Submit, scope: Scope) -> Runner:
    return Runner(runtime, submit, lambda: [scope], parallel=2)


def test_two_runners_share_the_work_and_run_nothing_twice(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit
) -> None:
    scope = scope_of(identity, knowledge_base)
    for n in range(6):
        upload(runtime, identity, knowledge_base, small_pdf(f"shared {n}"), f"{n}.pdf")
    with runner(runtime, pool, scope), runner(runtime, pool, scope):
        found = wait_for_end(runtime, identity, knowledge_base)
    with runtime.database.transaction(scope) as connection:
        attempts = connection.execute("select attempts from ingestions").fetchall()
    assert [ingestion.status for ingestion in found] == ["ready"] * 6
    assert [row["attempts"] for row in attempts] == [1] * 6


def test_a_crashed_worker_is_tried_again_and_a_crashed_range_page_by_page(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit
) -> None:
    crashed: list[str] = []

    def crashing_once(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        if stage in {"finalize", "extract"} and stage not in crashed:
            crashed.append(stage)
            broken: Future[dict[str, Any]] = Future()
            broken.set_exception(BrokenProcessPool("a worker died"))
            return broken
        return pool(stage, {**event, "isolated": False} if "shard" in event else event)

    upload(runtime, identity, knowledge_base, small_pdf("crash"))
    with runner(runtime, crashing_once, scope_of(identity, knowledge_base)):
        found = wait_for_end(runtime, identity, knowledge_base)
    assert sorted(crashed) == ["extract", "finalize"]
    assert [ingestion.status for ingestion in found] == ["ready"]


@pytest.mark.parametrize(("stage", "status"), [("embed", "ready"), ("register", "failed")])
def test_only_a_file_that_crashes_its_reader_ends_by_crashes(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit, stage: str, status: str
) -> None:
    crashes = iter(range(4))

    def crashing(name: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        if name == stage and next(crashes, None) is not None:
            broken: Future[dict[str, Any]] = Future()
            broken.set_exception(BrokenProcessPool("a worker died"))
            return broken
        return pool(name, event)

    upload(runtime, identity, knowledge_base, small_pdf(f"{stage} crashes"))
    with runner(runtime, crashing, scope_of(identity, knowledge_base)):
        (found,) = wait_for_end(runtime, identity, knowledge_base)
    assert found.status == status


def test_a_stage_that_keeps_failing_ends_the_ingestion_with_its_reason(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit
) -> None:
    def without_memory(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        if stage == "embed":
            failed: Future[dict[str, Any]] = Future()
            failed.set_exception(MemoryError("out of memory"))
            return failed
        return pool(stage, event)

    upload(runtime, identity, knowledge_base, small_pdf("memory"))
    with runner(runtime, without_memory, scope_of(identity, knowledge_base)):
        (found,) = wait_for_end(runtime, identity, knowledge_base)
    assert found.status == "failed"
    assert "out of memory" in (found.error or "")
    assert "reingest" in (found.error or "")


def test_a_stopped_runner_leaves_the_rest_to_the_next_one(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit
) -> None:
    scope = scope_of(identity, knowledge_base)
    event = upload(runtime, identity, knowledge_base, small_pdf("stopped"))
    with runtime.database.transaction(scope) as connection:
        dead = f"{host_name()}:{finished_pid()}:1"
        lease = ingestions.claim(connection, dead, [], [])
        assert lease is not None
        assert ingestions.claim(connection, "somebody else", [], []) is None
    with runner(runtime, pool, scope):
        wait_for_end(runtime, identity, knowledge_base)
    assert get_ingestion(runtime, identity, UUID(event["upload_id"])).status == "ready"


def finished_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_the_owner_of_a_lease_is_dead_only_when_its_process_is_known_to_be_gone() -> None:
    host = host_name()
    assert not is_dead(own_name())
    assert is_dead(f"{host}:{finished_pid()}:1")
    assert not is_dead(f"another-{host}:{finished_pid()}:1")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_an_owner_that_was_killed_is_dead_before_its_parent_has_asked_for_it() -> None:
    process = subprocess.Popen(["sleep", "60"])
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        owner = f"{host_name()}:{process.pid}:{file.read().rpartition(')')[2].split()[19]}"
    assert not is_dead(owner)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(owner)
    process.wait()


def test_without_proc_a_process_is_asked_whether_it_lives_and_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "open", raising(FileNotFoundError), raising=False)
    monkeypatch.setattr(processes.os.path, "isdir", lambda _: False)
    process = subprocess.Popen(["sleep", "60"])
    owner = f"{host_name()}:{process.pid}:alive"
    assert not is_dead(owner)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.2)
    process.kill()
    process.wait()
    assert is_dead(owner)
    monkeypatch.setattr(processes.os, "kill", raising(PermissionError))
    assert not is_dead(owner), "somebody else's process has the number"


def raising(error: type[Exception]) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_file_that_cannot_be_registered_ends_failed_and_is_not_tried_for_ever(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit
) -> None:
    event = upload(runtime, identity, knowledge_base, small_pdf("gone"))
    runtime.blobs.delete_prefix(event["key"])
    with runner(runtime, pool, scope_of(identity, knowledge_base)):
        (found,) = wait_for_end(runtime, identity, knowledge_base)
    assert found.status == "failed"
    assert "no object" in (found.error or "")


def test_a_sample_is_waited_for_until_it_is_a_document_or_its_run_has_ended(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit, tmp_path: Path
) -> None:
    def refuses(*_: object) -> "Future[dict[str, Any]]":
        future: Future[dict[str, Any]] = Future()
        future.set_exception(BadInput("not today"))
        return future

    sample, scope = tmp_path / "sample.pdf", scope_of(identity, knowledge_base)
    sample.write_bytes(small_pdf("sample"))
    with runner(runtime, pool, scope):
        made = upload_file(runtime, identity, knowledge_base, sample)
        assert [one.document_id for one in wait_for_end(runtime, identity, knowledge_base)] == [made]
    sample.write_bytes(small_pdf("another"))
    with runner(runtime, refuses, scope), pytest.raises(AutriError, match=r"sample\.pdf: not today"):
        upload_file(runtime, identity, knowledge_base, sample)


def test_a_worker_that_never_answers_costs_its_run_and_lets_another_begin(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "ANSWER_LIMIT_S", 0.5)
    stuck: Future[dict[str, Any]] = Future()
    stuck.set_running_or_notify_cancel()

    def hangs(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        return stuck if stage == "embed" else pool(stage, event)

    scope = scope_of(identity, knowledge_base)
    upload(runtime, identity, knowledge_base, small_pdf("stuck"))
    with runner(runtime, hangs, scope):
        (ended,) = wait_for_end(runtime, identity, knowledge_base)
    assert (ended.status, "longer than 6 hours" in str(ended.error)) == ("failed", True)
    assert ended.document_id is not None
    reingest(runtime, identity, ended.document_id)
    with runner(runtime, pool, scope):
        found = wait_for_end(runtime, identity, knowledge_base)
    assert sorted(one.status for one in found) == ["failed", "ready"]


def test_time_in_the_queue_of_a_pool_is_no_step_that_lasts(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, pool: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "ANSWER_LIMIT_S", 0.0)

    def queued(stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        future: Future[dict[str, Any]] = Future()

        def finish() -> None:
            result = pool(stage, event).result()
            if future.set_running_or_notify_cancel():  # The runner may have been closed meanwhile.
                future.set_result(result)

        threading.Timer(0.6, finish).start()
        return future

    upload(runtime, identity, knowledge_base, small_pdf("queued"))
    with runner(runtime, queued, scope_of(identity, knowledge_base)):
        (ended,) = wait_for_end(runtime, identity, knowledge_base)
    assert ended.status == "ready"


def test_a_worker_whose_stage_does_not_end_ends_itself() -> None:
    program = (
        "import sys, time, types; from shared import worker; worker.LIMIT_S = 0.5;"
        "worker.process_runtime = lambda: None;"
        "sys.modules['shared.ingestion.hangs'] = types.SimpleNamespace(run=lambda *_: time.sleep(600));"
        "worker.run_stage('hangs', {})"
    )
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, time.monotonic() - begun < PATIENCE_S) == (1, True), done.stderr
