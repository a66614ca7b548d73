"""An import in slices brings what one transaction brings, whatever became of its processes, and nobody sees half."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive import exporting, import_jobs, importing, ranges
from shared.archive.erasure_run import run_erasure
from shared.archive.exporting import export_knowledge_base, export_organization
from shared.archive.import_jobs import WantedImport, get_import, request_import, run_import
from shared.archive.importing import import_archive
from shared.archive.outcomes import RunBudget
from shared.contract import STORED_PREFIXES, import_archive_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.library.documents import list_documents
from shared.library.knowledge_bases import list_knowledge_bases
from shared.library.verification import verify_stored_document
from shared.ports import UploadTarget
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store import archive as archives
from shared.store.audit import list_entries
from tests.e2e.test_archive import objects, stored, without_keys
from tests.elsewhere import Elsewhere, elsewhere
from tests.erasing import by_nobody
from tests.pipeline import PRICES, RULES_2025, make_knowledge_base, run_all, upload
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_archive import edited_rows, members_of, packed, rows_name
from tests.store.test_export_slices import Killed

QUESTION = SearchRequest(query="how wide may the rear wing be")


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    base = make_knowledge_base(runtime, identity, "to be sliced")
    for file in (RULES_2025, PRICES):
        run_all(runtime, upload(runtime, identity, base, file.read_bytes(), file.name))
    return base


@pytest.fixture(scope="module")
def archive(runtime: Runtime, identity: Identity, base: UUID, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With tables in several pieces."""
    path = tmp_path_factory.mktemp("archive") / "sliced.autri.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "PIECE_BYTES", 20_000)
        assert export_knowledge_base(runtime, identity, base, path).version == 2
    return path


@pytest.fixture(scope="module")
def second(runtime: Runtime, identity: Identity, base: UUID) -> UUID:
    """A knowledge base behind the other one, with a section that stands before the one that it belongs to."""
    scope = add_base(runtime, identity, "sliced-too")
    (second,) = scope.knowledge_base_ids
    document = add_document(runtime, scope, "pumps.pdf", [Passage("Pump 1 delivers 3 litres.", page=1)])
    early, late = sorted((new_id(), new_id()))
    source = f"sources/{identity.organization_id}/{second}/{document}/source"
    runtime.blobs.put(source, b"pumps")
    with runtime.database.transaction(scope) as connection:
        connection.execute("update documents set source_key = %s where id = %s", (source, document))
        for section, parent in ((early, late), (late, None)):
            connection.execute(
                "insert into sections (organization_id, knowledge_base_id, document_id, id, section_hash,"
                " occurrence, ordinal, title, depth, path, parent_id)"
                " values (%s, %s, %s, %s, %s, 0, %s, 'Pumps', 1, '[]', %s)",
                (identity.organization_id, second, document, section, str(section), 100 + (parent is None), parent),
            )
    assert base < second
    return second


@pytest.fixture(scope="module")
def whole(runtime: Runtime, identity: Identity, second: UUID, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The organization with both."""
    path = tmp_path_factory.mktemp("whole") / "whole.autri.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "PIECE_BYTES", 20_000)
        assert len(export_organization(runtime, identity, path).knowledge_bases) == 2
    return path


@pytest.fixture
def there(postgres: EmbeddedPostgres, test_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    """Another deployment, whose imports take several slices."""
    target = UploadTarget(url="https://bucket", method="POST", headers={}, fields={"key": "x"})
    monkeypatch.setattr(importing, "FILES_AT_ONCE", 7)
    monkeypatch.setattr(importing, "DOCUMENTS_AT_ONCE", 1)
    monkeypatch.setattr(ranges, "BLOCK", 5000)
    with elsewhere(postgres, test_home) as made:
        monkeypatch.setattr(type(made.runtime.blobs), "upload_target", lambda *_: target)
        made.runtime.start_erasure = by_nobody
        yield made


def sent(there: Elsewhere, data: bytes) -> tuple[UUID, str]:
    """An import whose archive has arrived, and its key."""
    wanted = WantedImport(size=len(data), sha256=hashlib.sha256(data).hexdigest())
    job = request_import(there.runtime, there.identity, wanted)
    key = import_archive_key(str(there.identity.organization_id), str(job.id))
    there.runtime.blobs.put(key, data)
    return job.id, key


def as_rows(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, list[dict[str, Any]]]:
    return {table: [*map(without_keys, rows)] for table, rows in stored(runtime, identity, base).items()}


def check_same(runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID) -> None:
    """Every row, derived ones too, every file, every proof, every score."""
    here, moved = as_rows(runtime, identity, base), as_rows(there.runtime, there.identity, base)
    for table, rows in here.items():
        assert moved[table] == rows, table
    kept = objects(there.runtime, there.identity, base)
    before = objects(runtime, identity, base)
    assert {key: before[key] for key in kept} == kept
    assert len(kept) > 20
    for document in list_documents(there.runtime, there.identity):
        report = verify_stored_document(there.runtime, there.identity, document.id, refresh=True)
        assert (report.ok, report.verbatim) == (True, document.chunks)
    asked = QUESTION.model_copy(update={"knowledge_base_ids": [base]})
    hits = [[(hit.chunk, hit.score) for hit in search(*of, asked).hits] for of in (
        (runtime, identity), (there.runtime, there.identity),
    )]  # fmt: skip
    assert hits[0] == hits[1] != []


def test_slices_bring_what_was_exported_and_nobody_sees_any_of_it_before_the_last(
    runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID, archive: Path
) -> None:
    job, key = sent(there, archive.read_bytes())
    seen, runs = [0.0], 0
    while run_import(there.runtime, key, RunBudget(items=2)):
        runs += 1
        assert list_knowledge_bases(there.runtime, there.identity) == []
        assert search(there.runtime, there.identity, QUESTION).hits == []
        state = get_import(there.runtime, there.identity, job)
        assert (state.status, state.error) == ("running", None)
        seen.append(state.progress)
    assert runs > 25
    assert seen == sorted(seen)
    assert len({*seen}) > 10
    done = get_import(there.runtime, there.identity, job)
    assert (done.status, done.progress, [one.id for one in done.knowledge_bases]) == ("ready", 1.0, [base])
    check_same(runtime, identity, there, base)
    with there.runtime.database.transaction(there.identity.scope()) as connection:
        assert connection.execute("select id from archive_jobs").fetchall() == []
        noted = [entry.act for entry in list_entries(connection, None, 500)]
    assert (noted.count("knowledge_base.import"), noted.count("import.finish")) == (1, 1)


def test_a_run_that_is_killed_in_each_slice_loses_and_doubles_nothing(
    runtime: Runtime,
    identity: Identity,
    there: Elsewhere,
    base: UUID,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, key = sent(there, archive.read_bytes())

    def die(*_: Any) -> None:
        raise Killed

    killed, more = 0, True
    while more:
        with monkeypatch.context() as patch:
            patch.setattr(import_jobs.rows, "keep_job", die)
            patch.setattr(import_jobs, "finish_import", die)
            try:
                run_import(there.runtime, key, RunBudget(items=6))
            except Killed:
                killed += 1
        more = run_import(there.runtime, key, RunBudget(items=6))
    assert killed > 10
    assert get_import(there.runtime, there.identity, job).status == "ready"
    check_same(runtime, identity, there, base)


def test_what_is_here_of_an_import_that_fails_is_deleted_and_a_good_archive_can_come(
    runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID, archive: Path
) -> None:
    data = archive.read_bytes()
    at = data.find(b"pages/2.json") + 60
    job, key = sent(there, data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
    runs = 0
    while run_import(there.runtime, key, RunBudget(items=5)):
        runs += 1
    assert runs > 3
    failed = get_import(there.runtime, there.identity, job)
    assert (failed.status, failed.knowledge_bases) == ("failed", [])
    assert "pages/2.json" in str(failed.error)
    assert list_knowledge_bases(there.runtime, there.identity) == []
    early, early_key = sent(there, data)
    assert not run_import(there.runtime, early_key)
    assert "is being imported or deleted" in str(get_import(there.runtime, there.identity, early).error)
    with there.runtime.database.transaction(there.identity.scope()) as connection:
        (erasure,) = connection.execute("select id from erasures").fetchall()
        assert connection.execute("select id from archive_jobs").fetchall() == []
    while run_erasure(there.runtime, there.identity.organization_id, erasure["id"]):
        continue
    own = f"{there.identity.organization_id}/{base}/"
    assert [key for prefix in STORED_PREFIXES for key in there.runtime.blobs.list(prefix + own)] == []
    again, again_key = sent(there, data)
    assert not run_import(there.runtime, again_key)
    assert get_import(there.runtime, there.identity, again).status == "ready"
    check_same(runtime, identity, there, base)


def test_one_transaction_reads_an_archive_in_pieces_too(
    runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID, archive: Path
) -> None:
    import_archive(there.runtime, there.identity, archive)
    check_same(runtime, identity, there, base)


def seen_of(runtime: Runtime, identity: Identity, bases: list[UUID]) -> dict[UUID, dict[str, list[dict[str, Any]]]]:
    found = {base: as_rows(runtime, identity, base) for base in bases}
    return {base: {table: found[base][table] for table in ("documents", "sections", "chunks")} for base in bases}


def test_an_organization_comes_in_slices_and_nobody_sees_one_of_its_knowledge_bases_before_all_are_here(
    runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID, second: UUID, whole: Path
) -> None:
    job, key = sent(there, whole.read_bytes())
    begun = 0
    while run_import(there.runtime, key, RunBudget(items=3)):
        assert list_knowledge_bases(there.runtime, there.identity) == []
        with there.runtime.database.transaction(there.identity.scope()) as connection:
            row = connection.execute("select state -> 'found' as found from archive_jobs").fetchone()
        begun = max(begun, len(row["found"]) if row else 0)
    assert begun == 1, "a slice ended between the two"
    done = get_import(there.runtime, there.identity, job)
    assert [one.id for one in done.knowledge_bases] == [base, second]
    assert {one.id for one in list_knowledge_bases(there.runtime, there.identity)} == {base, second}
    bases = [base, second]
    assert seen_of(there.runtime, there.identity, bases) == seen_of(runtime, identity, bases)


def test_rows_that_refer_to_later_ones_come_in_each_knowledge_base_of_one_transaction(
    runtime: Runtime,
    identity: Identity,
    there: Elsewhere,
    base: UUID,
    second: UUID,
    whole: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archives, "ROWS_AT_ONCE", 1)
    import_archive(there.runtime, there.identity, whole)
    assert seen_of(there.runtime, there.identity, [second]) == seen_of(runtime, identity, [second])


def test_a_row_that_refers_to_none_ends_the_import_with_that_where_the_slice_ends_behind_it_too(
    runtime: Runtime, identity: Identity, there: Elsewhere, second: UUID, tmp_path: Path
) -> None:
    export_knowledge_base(runtime, identity, second, tmp_path / "second.zip")
    nobody = {"parent_id": "01900000-0000-7000-8000-000000000000"}
    forged = edited_rows(members_of(tmp_path / "second.zip"), rows_name(second, "sections"), lambda row: row | nobody)
    job, key = sent(there, packed(tmp_path / "forged.zip", forged).read_bytes())
    while run_import(there.runtime, key, RunBudget(items=1)):
        continue
    failed = get_import(there.runtime, there.identity, job)
    assert failed.status == "failed"
    assert "The archive's rows of knowledge base cannot be stored" in str(failed.error)
