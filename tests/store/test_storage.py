"""Objects that no row knows, found among those that rows know, in a folder and in a bucket."""

import operator
import os
import random
import time
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import boto3
import pytest
from moto import mock_aws

from shared.adapters.aws import clients
from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.local.files import FileBlobStore
from shared.contract import STORED_PREFIXES
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.library import storage
from shared.library.documents import delete_document
from shared.library.storage import Missing, StorageReport, owners_of, sweep
from shared.maintenance import FULL_PACE, MaintenanceRun, look_at_storage, maintain
from shared.ports import BlobStore
from shared.runtime import Runtime
from shared.store.erasure import let_see_erased, shut_base
from tests.e2e.test_ingestion import small_pdf
from tests.e2e.test_protected_files import protected_pdf
from tests.pipeline import make_knowledge_base, run_all, run_stage, upload

NOW = timedelta(0)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[BlobStore]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    clients.make_client.cache_clear()
    with mock_aws():
        s3: Any = boto3.resource("s3")
        made = s3.create_bucket(Bucket="stored", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        made.Versioning().enable()
        yield S3BlobStore("stored", tmp_path / "copies")
    clients.make_client.cache_clear()


@pytest.fixture(params=["folder", "bucket"])
def store(
    request: pytest.FixtureRequest, runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> BlobStore:
    """The runtime's store, empty."""
    made = FileBlobStore(tmp_path / "blobs") if request.param == "folder" else request.getfixturevalue("bucket")
    monkeypatch.setattr(runtime, "blobs", made)
    return made


def everything(store: BlobStore) -> set[str]:
    return {one.key for prefix in STORED_PREFIXES for one in store.entries(prefix)}


def prefixes(found: StorageReport) -> list[str]:
    return [orphan.prefix for orphan in found.orphans]


def test_what_rows_know_stays_and_everything_else_is_named_then_swept(
    runtime: Runtime, identity: Identity, other_identity: Identity, owner_dsn: str, store: BlobStore
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    theirs = make_knowledge_base(runtime, other_identity, new_id().hex)
    run_all(runtime, upload(runtime, identity, base, small_pdf("kept")))
    run_all(runtime, upload(runtime, other_identity, theirs, small_pdf("theirs")))
    run_all(runtime, upload(runtime, identity, base, protected_pdf("kept"), password="hush-9241"))
    upload(runtime, identity, base, small_pdf("on its way"))
    under_way = upload(runtime, identity, base, small_pdf("under way"))
    run_all(runtime, under_way, until="parse")
    known = everything(store)
    own, kb, gone = identity.organization_id, str(base), str(new_id())
    document = str(run_stage(runtime, "register", under_way)["document_id"])
    lost = {
        f"incoming/{own}/{kb}/{gone}/": ["source"],
        f"sources/{own}/{kb}/{gone}/": ["source"],
        f"work/{own}/{kb}/{gone}/{gone}/": ["plan.json", "pages/1.json"],
        f"work/{own}/{kb}/{document}/{gone}/": ["profile.json"],
        f"work/{own}/{kb}/{gone}/opened.pdf": [""],
        f"work/{own}/{gone}/{gone}/{gone}/": ["images/1.jpg"],
        f"work/{gone}/{kb}/{gone}/{gone}/": ["images/1.jpg"],
        f"work/{own}/{kb}/0": [""],
    }
    for prefix, names in lost.items():
        for name in names:
            store.put(prefix + name, b"left")
    written = everything(store) - known
    assert len(known) > 30
    found = look_at_storage(runtime, owner_dsn, NOW)
    assert sorted(prefixes(found)) == sorted(lost)
    assert (found.objects, found.removed) == (len(known) + 9, 0)
    assert sum(orphan.bytes for orphan in found.orphans) == 4 * 9
    assert found.bytes == 4 * 9 + sum(len(store.get(key)) for key in known)
    assert everything(store) == known | written, "a look changes nothing"
    assert prefixes(look_at_storage(runtime, owner_dsn, timedelta(hours=1), remove=True)) == []
    assert look_at_storage(runtime, owner_dsn, NOW, remove=True).removed == 9
    assert everything(store) == known
    assert prefixes(look_at_storage(runtime, owner_dsn, NOW)) == []


def test_files_of_what_is_being_imported_or_deleted_are_not_swept(
    runtime: Runtime, identity: Identity, owner_dsn: str, store: BlobStore
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    run_all(runtime, upload(runtime, identity, base, small_pdf("shut")))
    with runtime.database.transaction(identity.scope(base)) as connection:
        let_see_erased(connection)
        shut_base(connection, base)
    known = everything(store)
    assert any(f"/{base}/" in key for key in known)
    assert [one for one in prefixes(look_at_storage(runtime, owner_dsn, NOW, remove=True)) if str(base) in one] == []
    assert everything(store) == known


def test_a_served_document_without_its_objects_is_named(
    runtime: Runtime, identity: Identity, other_identity: Identity, owner_dsn: str, store: BlobStore
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    theirs = make_knowledge_base(runtime, other_identity, new_id().hex)
    whole = run_all(runtime, upload(runtime, identity, base, small_pdf("whole")))["document_id"]
    for who, place, text in ((identity, base, "pageless"), (other_identity, theirs, "sourceless")):
        run_all(runtime, upload(runtime, who, place, small_pdf(text), f"{text}.pdf"))
    run_all(runtime, upload(runtime, identity, base, protected_pdf("kept"), "closed.pdf", password="hush-9241"))

    def missing() -> list[Missing]:
        # Other tests' rows have had other stores.
        found = look_at_storage(runtime, owner_dsn, NOW).missing
        return [one for one in found if {str(base), str(theirs)} & set(one.first.split("/"))]

    assert missing() == []
    upload(runtime, identity, base, small_pdf("on its way"))
    ours, others = f"work/{identity.organization_id}/", f"sources/{other_identity.organization_id}/"
    keys = sorted(everything(store))
    page = next(k for k in keys if k.startswith(ours) and k.endswith("/pages/1.json") and whole not in k)
    source = next(k for k in keys if k.startswith(others))
    opened = next(k for k in keys if k.endswith("/opened.pdf") and k.split("/")[3] not in page)
    for key in (page, source, opened):
        store.delete(key)
    found = missing()
    assert {(one.first, one.objects) for one in found} == {(page, 1), (source, 1), (opened, 1)}
    assert whole not in {one.document_id for one in found}


def test_what_a_killed_deletion_leaves_is_found(
    runtime: Runtime, identity: Identity, owner_dsn: str, store: BlobStore
) -> None:
    base = make_knowledge_base(runtime, identity, new_id().hex)
    answer = run_all(runtime, upload(runtime, identity, base, small_pdf("left")))
    left = {key: store.get(key) for key in everything(store)}
    delete_document(runtime, identity, UUID(answer["document_id"]))
    assert everything(store) == set()
    for key, data in left.items():
        store.put(key, data)
    assert look_at_storage(runtime, owner_dsn, NOW, remove=True).removed == len(left)
    assert everything(store) == set()


def test_the_daily_maintenance_sweeps_what_is_older_than_a_day_and_writes_that_never_ended(
    runtime: Runtime, identity: Identity, owner_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileBlobStore(tmp_path / "blobs")
    monkeypatch.setattr(runtime, "blobs", store)
    base = make_knowledge_base(runtime, identity, new_id().hex)
    run_all(runtime, upload(runtime, identity, base, small_pdf("daily")))
    known = everything(store)
    (page,) = [key for key in known if key.endswith("pages/1.json")]
    folder = page.rpartition("/")[0]
    place, young = [f"work/{identity.organization_id}/{base}/{new_id()}/{new_id()}" for _ in range(2)]
    whose = f"work/{new_id()}/{base}/{new_id()}/{new_id()}/old.json"
    names = (f"{folder}/.part-old", f"{folder}/.part-young", f"{place}/old.json", f"{young}/new.json", whose)
    for key in names:
        store.put(key, b"x")
        if "old" in key:
            day_ago = time.time() - 90_000
            os.utime(store.root / key, (day_ago, day_ago))
    tasks = {one["task"]: one for one in maintain(runtime, owner_dsn)["tasks"]}
    assert "sweep_storage" not in tasks
    tasks = {one["task"]: one for one in maintain(runtime, owner_dsn, daily=True)["tasks"]}
    assert tasks["sweep_storage"]["result"] == {"orphans": 3, "removed": 2, "complete": True}
    assert everything(store) - known == {f"{folder}/.part-young", f"{young}/new.json", whose}


def test_a_sweep_that_is_always_cut_short_reaches_everybody_in_the_end(
    runtime: Runtime,
    identity: Identity,
    other_identity: Identity,
    owner_dsn: str,
    store: BlobStore,
) -> None:
    owners = [identity, identity, other_identity]
    bases = [(str(one.organization_id), make_knowledge_base(runtime, one, new_id().hex)) for one in owners]
    left = [f"work/{organization}/{base}/{new_id()}/{new_id()}/plan.json" for organization, base in bases]
    for key in left:
        store.put(key, b"left")
    known = owners_of(MaintenanceRun(runtime, owner_dsn, 0, FULL_PACE).organizations())
    cut = [sweep(runtime, known, remove=False, grace=NOW, first=(o, str(b)), stop=lambda: True) for o, b in bases]
    assert [prefixes(report) for report in cut] == [[key.removesuffix("plan.json")] for key in left]
    assert not any(report.complete for report in cut)
    for first in [(o, str(b)) for o, b in bases]:
        whole = sweep(runtime, known, remove=False, grace=NOW, first=first)
        assert (sorted(prefixes(whole)), whole.complete) == (sorted(k.removesuffix("plan.json") for k in left), True)


def test_whom_the_daily_sweep_begins_with_is_drawn(
    runtime: Runtime, identity: Identity, other_identity: Identity, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in (identity, identity, other_identity):
        make_knowledge_base(runtime, one, new_id().hex)
    drawn = set[storage.Owner]()

    def draws(*_: object, first: storage.Owner, **__: object) -> StorageReport:
        drawn.add(first)
        return StorageReport(objects=0, bytes=0, orphans=[], removed=0)

    monkeypatch.setattr(storage, "sweep", draws)
    monkeypatch.setattr("shared.maintenance.TASKS", ())
    owners = set(owners_of(MaintenanceRun(runtime, owner_dsn, 0, FULL_PACE).organizations()))
    for turn in range(len(owners)):
        monkeypatch.setattr(random, "choice", operator.itemgetter(turn))
        assert maintain(runtime, owner_dsn, daily=True)["failed"] == 0
    assert drawn == owners
