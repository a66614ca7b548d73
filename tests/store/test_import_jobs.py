"""Imports that somebody waits for: what a job says of itself, and that a broken one leaves nothing."""

import hashlib
import os
from datetime import UTC, datetime, timedelta
from errno import ENOSPC
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from functions import import_archive
from shared.archive import import_jobs, importing, outcomes
from shared.archive.erasure_run import run_erasure
from shared.archive.exporting import export_knowledge_base
from shared.archive.import_jobs import (
    ImportJob,
    SentParts,
    WantedImport,
    WantedParts,
    end_parts,
    end_stopped,
    get_import,
    list_imports,
    place_parts,
    request_import,
    run_import,
)
from shared.archive.outcomes import RunBudget
from shared.contract import import_archive_key, import_outcome_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import BadInput, Busy, Forbidden, NotFound, StoreUnavailable
from shared.library.knowledge_bases import get_knowledge_base
from shared.ports import UploadTarget
from shared.runtime import Runtime
from tests.erasing import by_nobody, erase_base
from tests.pipeline import make_knowledge_base


@pytest.fixture(autouse=True)
def bucket(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tickets of one machine name uploads; those of a bucket any key."""
    target = UploadTarget(url="https://bucket", method="POST", headers={}, fields={"key": "x"})
    monkeypatch.setattr(type(runtime.blobs), "upload_target", lambda *_: target)
    monkeypatch.setattr(import_archive, "process_runtime", lambda: runtime)


@pytest.fixture
def archive(runtime: Runtime, identity: Identity, tmp_path: Path) -> tuple[UUID, bytes]:
    """A knowledge base that is gone, and the archive of it."""
    base = make_knowledge_base(runtime, identity, f"sent-{new_id()}")
    export_knowledge_base(runtime, identity, base, tmp_path / "a.zip")
    erase_base(runtime, identity, base)
    return base, (tmp_path / "a.zip").read_bytes()


def arrive(key: str) -> None:
    import_archive.handler({"detail": {"object": {"key": key}}}, None)


def ask(runtime: Runtime, identity: Identity, data: bytes) -> tuple[ImportJob, str]:
    """The job, whose archive was sent, and the archive's key."""
    wanted = WantedImport(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    job = request_import(runtime, identity, wanted)
    organization = str(identity.organization_id)
    key = import_archive_key(organization, str(job.id))
    runtime.blobs.put(key, data, "application/zip")
    return job, key


def test_a_job_runs_until_its_archive_is_read_and_an_event_that_comes_twice_changes_nothing(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes]
) -> None:
    base, data = archive
    job, key = ask(runtime, identity, data)
    assert get_import(runtime, identity, job.id).status == "running"
    assert runtime.blobs.exists(key)
    for _ in range(2):
        arrive(key)
        done = get_import(runtime, identity, job.id)
        assert (done.status, done.error, [one.id for one in done.knowledge_bases]) == ("ready", None, [base])
    assert get_knowledge_base(runtime, identity, base).id == base
    assert not runtime.blobs.exists(key)


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
        patch.setattr("shared.archive.importing.open_bases", lambda *_: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            arrive(key)
    assert get_import(runtime, identity, job.id).status == "running"
    with pytest.raises(NotFound):
        get_knowledge_base(runtime, identity, base)
    arrive(key)
    assert get_import(runtime, identity, job.id).status == "ready"


def test_a_run_that_was_killed_between_its_last_row_and_its_outcome_has_imported(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, data = archive
    job, key = ask(runtime, identity, data)
    arrive(key)
    whole = get_import(runtime, identity, job.id)
    runtime.blobs.delete(import_outcome_key(str(identity.organization_id), str(job.id)))
    runtime.blobs.put(key, data, "application/zip")
    # Late too: that it is here is known before anything else is asked.
    with monkeypatch.context() as patch:
        patch.setattr(outcomes, "START_WITHIN", timedelta(0))
        arrive(key)
    again = get_import(runtime, identity, job.id)
    assert (again.status, again.error) == ("ready", None)
    assert again.knowledge_bases == whole.knowledge_bases != []
    # Another job with the same archive did not bring it.
    other, other_key = ask(runtime, identity, data)
    arrive(other_key)
    assert get_import(runtime, identity, other.id).status == "failed"


def test_an_import_is_late_from_the_arrival_of_its_archive_and_then_no_run_begins(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, data = archive
    wanted = WantedImport(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    job = request_import(runtime, identity, wanted)
    key = import_archive_key(str(identity.organization_id), str(job.id))
    began = datetime.now(UTC)

    def at(later: timedelta) -> str:
        clock = type("Clock", (), {"now": staticmethod(lambda _: began + later)})
        monkeypatch.setattr(outcomes, "datetime", clock)
        return get_import(runtime, identity, job.id).status

    assert at(timedelta(hours=5)) == "waiting"
    runtime.blobs.put(key, data, "application/zip")
    assert at(timedelta(minutes=74)) == "running"
    assert at(timedelta(minutes=81)) == "failed"
    # Runs that begin have a quarter of an hour before it is said to have failed; from an hour on none begins.
    at(timedelta(minutes=61))
    arrive(key)
    assert at(timedelta(minutes=62)) == "failed"
    with pytest.raises(NotFound):
        get_knowledge_base(runtime, identity, base)


def test_an_import_that_takes_longer_than_its_runs_may_wait_goes_on_while_slices_are_done(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes]
) -> None:
    job, key = ask(runtime, identity, archive[1])
    assert run_import(runtime, key, RunBudget(items=3))
    long_ago = (datetime.now(UTC) - timedelta(hours=3)).timestamp()
    os.utime(runtime.blobs.local_copy(key), (long_ago, long_ago))
    assert get_import(runtime, identity, job.id).status == "running"
    arrive(key)
    assert get_import(runtime, identity, job.id).status == "ready"


@pytest.mark.parametrize("error", [RuntimeError("unexpected"), StoreUnavailable("away")])
def test_what_may_pass_is_tried_three_times_before_the_job_has_failed(
    runtime: Runtime,
    identity: Identity,
    archive: tuple[UUID, bytes],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    _, data = archive
    passing, lasting = ask(runtime, identity, data), ask(runtime, identity, data)
    with monkeypatch.context() as patch:
        patch.setattr(import_jobs, "import_slice", lambda *_, **__: (_ for _ in ()).throw(error))
        for job, key in (passing, passing, lasting, lasting, lasting):
            assert get_import(runtime, identity, job.id).status == "running"
            with pytest.raises(type(error)):
                arrive(key)
    arrive(passing[1])
    arrive(lasting[1])
    assert get_import(runtime, identity, passing[0].id).status == "ready"
    failed = get_import(runtime, identity, lasting[0].id)
    assert (failed.status, failed.error) == ("failed", import_jobs.FAILED)


def test_the_last_failure_deletes_what_is_here_and_the_same_archive_can_be_sent_again(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, data = archive
    runtime.start_erasure = by_nobody
    job, key = ask(runtime, identity, data)
    assert run_import(runtime, key, RunBudget(items=3))
    with monkeypatch.context() as patch:
        patch.setattr(import_jobs, "import_slice", lambda *_, **__: (_ for _ in ()).throw(RuntimeError("unexpected")))
        for _ in range(3):
            assert runtime.blobs.exists(key)
            with pytest.raises(RuntimeError):
                arrive(key)
    assert not runtime.blobs.exists(key)
    failed = get_import(runtime, identity, job.id)
    assert (failed.status, failed.error) == ("failed", import_jobs.FAILED)
    with runtime.database.transaction(identity.scope()) as connection:
        assert connection.execute("select id from archive_jobs").fetchall() == []
        (erasure,) = connection.execute("select id, subject_id from erasures").fetchall()
    assert erasure["subject_id"] == base
    while run_erasure(runtime, identity.organization_id, erasure["id"]):
        continue
    again, key = ask(runtime, identity, data)
    arrive(key)
    assert get_import(runtime, identity, again.id).status == "ready"


def test_an_event_that_comes_while_another_run_imports_leaves_the_outcome_to_that(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, data = archive
    job, key = ask(runtime, identity, data)
    open_bases = importing.open_bases
    asked = list[int]()

    def meanwhile(*arguments: Any) -> None:
        for _ in range(3):
            with pytest.raises(Busy):
                arrive(key)
            asked.append(1)
        assert get_import(runtime, identity, job.id).status == "running"
        open_bases(*arguments)

    monkeypatch.setattr(importing, "open_bases", meanwhile)
    arrive(key)
    assert len(asked) == 3
    assert get_import(runtime, identity, job.id).status == "ready"


@pytest.mark.parametrize("left", ["outcome", "rows", "both"])
def test_an_event_that_comes_while_another_run_ends_leaves_the_outcome_to_that(
    runtime: Runtime,
    identity: Identity,
    archive: tuple[UUID, bytes],
    monkeypatch: pytest.MonkeyPatch,
    left: str,
) -> None:
    base, data = archive
    job, key = ask(runtime, identity, data)
    find_imported = import_jobs.find_imported
    found = list[Any]()

    def meanwhile(*arguments: Any) -> Any:
        monkeypatch.setattr(import_jobs, "find_imported", find_imported)
        found.append(find_imported(*arguments))
        arrive(key)
        if left != "outcome":  # the other run is killed before it deletes the archive
            runtime.blobs.put(key, data)
        if left == "rows":  # or before it says what it did
            runtime.blobs.delete(import_outcome_key(str(identity.organization_id), str(job.id)))
        return found[0]

    monkeypatch.setattr(import_jobs, "find_imported", meanwhile)
    arrive(key)
    assert found == [None]
    done = get_import(runtime, identity, job.id)
    assert (done.status, done.error, [one.id for one in done.knowledge_bases]) == ("ready", None, [base])


def test_a_job_is_its_own_organizations_and_its_admins(
    runtime: Runtime, identity: Identity, other_identity: Identity, viewer: Identity, archive: tuple[UUID, bytes]
) -> None:
    job, _ = ask(runtime, identity, archive[1])
    with pytest.raises(NotFound):
        get_import(runtime, other_identity, job.id)
    for act in (lambda: get_import(runtime, viewer, job.id), lambda: ask(runtime, viewer, archive[1])):
        with pytest.raises(Forbidden):
            act()


def test_imports_are_listed_newest_first_with_what_became_of_each_to_admins_of_their_organization(
    runtime: Runtime, identity: Identity, other_identity: Identity, viewer: Identity, archive: tuple[UUID, bytes]
) -> None:
    base, data = archive
    done, key = ask(runtime, identity, data)
    arrive(key)
    broken, key = ask(runtime, identity, data[:99])
    arrive(key)
    waiting = request_import(runtime, identity, WantedImport(size=7, sha256="0" * 64))
    listed = list_imports(runtime, identity)
    assert [(one.id, one.status, one.bytes) for one in listed[:3]] == [
        (waiting.id, "waiting", 7), (broken.id, "failed", 99), (done.id, "ready", len(data)),
    ]  # fmt: skip
    assert [one.id for one in listed[2].knowledge_bases] == [base]
    assert listed[1].error
    assert done.id not in {one.id for one in list_imports(runtime, other_identity)}
    with pytest.raises(Forbidden):
        list_imports(runtime, viewer)


def test_a_full_disk_ends_the_job_at_once_and_says_what_to_do(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, key = ask(runtime, identity, archive[1])
    full = OSError(ENOSPC, "No space left on device")
    monkeypatch.setattr(import_jobs, "import_slice", lambda *_, **__: (_ for _ in ()).throw(full))
    arrive(key)
    failed = get_import(runtime, identity, job.id)
    assert (failed.status, failed.error) == ("failed", import_jobs.FULL)


PART = 2000


class Parts:
    """The bucket of one machine, to which a client PUTs parts."""

    def __init__(self, runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        self._blobs = runtime.blobs
        monkeypatch.setattr(type(runtime.blobs), "part_url", lambda _, key, upload, number: f"{key} {upload} {number}")
        monkeypatch.setattr(import_jobs, "ONE_REQUEST_BYTES", PART)
        monkeypatch.setattr(import_jobs, "PART_BYTES", PART)

    def put(self, url: str, data: bytes) -> str:
        key, upload, number = url.split()
        return self._blobs.put_part(key, upload, int(number), data)


def test_an_archive_that_is_larger_than_one_request_is_sent_in_parts(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, data = archive
    bucket = Parts(runtime, monkeypatch)
    wanted = WantedImport(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    job = request_import(runtime, identity, wanted)
    pieces = [data[at : at + PART] for at in range(0, len(data), PART)]
    assert job.upload == {"parts": len(pieces), "part_bytes": PART}
    assert len(pieces) > 2
    numbers = [2, 1, *range(3, len(pieces) + 1)]
    urls = place_parts(runtime, identity, job.id, WantedParts(numbers=numbers)).urls
    bucket.put(urls[0], b"broken on its way")
    tags = {number: bucket.put(url, pieces[number - 1]) for number, url in zip(numbers, urls, strict=True)}
    assert get_import(runtime, identity, job.id).status == "waiting"
    sent = [tags[number] for number in sorted(tags)]
    key = import_archive_key(str(identity.organization_id), str(job.id))
    for wrong, said in ((sent[:-1], "Send the others too"), ([*sent[:-1], sent[0]], "not those that were sent")):
        with pytest.raises(BadInput, match=said):
            end_parts(runtime, identity, job.id, SentParts(tags=wrong))
        assert not runtime.blobs.exists(key)
    for _ in range(2):
        assert end_parts(runtime, identity, job.id, SentParts(tags=sent)).status == "running"
    assert runtime.blobs.get(key) == data
    arrive(key)
    assert [one.id for one in get_import(runtime, identity, job.id).knowledge_bases] == [base]


def test_an_archive_of_another_size_than_was_announced_is_not_imported(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    base, data = archive
    bucket = Parts(runtime, monkeypatch)
    announced = PART * (-(-len(data) // PART)) - (0 if len(data) % PART else 1)
    job = request_import(runtime, identity, WantedImport(size=announced, sha256=hashlib.sha256(data).hexdigest()))
    pieces = [data[at : at + PART] for at in range(0, len(data), PART)]
    urls = place_parts(runtime, identity, job.id, WantedParts(numbers=[*range(1, len(pieces) + 1)])).urls
    tags = [bucket.put(url, piece) for url, piece in zip(urls, pieces, strict=True)]
    end_parts(runtime, identity, job.id, SentParts(tags=tags))
    arrive(import_archive_key(str(identity.organization_id), str(job.id)))
    failed = get_import(runtime, identity, job.id)
    assert failed.status == "failed"
    assert f"{len(data):,} bytes of the archive arrived, and {announced:,} were announced" in str(failed.error)
    with pytest.raises(NotFound):
        get_knowledge_base(runtime, identity, base)


def test_parts_that_the_store_does_not_keep_any_more_are_said_to_be_gone(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    Parts(runtime, monkeypatch)
    job = request_import(runtime, identity, WantedImport(size=2 * PART, sha256="0" * 64))

    def gone(*_: Any) -> None:
        raise NotFound("no such upload")

    monkeypatch.setattr(type(runtime.blobs), "end_upload", gone)
    with pytest.raises(NotFound, match="Ask for another import"):
        end_parts(runtime, identity, job.id, SentParts(tags=["x", "y"]))


def test_parts_are_their_own_organizations_and_its_admins_and_of_archives_that_are_sent_so(
    runtime: Runtime,
    identity: Identity,
    other_identity: Identity,
    viewer: Identity,
    archive: tuple[UUID, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_one, _ = ask(runtime, identity, archive[1])
    Parts(runtime, monkeypatch)
    job = request_import(runtime, identity, WantedImport(size=2 * PART, sha256="0" * 64))
    wanted, sent = WantedParts(numbers=[1]), SentParts(tags=["x", "y"])
    for who, error in ((other_identity, NotFound), (viewer, Forbidden)):
        with pytest.raises(error):
            place_parts(runtime, who, job.id, wanted)
        with pytest.raises(error):
            end_parts(runtime, who, job.id, sent)
    for number in (0, 3):
        with pytest.raises(BadInput, match="the parts 1 to 2"):
            place_parts(runtime, identity, job.id, WantedParts(numbers=[number]))
    with pytest.raises(BadInput, match="sent in one request"):
        place_parts(runtime, identity, in_one.id, wanted)


def test_an_archive_beyond_what_a_deployment_takes_is_refused_before_it_is_sent(
    runtime: Runtime, identity: Identity
) -> None:
    with pytest.raises(BadInput, match=r"has 65\.0 GB; a deployment takes 64 GB\. Export the knowledge bases one"):
        request_import(runtime, identity, WantedImport(size=65 * 1024**3, sha256="0" * 64))


def test_maintenance_deletes_what_an_import_left_whose_runs_were_stopped(
    runtime: Runtime, identity: Identity, archive: tuple[UUID, bytes]
) -> None:
    base, data = archive
    runtime.start_erasure = by_nobody
    _, key = ask(runtime, identity, data)
    assert run_import(runtime, key, RunBudget(items=3))
    scope = identity.scope()
    assert end_stopped(runtime, scope) == 0
    with runtime.database.transaction(scope) as connection:
        connection.execute("update archive_jobs set touched_at = touched_at - make_interval(mins => 81)")
    assert end_stopped(runtime, scope) == 1
    with runtime.database.transaction(scope) as connection:
        asked = connection.execute("select id, subject_id from erasures").fetchall()
        assert connection.execute("select id from archive_jobs").fetchall() == []
    assert [row["subject_id"] for row in asked] == [base]
    while run_erasure(runtime, identity.organization_id, asked[0]["id"]):
        continue
    again, key = ask(runtime, identity, data)
    arrive(key)
    assert get_import(runtime, identity, again.id).status == "ready"
