"""An export in slices is the file that one slice writes, whatever became of the processes that wrote it."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.adapters.local.files import FileBlobStore
from shared.archive import exporting, jobs
from shared.archive.container import ArchiveReader
from shared.archive.exporting import export_knowledge_base
from shared.archive.jobs import ExportJob, WantedExport, get_export, request_export, run_export
from shared.archive.manifest import MANIFEST, Manifest
from shared.archive.outcomes import RunBudget
from shared.contract import export_archive_key, export_request_key
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from shared.vectors.embedders import adopt_embedder
from tests.store.seeding import Passage, add_base, add_document

DOCUMENTS, PASSAGES = 4, 6
# Small enough for several parts and pieces; large enough that a part has more than one member.
PART, PIECE = 3000, 1500


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    """Documents with sections, vectors, a source and files of pages; one source is longer than several parts."""
    scope: Scope = add_base(runtime, identity, "sliced")
    (base,) = scope.knowledge_base_ids
    document = base
    for number in range(DOCUMENTS):
        passages = [Passage(f"Pump {number} of stage {i} delivers {i} litres.", page=i + 1) for i in range(PASSAGES)]
        document = add_document(runtime, scope, f"pump-{number}.pdf", passages, embedder=runtime.embedder)
        owner = f"{identity.organization_id}/{base}"
        source = f"sources/{owner}/{document}/source"
        runtime.blobs.put(source, bytes(range(256)) * (60 if number == 2 else 1))
        with runtime.database.transaction(scope) as connection:
            row = connection.execute("select ingestion_id from documents where id = %s", (document,)).fetchone()
            assert row is not None
            connection.execute("update documents set source_key = %s where id = %s", (source, document))
            for n in range(5):
                connection.execute(
                    "insert into sections (organization_id, knowledge_base_id, document_id, id, section_hash,"
                    " occurrence, ordinal, title, depth, path, parent_id)"
                    " select %s, %s, %s, gen_random_uuid(), %s, 0, %s, %s, 1, '[]',"
                    " (select id from sections where document_id = %s order by id limit 1)",
                    (identity.organization_id, base, document, f"s{n}", 100 + n, f"Section {n}", document),
                )
        for page in range(3):
            runtime.blobs.put(f"work/{owner}/{document}/{row['ingestion_id']}/pages/{page}.json", b"{}" * 40)
    with runtime.database.transaction(scope) as connection:
        adopt_embedder(connection, document, runtime.embedder.version)
    return base


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PART_BYTES", PART)
    monkeypatch.setattr(exporting, "PIECE_BYTES", PIECE)


def ask(runtime: Runtime, identity: Identity, base: UUID | None) -> tuple[ExportJob, str]:
    job = request_export(runtime, identity, WantedExport(knowledge_base_id=base))
    return job, export_request_key(str(identity.organization_id), str(job.id))


def run_slices(runtime: Runtime, key: str, items: int) -> int:
    """Until it is done; how many runs that took."""
    runs = 1
    while run_export(runtime, key, RunBudget(items=items)):
        runs += 1
        assert runs < 500
    return runs


def written(runtime: Runtime, identity: Identity, job: ExportJob, path: Path) -> Path:
    path.write_bytes(runtime.blobs.get(export_archive_key(str(identity.organization_id), str(job.id))))
    return path


def content(path: Path) -> dict[str, bytes]:
    """Every member's bytes, in their order; of the manifest all but when it was made."""
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        found = {name: file.read(name) for name in file.namelist()}
    manifest = Manifest.model_validate_json(found[MANIFEST]).model_dump_json(exclude={"made_at"})
    return found | {MANIFEST: manifest.encode()}


def as_in_one_go(runtime: Runtime, identity: Identity, base: UUID, path: Path) -> dict[str, bytes]:
    export_knowledge_base(runtime, identity, base, path)
    return content(path)


@pytest.mark.parametrize("items", [1, 3, 1000])
def test_an_archive_in_slices_is_the_one_that_is_made_in_one_go(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, items: int
) -> None:
    job, key = ask(runtime, identity, base)
    runs = run_slices(runtime, key, items)
    assert runs > {1: 60, 3: 20, 1000: 0}[items]
    whole = as_in_one_go(runtime, identity, base, tmp_path / "whole.zip")
    sliced = content(written(runtime, identity, job, tmp_path / "sliced.zip"))
    assert [*sliced] == [*whole]
    assert sliced == whole
    with ArchiveReader(tmp_path / "sliced.zip") as archive:
        assert archive.manifest.version == 2
        assert len(archive.pieces(base, "chunks")) > 1
        pieces = [
            {json.loads(line)["document_id"] for line in archive.lines(piece, 99)}
            for piece in archive.pieces(base, "sections")
        ]
        assert len(pieces) > 1
        assert sum(map(len, pieces)) == len(set.union(*pieces)) == DOCUMENTS, "a document's refer to each other"
    done = get_export(runtime, identity, job.id)
    assert (done.status, done.progress, done.bytes) == ("ready", 1.0, (tmp_path / "sliced.zip").stat().st_size)


def test_all_rows_are_looked_at_once_in_a_slice_however_many_parts_it_sends(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = {"looks": 0, "parts": 0, "slices": 0}

    def counted(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*arguments: Any) -> Any:
            calls[name] += 1
            return act(*arguments)

        return acting

    monkeypatch.setattr(exporting.rows, "list_tables", counted("looks", exporting.rows.list_tables))
    monkeypatch.setattr(FileBlobStore, "put_part", counted("parts", FileBlobStore.put_part))
    monkeypatch.setattr(jobs.rows, "keep_job", counted("slices", jobs.rows.keep_job))
    job, key = ask(runtime, identity, base)
    assert not run_export(runtime, key)
    assert (calls["looks"], calls["slices"]) == (1, 3), "rows, files and the end"
    assert calls["parts"] > 8
    content_of = content(written(runtime, identity, job, tmp_path / "few.zip"))
    # A slice that has no time left ends behind the member that it is at.
    monkeypatch.setattr(jobs, "SLICE_S", 0)
    job, key = ask(runtime, identity, base)
    assert not run_export(runtime, key)
    assert calls["slices"] > 60
    assert content(written(runtime, identity, job, tmp_path / "many.zip")) == content_of


def test_an_archive_that_no_deployment_takes_back_ends_the_export(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MAX_ARCHIVE_BYTES", 5 * PART)
    job, key = ask(runtime, identity, base)
    run_slices(runtime, key, 5)
    failed = get_export(runtime, identity, job.id)
    assert failed.status == "failed"
    assert "no deployment takes that back" in str(failed.error)
    assert not runtime.blobs.exists(export_archive_key(str(identity.organization_id), str(job.id)))


def test_the_bytes_are_the_same_too(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = type("Clock", (), {"now": staticmethod(lambda _: fixed)})
    fixed = ask(runtime, identity, base)[0].requested_at
    job, key = ask(runtime, identity, base)
    monkeypatch.setattr(exporting, "datetime", clock)
    run_slices(runtime, key, 3)
    export_knowledge_base(runtime, identity, base, tmp_path / "whole.zip")
    sliced = written(runtime, identity, job, tmp_path / "sliced.zip")
    assert sliced.read_bytes() == (tmp_path / "whole.zip").read_bytes()


class Killed(BaseException):
    """What no program catches."""


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names where the process is killed next: of what stores a part, or of what notes the slice; each once."""
    deaths = list[str]()

    def dying(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*arguments: Any) -> Any:
            done = act(*arguments)
            if name in deaths:
                deaths.remove(name)
                raise Killed
            return done

        return acting

    monkeypatch.setattr(jobs.rows, "keep_job", dying("note", jobs.rows.keep_job))
    monkeypatch.setattr(FileBlobStore, "put_part", dying("part", FileBlobStore.put_part))
    return deaths


def test_a_run_that_is_killed_in_each_slice_loses_and_doubles_nothing(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, mortal: list[str]
) -> None:
    job, key = ask(runtime, identity, base)
    killed, more = {"part": 0, "note": 0}, True
    while more:
        for place in killed:
            mortal[:] = [place]
            try:
                run_export(runtime, key, RunBudget(items=4))
            except Killed:
                killed[place] += 1
        mortal.clear()
        more = run_export(runtime, key, RunBudget(items=4))
    assert killed["note"] > 8
    assert killed["part"] > 3
    whole = as_in_one_go(runtime, identity, base, tmp_path / "whole.zip")
    assert content(written(runtime, identity, job, tmp_path / "sliced.zip")) == whole


def test_a_run_that_is_killed_behind_the_archives_last_byte_has_written_it(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, key = ask(runtime, identity, base)
    end: Callable[..., None] = runtime.blobs.end_upload

    def end_and_die(*arguments: Any) -> None:
        end(*arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(runtime.blobs, "end_upload", end_and_die)
        with pytest.raises(Killed):
            run_slices(runtime, key, 50)
    assert get_export(runtime, identity, job.id).status == "running"
    run_slices(runtime, key, 50)
    assert get_export(runtime, identity, job.id).status == "ready"
    whole = as_in_one_go(runtime, identity, base, tmp_path / "whole.zip")
    assert content(written(runtime, identity, job, tmp_path / "sliced.zip")) == whole


def test_progress_grows_from_slice_to_slice_and_nothing_is_left_of_a_job_that_is_done(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    job, key = ask(runtime, identity, base)
    seen = [get_export(runtime, identity, job.id).progress]
    while run_export(runtime, key, RunBudget(items=5)):
        seen.append(get_export(runtime, identity, job.id).progress)
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert 0.2 < seen[len(seen) // 2] < 0.8
    assert 0.7 < seen[-1] < 1
    assert len({*seen}) > 10
    with runtime.database.transaction(identity.scope()) as connection:
        left = "select id from archive_jobs where id = %(id)s union all select job_id from archive_members"
        assert connection.execute(left + " where job_id = %(id)s", {"id": job.id}).fetchall() == []


@pytest.mark.parametrize("what", ["row", "document"])
def test_what_is_changed_between_slices_ends_the_export_with_what_it_was(
    runtime: Runtime, identity: Identity, base: UUID, what: str
) -> None:
    job, key = ask(runtime, identity, base)
    scope = identity.scope(base)
    while get_export(runtime, identity, job.id).progress < (0.1 if what == "row" else 0.6):
        assert run_export(runtime, key, RunBudget(items=2))
    with runtime.database.transaction(scope) as connection:
        if what == "row":
            connection.execute("update sections set title = 'x' where id = (select min(id::text)::uuid from sections)")
        else:
            connection.execute("update documents set revision = revision + 1")
    run_slices(runtime, key, 2)
    failed = get_export(runtime, identity, job.id)
    assert failed.status == "failed"
    assert failed.error is not None
    assert "changed while they were exported. Export again" in failed.error
    assert ("Rows of sections" in failed.error) == (what == "row")
