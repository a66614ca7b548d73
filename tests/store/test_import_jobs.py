"""Imports that somebody waits for: what a job says of itself, and that a broken one leaves nothing."""

import hashlib
from pathlib import Path
from uuid import UUID

import pytest

from functions import export
from shared.archive import import_jobs
from shared.archive.erasing import delete_knowledge_base
from shared.archive.exporting import export_knowledge_base
from shared.archive.import_jobs import ImportJob, WantedImport, get_import, request_import
from shared.contract import import_archive_key, import_request_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import Forbidden, NotFound
from shared.library.knowledge_bases import get_knowledge_base
from shared.ports import UploadTarget
from shared.runtime import Runtime
from tests.pipeline import make_knowledge_base


@pytest.fixture(autouse=True)
def bucket(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tickets of one machine name uploads; those of a bucket any key."""
    target = UploadTarget(url="https://bucket", method="POST", headers={}, fields={"key": "x"})
    monkeypatch.setattr(type(runtime.blobs), "upload_target", lambda *_: target)
    monkeypatch.setattr(export, "process_runtime", lambda: runtime)


@pytest.fixture
def archive(runtime: Runtime, identity: Identity, tmp_path: Path) -> tuple[UUID, bytes]:
    """A knowledge base that is gone, and the archive of it."""
    base = make_knowledge_base(runtime, identity, f"sent-{new_id()}")
    export_knowledge_base(runtime, identity, base, tmp_path / "a.zip")
    delete_knowledge_base(runtime, identity, base)
    return base, (tmp_path / "a.zip").read_bytes()


def arrive(key: str) -> None:
    export.handler({"detail": {"object": {"key": key}}}, None)


def ask(runtime: Runtime, identity: Identity, data: bytes) -> tuple[ImportJob, str]:
    """The job, whose archive was sent, and the archive's key."""
    wanted = WantedImport(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    job = request_import(runtime, identity, wanted)
    organization = str(identity.organization_id)
    arrive(import_request_key(organization, str(job.id)))
    key = import_archive_key(organization, str(job.id))
    runtime.blobs.put(key, data, "application/zip")
    return job, key


def test_a_job_runs_until_its_archive_is_read_and_an_event_that_comes_twice_changes_nothing(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes]
) -> None:
    base, data = archive
    job, key = ask(runtime, identity, data)
    assert get_import(runtime, identity, job.id).status == "running"
    for _ in range(2):
        arrive(key)
        done = get_import(runtime, identity, job.id)
        assert (done.status, done.error, [one.id for one in done.knowledge_bases]) == ("ready", None, [base])
    assert get_knowledge_base(runtime, identity, base).id == base


@pytest.mark.parametrize("kind", ["truncated", "twice"])
def test_a_bad_archive_ends_the_job_with_its_reason(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], kind: str
) -> None:
    base, data = archive
    if kind == "twice":
        arrive(ask(runtime, identity, data)[1])
    job, key = ask(runtime, identity, data if kind == "twice" else data[: len(data) // 2])
    arrive(key)
    failed = get_import(runtime, identity, job.id)
    assert (failed.status, failed.knowledge_bases) == ("failed", [])
    assert failed.error is not None
    assert ("here already" in failed.error) == (kind == "twice")
    if kind == "truncated":
        with pytest.raises(NotFound):
            get_knowledge_base(runtime, identity, base)


def test_a_run_that_was_killed_leaves_nothing_and_the_next_event_imports(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, data = archive
    job, key = ask(runtime, identity, data)
    with monkeypatch.context() as patch:
        # What a killed process does not do: write an outcome. The database takes its transaction back.
        patch.setattr(import_jobs, "_keep", lambda *_: None)
        patch.setattr("shared.archive.importing.index_unseen", lambda *_: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            arrive(key)
    assert get_import(runtime, identity, job.id).status == "running"
    with pytest.raises(NotFound):
        get_knowledge_base(runtime, identity, base)
    arrive(key)
    assert get_import(runtime, identity, job.id).status == "ready"


def test_a_job_is_its_own_organizations_and_its_admins(
    runtime: Runtime, identity: Identity, other_identity: Identity, viewer: Identity, archive: tuple[UUID, bytes]
) -> None:
    job, _ = ask(runtime, identity, archive[1])
    with pytest.raises(NotFound):
        get_import(runtime, other_identity, job.id)
    for act in (lambda: get_import(runtime, viewer, job.id), lambda: ask(runtime, viewer, archive[1])):
        with pytest.raises(Forbidden):
            act()
