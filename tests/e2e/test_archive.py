"""A tenant moves: what is exported here is imported elsewhere, with the same ids, proofs and search results."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from psycopg import sql

from shared.adapters.aws.s3 import S3BlobStore
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.container import ArchiveReader
from shared.archive.exporting import export_knowledge_base, export_organization
from shared.archive.importing import ImportedArchive, import_archive
from shared.contract import STORED_PREFIXES
from shared.domain.edits import Retype
from shared.domain.evaluation import GoldInput, GoldPlace, Parameters
from shared.domain.people import AccessChange
from shared.domain.scope import Identity
from shared.errors import Conflict, StorageFull
from shared.evaluation import gold, runs
from shared.ingestion.editing.document import edit_document
from shared.ingestion.uploads import reingest
from shared.library.account import OrganizationChange, change_organization, get_profile
from shared.library.documents import get_document, list_documents
from shared.library.knowledge_bases import list_knowledge_bases
from shared.library.pages import list_chunks
from shared.library.verification import verify_stored_document
from shared.maintenance import maintain
from shared.people.permissions import change_access, get_access
from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from shared.store.audit import list_entries
from tests.aws.bucket import BUCKET
from tests.elsewhere import Elsewhere, elsewhere
from tests.erasing import erase_all
from tests.pipeline import PRICES, RULES_2025, RULES_2026, make_knowledge_base, run_all, scope_of, upload

QUERIES = [
    {"query": "how wide may the rear wing be"},
    {"query": "minimum mass", "index": "fts", "k": 30},
    {"query": "a protest is lodged", "index": "vector", "k": 30},
    {"query": "fuel cell", "include_superseded": True},
    {"query": "", "where": "minimum_mass exists"},
    {"query": "compressor", "types": ["table_row"]},
]  # fmt: skip


@pytest.fixture(scope="module")
def bases(runtime: Runtime, identity: Identity) -> list[UUID]:
    """Rules in two versions, with a correction, gold questions and a run over them; and prices."""
    rules, prices = (make_knowledge_base(runtime, identity, name) for name in ("Rules", "Prices"))
    old = run_all(runtime, upload(runtime, identity, rules, RULES_2025.read_bytes(), "rules-2025.pdf"))
    new = upload(runtime, identity, rules, RULES_2026.read_bytes(), "rules-2026.pdf", UUID(old["document_id"]), "2026")
    document_id = UUID(run_all(runtime, new)["document_id"])
    run_all(runtime, upload(runtime, identity, prices, PRICES.read_bytes(), "prices.pdf"))
    chunk = next(c for c in list_chunks(runtime, identity, document_id, None, 500) if c.chunk_type == "text")
    revision = get_document(runtime, identity, document_id).revision
    edit_document(runtime, identity, document_id, revision, Retype(chunk_id=chunk.id, chunk_type="footnote"))
    question = GoldInput(question="How wide is the wing?", expected=[GoldPlace(document="rules-2026.pdf", page=3)])
    gold.import_gold(runtime, identity, rules, [question], "test")
    run = runs.start_run(runtime, identity, rules, "stored", Parameters(indexes=["fts"]), None)
    while run.status == "running":
        run = runs.continue_run(runtime, identity, rules, run.id)
    return [rules, prices]


@pytest.fixture(scope="module")
def there(postgres: EmbeddedPostgres, test_home: Path) -> Iterator[Elsewhere]:
    with elsewhere(postgres, test_home) as made:
        yield made


@pytest.fixture(scope="module")
def archive(runtime: Runtime, identity: Identity, bases: list[UUID], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the whole organization, which keeps its traces for nine days; one knowledge base is restricted to nobody."""
    change_access(runtime, identity, bases[1], AccessChange(restricted=True))
    change_organization(runtime, identity, OrganizationChange(trace_days=9, audit_days=90))
    path = tmp_path_factory.mktemp("archive") / "local.autri.zip"
    manifest = export_organization(runtime, identity, path)
    assert {base.id for base in manifest.knowledge_bases} == set(bases)
    return path


@pytest.fixture(scope="module")
def moved(there: Elsewhere, archive: Path) -> ImportedArchive:
    return import_archive(there.runtime, there.identity, archive)


def stored(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, list[dict[str, Any]]]:
    """Every row of the knowledge base in every table, derived ones too, without what names its organization."""
    found: dict[str, list[dict[str, Any]]] = {}
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        named = connection.execute(
            "select table_name as name from information_schema.columns"
            " where column_name = 'knowledge_base_id' and table_schema = 'public'"
        ).fetchall()
        for name in sorted(row["name"] for row in named):
            query = sql.SQL("select to_jsonb(t) - 'organization_id' as row from {} t where knowledge_base_id = %s")
            rows = connection.execute(query.format(sql.Identifier(name)), (base,)).fetchall()
            found[name] = sorted((row["row"] for row in rows), key=str)
    return found


def without_keys(row: dict[str, Any]) -> dict[str, Any]:
    """Keys name the organization, ids of people are of a deployment."""
    return {k: v for k, v in row.items() if not k.endswith("_key") and k not in ("author_id", "created_by")}


def objects(runtime: Runtime, identity: Identity, base: UUID) -> dict[str, bytes]:
    own = f"{identity.organization_id}/{base}/"
    keys = [key for prefix in STORED_PREFIXES for key in runtime.blobs.list(prefix + own)]
    return {key.replace(own, ""): runtime.blobs.get(key) for key in keys}


def found_by(runtime: Runtime, identity: Identity) -> list[list[Any]]:
    """The hits of every query: which, in which order, with which scores by which indexes."""
    return [
        [hit.model_dump() for hit in search(runtime, identity, SearchRequest.model_validate(query)).hits]
        for query in QUERIES
    ] + [[hit.model_dump() for hit in lookup(runtime, identity, LookupRequest(address="C7.6.2")).hits]]


def test_every_row_of_every_table_is_there_again(
    runtime: Runtime, identity: Identity, there: Elsewhere, moved: ImportedArchive, bases: list[UUID]
) -> None:
    assert {base.id for base in moved.knowledge_bases} == set(bases)
    for base in bases:
        before = stored(runtime, identity, base)
        after = stored(there.runtime, there.identity, base)
        for table, rows in before.items():
            assert [*map(without_keys, after[table])] == [*map(without_keys, rows)], table
    filled = {table for base in bases for table, rows in stored(runtime, identity, base).items() if rows}
    assert {"edits", "gold_questions", "eval_runs", "chunk_vectors", "chunk_attributes", "lexical_counts"} <= filled


def test_every_file_is_there_again_and_none_names_the_former_organization(
    runtime: Runtime, identity: Identity, there: Elsewhere, moved: ImportedArchive, bases: list[UUID]
) -> None:
    for base in bases:
        before, after = objects(runtime, identity, base), objects(there.runtime, there.identity, base)
        assert set(before) - set(after) <= {key for key in before if key.endswith("plan.json") or "verify-" in key}
        assert after == {key: before[key] for key in after}
        assert str(identity.organization_id).encode() not in b"".join(after.values())
        assert not any(
            str(identity.organization_id) in str(row) for row in stored(there.runtime, there.identity, base).values()
        )


def test_every_chunk_is_proved_there(there: Elsewhere, moved: ImportedArchive) -> None:
    documents = list_documents(there.runtime, there.identity)
    assert len(documents) == 3
    for document in documents:
        report = verify_stored_document(there.runtime, there.identity, document.id, refresh=True)
        assert (report.ok, report.failures, report.failed) == (True, [], 0)
        assert report.chunks == report.verbatim == document.chunks > 0


def test_every_search_finds_the_same_with_the_same_scores(
    runtime: Runtime, identity: Identity, there: Elsewhere, moved: ImportedArchive
) -> None:
    here = found_by(runtime, identity)
    assert all(here)
    assert found_by(there.runtime, there.identity) == here


def test_the_settings_of_an_organization_move_with_it(there: Elsewhere, moved: ImportedArchive) -> None:
    settings = get_profile(there.runtime, there.identity).organization
    assert (settings.trace_days, settings.audit_days) == (9, 90)


def test_what_is_restricted_stays_so_and_the_import_is_noted(
    there: Elsewhere, bases: list[UUID], moved: ImportedArchive
) -> None:
    assert [get_access(there.runtime, there.identity, base).restricted for base in bases] == [False, True]
    with there.runtime.database.transaction(there.identity.scope()) as connection:
        noted = list_entries(connection, None, 500, "knowledge_base.import")
    assert {one.knowledge_base_id for one in noted} == set(bases)


def test_a_tenant_moves_on_to_a_store_with_versions_and_is_proved_there(
    there: Elsewhere, moved: ImportedArchive, postgres: EmbeddedPostgres, test_home: Path, bucket: Any, tmp_path: Path
) -> None:
    """From the second deployment to a third, as from tier 1 to 2 to 3."""
    path = tmp_path / "on.autri.zip"
    export_organization(there.runtime, there.identity, path)
    with elsewhere(postgres, test_home, "local") as third:
        third.runtime.blobs = S3BlobStore(BUCKET, tmp_path / "copies")
        import_archive(third.runtime, third.identity, path)
        for document in list_documents(third.runtime, third.identity):
            report = verify_stored_document(third.runtime, third.identity, document.id, refresh=True)
            assert (report.ok, report.verbatim) == (True, document.chunks)
            with third.runtime.database.transaction(third.identity.scope(document.knowledge_base_id)) as connection:
                row = connection.execute(
                    "select source_key, source_version from documents where id = %s", (document.id,)
                ).fetchone()
            assert row is not None
            assert row["source_version"] == third.runtime.blobs.latest_version(row["source_key"]) is not None
        assert found_by(third.runtime, third.identity) == found_by(there.runtime, there.identity)
        again = tmp_path / "back.autri.zip"
        export_organization(third.runtime, third.identity, again)
        certificate = erase_all(third.runtime, third.identity, "local")
        assert (certificate.after.objects, list(bucket.object_versions.all())) == (0, [])
    assert rows_in(again) == rows_in(path)


def rows_in(path: Path) -> dict[str, str]:
    """Member → SHA-256."""
    with ArchiveReader(path) as archive:
        return {name: member.sha256 for name, member in archive.members.items()}


def test_what_was_imported_can_be_corrected_read_again_and_deleted(
    runtime: Runtime, identity: Identity, postgres: EmbeddedPostgres, test_home: Path, bases: list[UUID], tmp_path: Path
) -> None:
    path = tmp_path / "prices.autri.zip"
    export_knowledge_base(runtime, identity, bases[1], path)
    with elsewhere(postgres, test_home) as there:
        import_archive(there.runtime, there.identity, path)
        (document,) = list_documents(there.runtime, there.identity)
        chunk = next(c for c in list_chunks(there.runtime, there.identity, document.id, None, 500) if c.content)
        edit = Retype(chunk_id=chunk.id, chunk_type="footnote" if chunk.chunk_type == "text" else "text")
        edit_document(there.runtime, there.identity, document.id, document.revision, edit)
        done = maintain(there.runtime, there.owner_dsn, daily=True)
        assert (done["failed"], sweep_of(done)["orphans"]) == (0, 0)
        again = upload(there.runtime, there.identity, bases[1], PRICES.read_bytes(), "again.pdf")
        assert run_all(there.runtime, again)["outcome"] == "duplicate"
        started = reingest(there.runtime, there.identity, document.id)
        assert started.document_id == document.id


def sweep_of(done: dict[str, Any]) -> dict[str, Any]:
    return next(task["result"] for task in done["tasks"] if task["task"] == "sweep_storage")


def test_an_import_that_breaks_off_leaves_nothing_and_can_be_repeated(
    archive: Path, postgres: EmbeddedPostgres, test_home: Path, bases: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    with elsewhere(postgres, test_home) as there:
        put, left = there.runtime.blobs.put_file, iter(range(40))

        def put_some(key: str, path: Path) -> None:
            if next(left, None) is None:
                raise StorageFull("The disk is full.")
            put(key, path)

        monkeypatch.setattr(there.runtime.blobs, "put_file", put_some)
        with pytest.raises(StorageFull):
            import_archive(there.runtime, there.identity, archive)
        assert list_knowledge_bases(there.runtime, there.identity) == []
        assert [objects(there.runtime, there.identity, base) for base in bases] == [{}, {}]
        monkeypatch.setattr(there.runtime.blobs, "put_file", put)
        assert len(import_archive(there.runtime, there.identity, archive).knowledge_bases) == 2


def test_two_imports_of_one_archive_at_once_are_one(
    archive: Path, postgres: EmbeddedPostgres, test_home: Path, bases: list[UUID]
) -> None:
    with elsewhere(postgres, test_home) as there, ThreadPoolExecutor(2) as pool:
        tries = [pool.submit(import_archive, there.runtime, there.identity, archive) for _ in range(2)]
        errors = [attempt.exception() for attempt in tries]
        (refused,) = [error for error in errors if error is not None]
        assert isinstance(refused, Conflict), "it is being imported, or was"
        for document in list_documents(there.runtime, there.identity):
            assert verify_stored_document(there.runtime, there.identity, document.id, refresh=True).ok
