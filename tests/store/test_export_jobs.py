"""Exports that somebody waits for: what a job says of itself, whatever becomes of the process that writes it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from shared.archive import jobs
from shared.archive.container import ArchiveReader
from shared.archive.jobs import ExportJob, WantedExport, get_export, request_export, run_export
from shared.archive.outcomes import RunBudget
from shared.contract import export_archive_key, export_outcome_key, export_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadInput, Forbidden, NotFound
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "archived")


def ask(runtime: Runtime, identity: Identity, base: UUID | None) -> tuple[ExportJob, str]:
    """The job, and the key of its request."""
    job = request_export(runtime, identity, WantedExport(knowledge_base_id=base))
    return job, export_request_key(str(identity.organization_id), str(job.id))


def test_a_job_is_running_until_its_archive_is_there(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path
) -> None:
    job, key = ask(runtime, identity, base)
    assert get_export(runtime, identity, job.id) == job
    run_export(runtime, key)
    done = get_export(runtime, identity, job.id)
    assert (done.status, done.error, done.knowledge_base_id) == ("ready", None, base)
    archive = runtime.blobs.get(export_archive_key(str(identity.organization_id), str(job.id)))
    assert len(archive) == done.bytes
    (tmp_path / "a.zip").write_bytes(archive)
    with ArchiveReader(tmp_path / "a.zip") as read:
        assert [one.id for one in read.manifest.knowledge_bases] == [base]
        assert read.manifest.members_sha256 == done.members_sha256


def test_an_event_that_comes_twice_writes_one_archive(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, key = ask(runtime, identity, base)
    run_export(runtime, key)
    first = get_export(runtime, identity, job.id)
    monkeypatch.setattr(jobs, "begin_export", lambda *_: pytest.fail("written again"))
    run_export(runtime, key)
    assert get_export(runtime, identity, job.id) == first


def test_a_job_is_its_own_organizations_and_its_admins(
    runtime: Runtime, identity: Identity, other_identity: Identity, viewer: Identity, base: UUID
) -> None:
    job, _ = ask(runtime, identity, base)
    with pytest.raises(NotFound):
        get_export(runtime, other_identity, job.id)
    with pytest.raises(NotFound):
        request_export(runtime, other_identity, WantedExport(knowledge_base_id=base))
    for act in (lambda: get_export(runtime, viewer, job.id), lambda: ask(runtime, viewer, base)):
        with pytest.raises(Forbidden):
            act()
    with pytest.raises(NotFound):
        get_export(runtime, identity, new_id())


@pytest.mark.parametrize("kind", ["known", "unknown"])
def test_a_job_that_fails_says_why_and_an_unexpected_failure_rings(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    job, key = ask(runtime, identity, base)
    error = BadInput("rules.pdf is being ingested.") if kind == "known" else RuntimeError("secret")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(jobs, "begin_export", fail)
    if kind == "known":
        run_export(runtime, key)
    else:
        # The event comes again twice, as something may have passed; then it has failed.
        for _ in range(3):
            assert get_export(runtime, identity, job.id).status == "running"
            with pytest.raises(RuntimeError):
                run_export(runtime, key)
    failed = get_export(runtime, identity, job.id)
    assert (failed.status, failed.url) == ("failed", None)
    assert failed.error == ("rules.pdf is being ingested." if kind == "known" else jobs.FAILED)


def test_the_last_failure_leaves_nothing_of_a_job_that_had_begun(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, key = ask(runtime, identity, base)
    assert run_export(runtime, key, RunBudget(items=1))
    monkeypatch.setattr(jobs, "write_rows", lambda *_: (_ for _ in ()).throw(RuntimeError("unexpected")))
    for _ in range(3):
        with pytest.raises(RuntimeError):
            run_export(runtime, key)
    assert get_export(runtime, identity, job.id).error == jobs.FAILED
    with runtime.database.transaction(identity.scope()) as connection:
        assert connection.execute("select id from archive_jobs where id = %s", (job.id,)).fetchall() == []


def ask_earlier(runtime: Runtime, job: ExportJob, key: str, ago: timedelta) -> None:
    asked, wanted = (
        one.isoformat().replace("+00:00", "Z").encode() for one in (job.requested_at, datetime.now(UTC) - ago)
    )
    request = runtime.blobs.get(key)
    assert asked in request
    runtime.blobs.put(key, request.replace(asked, wanted))


def test_an_export_that_takes_longer_than_its_runs_may_wait_goes_on_while_slices_are_done(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    job, key = ask(runtime, identity, base)
    assert run_export(runtime, key, RunBudget(items=3))
    ask_earlier(runtime, job, key, timedelta(hours=3))
    assert get_export(runtime, identity, job.id).status == "running"
    while run_export(runtime, key, RunBudget(items=30)):
        continue
    assert get_export(runtime, identity, job.id).status == "ready"


def test_a_job_whose_process_was_killed_has_failed_once_it_cannot_run_any_more(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    job, key = ask(runtime, identity, base)
    ask_earlier(runtime, job, key, timedelta(minutes=81))
    assert get_export(runtime, identity, job.id).error == jobs.TOO_LONG
    assert not runtime.blobs.exists(export_outcome_key(str(identity.organization_id), str(job.id)))
    # An event that comes now changes nothing about that.
    run_export(runtime, key)
    assert get_export(runtime, identity, job.id).error == jobs.TOO_LONG
    assert not runtime.blobs.exists(export_archive_key(str(identity.organization_id), str(job.id)))
