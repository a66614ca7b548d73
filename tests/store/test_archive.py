"""What an archive holds by the catalogue, and what an archive of unknown origin may not do."""

import hashlib
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.container import ArchiveReader
from shared.archive.exporting import export_knowledge_base, export_organization
from shared.archive.importing import import_archive
from shared.archive.manifest import MANIFEST, MEMBERS, ArchiveLimits
from shared.archive.transfers import AT_ONCE, in_order
from shared.contract import STORED_PREFIXES
from shared.domain.ids import new_id
from shared.domain.people import NewKey
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, Forbidden
from shared.library.account import OrganizationChange, change_organization, get_profile
from shared.library.knowledge_bases import list_knowledge_bases
from shared.maintenance import maintain
from shared.people.keys import create_key, identity_of_key
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Embedders, Runtime
from shared.store.archive import COLUMNS_LEFT_OUT, LEFT_OUT, list_tables, tenant_tables
from shared.vectors.embedders import adopt_embedder
from tests.aws.account import forget_account
from tests.elsewhere import Elsewhere, elsewhere
from tests.erasing import erase_base
from tests.store.filling import Connection, superuser
from tests.store.seeding import Passage, add_base, add_document

# What is exported today: whoever adds a table decides whether it moves with its knowledge base.
EXPORTED = {
    "knowledge_bases", "logical_documents", "documents", "pages", "uploads", "ingestions", "ingestion_pages", "costs",
    "version_profiles", "version_suggestions", "sections", "section_addresses", "tables", "chunks", "figures",
    "chunk_attributes", "attribute_candidates", "edits", "gold_questions", "eval_runs", "lexical_bases",
    "chunk_vectors", "stage_seconds", "reviews", "notes", "records", "record_kinds", "sources", "source_items",
    "schema_versions", "schema_backfills", "undeclared_values", "messages", "notebooks", "notebook_cells",
    "notebook_versions", "summaries", "summary_versions", "summary_edits", "datasets", "dataset_revisions",
    "dataset_tables", "plots", "events", "digests", "digest_files", "digest_versions", "digest_statements",
    "digest_citations", "digest_units", "group_summaries", "kept_words",
}  # fmt: skip
# Columns of exported tables that name a person of one deployment, or whose row it is.
OWNERS = {"organization_id", "knowledge_base_id"}
Members = dict[str, bytes]


def test_every_tenant_table_is_exported_or_named_with_the_reason_why_not(runtime: Runtime) -> None:
    with runtime.database.unscoped() as connection:
        exported = {table.name for table in list_tables(connection)}
        every = tenant_tables(connection)
    assert exported == EXPORTED
    assert every.keys() - exported == LEFT_OUT.keys()
    assert all(len(reason) > 20 for reason in LEFT_OUT.values())


def test_every_column_that_can_be_written_is_exported_or_named_with_the_reason_why_not(
    runtime: Runtime, everywhere: Connection
) -> None:
    with runtime.database.unscoped() as connection:
        exported = {(table.name, column) for table in list_tables(connection) for column in table.columns}
    rows = everywhere.execute(
        "select table_name, column_name from information_schema.columns where table_schema = 'public'"
        " and is_generated = 'NEVER' and is_identity = 'NO'"
    ).fetchall()
    written = {(r["table_name"], r["column_name"]) for r in rows if r["table_name"] in EXPORTED}
    owners = {(table, column) for table in EXPORTED for column in OWNERS}
    assert written - exported - owners == COLUMNS_LEFT_OUT.keys()


def test_no_exported_column_names_a_person(runtime: Runtime, everywhere: Connection) -> None:
    """People are not moved: what refers to one of the users by a foreign key, or is called as if it did."""
    with runtime.database.unscoped() as connection:
        columns = {(table.name, column) for table in list_tables(connection) for column in table.columns}
    rows = everywhere.execute(
        "select table_name, column_name from information_schema.columns where table_schema = 'public'"
        " and data_type = 'uuid' and column_name ~ '(user|author|_by)'"
    ).fetchall()
    assert {("edits", "author_id"), ("uploads", "created_by")} <= {(r["table_name"], r["column_name"]) for r in rows}
    assert columns & {(r["table_name"], r["column_name"]) for r in rows} == set()


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    """Two documents, indexed and embedded, each with a source."""
    scope = add_base(runtime, identity, "moving")
    for name in ("wings.pdf", "pumps.pdf"):
        passages = [Passage(f"The {name} number {i} weighs {i} kilograms.", page=i + 1) for i in range(3)]
        document = add_document(runtime, scope, name, passages, embedder=runtime.embedder)
        key = f"sources/{identity.organization_id}/{scope.knowledge_base_ids[0]}/{document}/source"
        runtime.blobs.put(key, name.encode())
        with runtime.database.transaction(scope) as connection:
            connection.execute("update documents set source_key = %s where id = %s", (key, document))
    with runtime.database.transaction(scope) as connection:
        adopt_embedder(connection, document, runtime.embedder.version)
    return scope.knowledge_base_ids[0]


@pytest.fixture(scope="module")
def archive(runtime: Runtime, identity: Identity, base: UUID, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "moving.autri.zip"
    export_knowledge_base(runtime, identity, base, path)
    return path


@pytest.fixture(scope="module")
def other_deployment(postgres: EmbeddedPostgres, test_home: Path) -> Iterator[Elsewhere]:
    with elsewhere(postgres, test_home) as made:
        yield made


@pytest.fixture
def there(other_deployment: Elsewhere, postgres: EmbeddedPostgres) -> Iterator[Elsewhere]:
    """The other deployment, empty before each test."""
    yield other_deployment
    with superuser(postgres, other_deployment.home.name) as connection:
        connection.execute("delete from knowledge_bases")
    for prefix in STORED_PREFIXES:
        other_deployment.runtime.blobs.delete_prefix(prefix)


def members_of(archive: Path) -> Members:
    with zipfile.ZipFile(archive) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(path: Path, members: Members, *, true: bool = True) -> Path:
    """A zip file of the members; with `true` their list and the manifest say what is in it."""
    manifest = json.loads(members[MANIFEST])
    content = {name: data for name, data in members.items() if name not in (MANIFEST, MEMBERS)}
    if true:
        lines = [
            json.dumps({"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
            for name, data in content.items()
        ]
        listed = "".join(f"{line}\n" for line in lines).encode()
        manifest |= {"members": len(content), "members_sha256": hashlib.sha256(listed).hexdigest()}
        content |= {MEMBERS: listed, MANIFEST: json.dumps(manifest).encode()}
    else:
        content = members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return path


def left_behind(there: Elsewhere) -> tuple[list[Any], list[str]]:
    """What a refused import has left: knowledge bases and objects."""
    objects = [key for prefix in STORED_PREFIXES for key in there.runtime.blobs.list(prefix)]
    return list_knowledge_bases(there.runtime, there.identity), objects


def refused(there: Elsewhere, path: Path, limits: ArchiveLimits = ArchiveLimits()) -> str:  # noqa: B008 immutable
    with pytest.raises((BadInput, Conflict)) as error:
        import_archive(there.runtime, there.identity, path, limits=limits)
    assert left_behind(there) == ([], [])
    return str(error.value)


def rows_name(base: UUID, table: str) -> str:
    return f"knowledge-bases/{base}/rows/{table}.jsonl"


def edited_rows(members: Members, name: str, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Members:
    lines = [json.dumps(edit(json.loads(line))) for line in members[name].splitlines()]
    return members | {name: "".join(f"{line}\n" for line in lines).encode()}


def test_a_changed_byte_of_any_member_is_refused_by_the_members_name(
    there: Elsewhere, archive: Path, tmp_path: Path
) -> None:
    members = members_of(archive)
    tried = 0
    for name, data in members.items():
        if name == MANIFEST or not data:
            continue
        changed = data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]
        said = refused(there, packed(tmp_path / "changed.zip", members | {name: changed}, true=False))
        assert name in said
        tried += 1
    assert tried > 8


def test_a_byte_that_is_changed_in_the_file_itself_is_refused(there: Elsewhere, archive: Path, tmp_path: Path) -> None:
    data = archive.read_bytes()
    with zipfile.ZipFile(archive) as file:
        places = [(info.filename, info.header_offset + 30 + len(info.filename)) for info in file.infolist()]
    for name, start in places:
        at = start + 20  # its first one, behind the sizes of a large file
        (tmp_path / "flipped.zip").write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        said = refused(there, tmp_path / "flipped.zip")
        assert name in said or "archive" in said


def test_rows_are_the_importing_organizations_whatever_they_say(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, postgres: EmbeddedPostgres
) -> None:
    profile = get_profile(there.runtime, there.identity)
    with superuser(postgres, there.home.name) as connection:
        (other,) = connection.execute(
            "select id from organizations where id <> %s", (profile.organization.id,)
        ).fetchall()
    forged = members_of(archive)
    foreign = {"organization_id": str(other["id"]), "knowledge_base_id": str(new_id())}
    for table in EXPORTED:
        forged = edited_rows(forged, rows_name(base, table), lambda row: row | foreign)
    import_archive(there.runtime, there.identity, packed(tmp_path / "forged.zip", forged))
    with superuser(postgres, there.home.name) as connection:
        for table in EXPORTED:
            rows = connection.execute(f"select organization_id as id from {table}".encode()).fetchall()  # noqa: S608
            assert {row["id"] for row in rows} <= {there.identity.organization_id}, table
        assert connection.execute("select count(*) as n from chunks").fetchone() == {"n": 6}


KEYS = ["sources/../../x", "sources/a//b", "/etc/passwd", "sources/.part-x/source", "work", ""]


@pytest.mark.parametrize("key", KEYS)
def test_a_row_that_names_a_file_elsewhere_is_refused(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, key: str
) -> None:
    for column in ("source_key", "opened_key"):
        name = rows_name(base, "documents")
        forged = edited_rows(members_of(archive), name, lambda row, column=column: row | {column: key})
        assert f"{name} has a {column}" in refused(there, packed(tmp_path / "forged.zip", forged))


@pytest.mark.parametrize(
    "name",
    [
        "../evil", "/etc/passwd",
        "knowledge-bases/{base}/objects/../../../evil",
        "knowledge-bases/{base}/rows/users.txt",
        "knowledge-bases/{base}/objects/sources/../{base}/source",
        "knowledge-bases/{base}/objects/incoming/{base}/source",
        "knowledge-bases/{base}/objects/work/{base}/.part-x", "knowledge-bases/{base}/rows/users.jsonl",
        "knowledge-bases/{other}/objects/sources/{other}/source", "knowledge-bases/{base}/objects/work/{base}/a\\..\\b",
    ],
)  # fmt: skip
def test_a_member_that_no_export_writes_is_refused_by_its_name(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, name: str
) -> None:
    name = name.format(base=base, other=new_id())
    said = refused(there, packed(tmp_path / "forged.zip", members_of(archive) | {name: b"{}\n"}))
    assert name in said or repr(name) in said


def test_threads_that_read_one_archive_take_turns(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, inside, met = zipfile.ZipExtFile.read, list[int](), list[int]()

    def watched(file: zipfile.ZipExtFile, size: int | None = -1) -> bytes:
        inside.append(1)
        time.sleep(0.002)
        met.append(len(inside))
        inside.pop()
        return read(file, size)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", watched)
    with ArchiveReader(archive) as reader:
        copies = list(in_order(lambda path: reader.copy(path, io.BytesIO()), reader.members))
    assert len(copies) > AT_ONCE
    assert set(met) == {1}


def test_two_members_of_one_name_are_refused(there: Elsewhere, archive: Path, base: UUID, tmp_path: Path) -> None:
    path = packed(tmp_path / "twice.zip", members_of(archive))
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr(rows_name(base, "chunks"), b"")
    assert "two members of one name" in refused(there, path)


def test_what_would_unpack_to_more_than_its_share_is_refused_before_it_is_unpacked(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path
) -> None:
    name = f"knowledge-bases/{base}/objects/sources/{new_id()}/source"
    path = packed(tmp_path / "bomb.zip", members_of(archive) | {name: bytes(64 << 20)})
    assert path.stat().st_size < 1 << 20
    assert "would unpack to" in refused(there, path, ArchiveLimits(bytes_free=1 << 20, expansion=10))


def test_what_unpacks_to_more_than_the_archive_says_is_refused(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path
) -> None:
    members = members_of(archive)
    name = rows_name(base, "chunks")
    longer = members | {name: members[name] + b"{}\n" * 1000}
    assert f"{name} is longer than the archive says" in refused(there, packed(tmp_path / "l.zip", longer, true=False))


def test_the_directory_and_rows_have_limits(there: Elsewhere, archive: Path) -> None:
    assert "directory has" in refused(there, archive, ArchiveLimits(directory_bytes=100))
    assert "longer than 100 bytes" in refused(there, archive, ArchiveLimits(line_bytes=100))


@pytest.mark.parametrize("rows", [0, 5, 7])
def test_other_numbers_of_rows_than_the_manifest_says_are_refused(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, rows: int
) -> None:
    members = members_of(archive)
    manifest = json.loads(members[MANIFEST])
    manifest["knowledge_bases"][0]["tables"]["chunks"]["rows"] = rows
    said = refused(there, packed(tmp_path / "rows.zip", members | {MANIFEST: json.dumps(manifest).encode()}))
    assert rows_name(base, "chunks") in said


WRONG = [
    ("documents", {"id": "no id"}), ("documents", {"version_index": "one"}), ("documents", {"status": "fine"}),
    ("documents", {"logical_document_id": "01900000-0000-7000-8000-000000000000"}), ("chunks", {"content": None}),
    ("chunks", {"document_id": "01900000-0000-7000-8000-000000000000"}), ("chunks", {"boxes": "\u0000"}),
    ("chunk_vectors", {"embedding": "[1,0]"}), ("chunk_vectors", {"embedding": "[NaN]"}),
    ("chunk_vectors", {"embedder_version": "other/1"}), ("lexical_bases", {"pivot": "NaN"}),
    ("lexical_bases", {"pivot": 0}), ("knowledge_bases", {"name": "two\nlines"}),
    ("knowledge_bases", {"name": "x" * 200}),
    ("knowledge_bases", {"id": "01900000-0000-7000-8000-000000000000"}),
]  # fmt: skip


@pytest.mark.parametrize(("table", "wrong"), WRONG)
def test_rows_of_wrong_types_and_rows_that_belong_nowhere_are_refused(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, table: str, wrong: dict[str, Any]
) -> None:
    forged = edited_rows(members_of(archive), rows_name(base, table), lambda row: row | wrong)
    assert "archive" in refused(there, packed(tmp_path / "wrong.zip", forged))


@pytest.mark.parametrize("line", [b"no json\n", b"[]\n", b"\xff\n", b'{"id": ' + b"[" * 100_000 + b"\n", b"null\n"])
def test_rows_that_are_no_objects_are_refused(
    there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, line: bytes
) -> None:
    members = members_of(archive)
    for table in ("documents", "chunks"):
        name = rows_name(base, table)
        first, *rest = members[name].splitlines(keepends=True)
        forged = members | {name: b"".join([line, *rest])}
        assert first not in forged[name]
        refused(there, packed(tmp_path / "wrong.zip", forged))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3}, {"format": "other"}, {"knowledge_bases": []}, {"made_at": "today"}, {"extra": 1},
        {"members_sha256": "0" * 64}, {"members": 1},
    ],
)  # fmt: skip
def test_a_manifest_of_another_kind_is_refused(
    there: Elsewhere, archive: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    members = members_of(archive)
    manifest = json.dumps(json.loads(members[MANIFEST]) | change).encode()
    refused(there, packed(tmp_path / "other.zip", members | {MANIFEST: manifest}, true=False))


def test_an_archive_of_another_schema_is_refused_by_the_tables_name(
    there: Elsewhere, archive: Path, tmp_path: Path
) -> None:
    members = members_of(archive)
    manifest = json.loads(members[MANIFEST])
    manifest["knowledge_bases"][0]["tables"]["figures"]["columns"].append("colour")
    said = refused(there, packed(tmp_path / "other.zip", members | {MANIFEST: json.dumps(manifest).encode()}))
    assert "figures" in said
    assert "another version" in said


def test_a_run_that_has_not_ended_is_neither_exported_nor_imported(
    runtime: Runtime, identity: Identity, there: Elsewhere, archive: Path, base: UUID, tmp_path: Path
) -> None:
    name = rows_name(base, "ingestions")
    run = {"id": str(new_id()), "document_id": None, "source_key": "sources/x/source", "filename": "x",
           "engine": "layout",
           "status": "queued", "duplicate": False, "stages": {}, "attempts": 0, "takeovers": 0, "progress": 0,
           "created_at": "2026-01-01T00:00:00Z"}  # fmt: skip
    members = members_of(archive)
    manifest = json.loads(members[MANIFEST])
    manifest["knowledge_bases"][0]["tables"]["ingestions"]["rows"] = 1
    forged = members | {name: json.dumps(run).encode() + b"\n", MANIFEST: json.dumps(manifest).encode()}
    assert "has not ended" in refused(there, packed(tmp_path / "open.zip", forged))
    scope = identity.scope(base)
    with runtime.database.transaction(scope) as connection:
        connection.execute("update documents set status = 'running' where name = 'wings.pdf'")
    try:
        with pytest.raises(Conflict, match=r"wings\.pdf in moving is being ingested"):
            export_knowledge_base(runtime, identity, base, tmp_path / "x.zip")
    finally:
        with runtime.database.transaction(scope) as connection:
            connection.execute("update documents set status = 'ready'")


def test_a_missing_source_is_said_by_the_documents_name(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path
) -> None:
    (key, _) = runtime.blobs.list(f"sources/{identity.organization_id}/{base}/")
    data = runtime.blobs.get(key)
    runtime.blobs.delete(key)
    try:
        with pytest.raises(Conflict, match=r"(wings|pumps)\.pdf is missing"):
            export_knowledge_base(runtime, identity, base, tmp_path / "x.zip")
    finally:
        runtime.blobs.put(key, data)


def test_an_archive_serves_once_and_its_ids_stay(
    runtime: Runtime, identity: Identity, other_identity: Identity, there: Elsewhere, archive: Path, base: UUID
) -> None:
    import_archive(there.runtime, there.identity, archive)
    before = left_behind(there)
    for name in (None, "Another name"):
        with pytest.raises(Conflict, match="is here already"):
            import_archive(there.runtime, there.identity, archive, name)
    assert left_behind(there) == before
    for who in (identity, other_identity):
        objects = list(runtime.blobs.list("sources/"))
        with pytest.raises(Conflict):
            import_archive(runtime, who, archive)
        assert list(runtime.blobs.list("sources/")) == objects
    query = SearchRequest(query="number 2 weighs", k=5)
    here, elsewhere_ = (search(r, i, query).hits for r, i in ((runtime, identity), (there.runtime, there.identity)))
    assert [hit.model_dump() for hit in elsewhere_] == [hit.model_dump() for hit in here]


def test_a_taken_name_is_said_and_another_may_be_given(there: Elsewhere, archive: Path) -> None:
    add_base(there.runtime, there.identity, "moving")
    with pytest.raises(Conflict, match=r"`moving` exists already\. Import this one under another name"):
        import_archive(there.runtime, there.identity, archive)
    done = import_archive(there.runtime, there.identity, archive, "Moved Here")
    (base,) = done.knowledge_bases
    assert (base.slug, base.name, base.documents) == ("moved-here", "Moved Here", 2)


def test_vectors_of_an_embedder_that_is_not_here_are_made_anew(there: Elsewhere, archive: Path, base: UUID) -> None:
    def none(version: str) -> Any:
        raise BadInput(f"There is no {version} here.")

    here = there.runtime.embedders
    there.runtime.embedders = Embedders(lambda: "own/1", none)
    try:
        (done,) = import_archive(there.runtime, there.identity, archive).knowledge_bases
    finally:
        there.runtime.embedders = here
    assert (done.embedder, done.to_embed) == ("own/1", True)
    with there.runtime.database.transaction(there.identity.scope(base)) as connection:
        state = connection.execute("select embedder_version, embedder_target from knowledge_bases").fetchone()
        assert state == {"embedder_version": "own/1", "embedder_target": "own/1"}
        assert connection.execute("select count(*) as n from chunk_vectors").fetchone() == {"n": 0}


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_archives_are_for_owners_and_admins(
    runtime: Runtime, identity: Identity, archive: Path, base: UUID, tmp_path: Path, role: Any
) -> None:
    who = identity.model_copy(update={"role": role})
    with pytest.raises(Forbidden):
        export_knowledge_base(runtime, who, base, tmp_path / "x.zip")
    with pytest.raises(Forbidden):
        export_organization(runtime, who, tmp_path / "x.zip")
    with pytest.raises(Forbidden):
        import_archive(runtime, who, archive)
    assert not (tmp_path / "x.zip").exists()


def test_a_key_that_sees_a_part_exports_that_part_and_not_the_organization(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path
) -> None:
    (unseen,) = add_base(runtime, identity, "unseen-by-the-key").knowledge_base_ids
    for bases, whole in ((None, True), ([base], False)):
        wanted = NewKey(name="export", scope="admin", knowledge_base_ids=bases)
        key = identity_of_key(runtime, create_key(runtime, identity, wanted).secret or "")
        assert key is not None
        assert export_knowledge_base(runtime, key, base, tmp_path / "part.zip").kind == "knowledge base"
        if whole:
            assert len(export_organization(runtime, key, tmp_path / "x.zip").knowledge_bases) > 1
        else:
            with pytest.raises(Forbidden):
                export_organization(runtime, key, tmp_path / "y.zip")
    erase_base(runtime, identity, unseen)


def test_what_changes_while_it_is_exported_is_not_exported(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = runtime.blobs.local_copy

    def change_and_read(key: str, version: str | None = None) -> Path:
        with runtime.database.transaction(identity.scope(base)) as connection:
            connection.execute("update documents set revision = revision + 1 where name = 'wings.pdf'")
        return read(key, version)

    monkeypatch.setattr(runtime.blobs, "local_copy", change_and_read)
    with pytest.raises(Conflict, match="changed while they were exported"):
        export_knowledge_base(runtime, identity, base, tmp_path / "x.zip")


def test_the_archive_of_a_knowledge_base_changes_no_settings_of_the_organization(
    there: Elsewhere, archive: Path
) -> None:
    change_organization(there.runtime, there.identity, OrganizationChange(trace_days=12))
    import_archive(there.runtime, there.identity, archive)
    assert get_profile(there.runtime, there.identity).organization.trace_days == 12


def test_one_name_is_not_for_two_knowledge_bases(
    runtime: Runtime, identity: Identity, there: Elsewhere, base: UUID, tmp_path: Path
) -> None:
    add_base(runtime, identity, "beside")
    export_organization(runtime, identity, tmp_path / "all.zip")
    with pytest.raises(BadInput, match="an archive of one knowledge base; this one has 2"):
        import_archive(there.runtime, there.identity, tmp_path / "all.zip", "Both")
    assert left_behind(there) == ([], [])


def test_maintenance_makes_the_vectors_that_the_archives_embedder_cannot_serve(
    runtime: Runtime, there: Elsewhere, archive: Path, base: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_account(monkeypatch)
    members = members_of(archive)
    manifest = json.loads(members[MANIFEST])
    manifest["knowledge_bases"][0]["embedder_version"] = "titan/1"
    for table in ("knowledge_bases", "chunk_vectors"):
        members = edited_rows(members, rows_name(base, table), lambda row: row | {"embedder_version": "titan/1"})
    path = packed(tmp_path / "foreign.zip", members | {MANIFEST: json.dumps(manifest).encode()})
    (done,) = import_archive(there.runtime, there.identity, path).knowledge_bases
    assert (done.embedder, done.to_embed) == (runtime.embedder.version, True)
    query = SearchRequest(query="number 2 weighs", k=5, index="vector")
    assert search(there.runtime, there.identity, query).hits == []
    made = maintain(there.runtime, there.owner_dsn)
    assert (made["failed"], made["more"]) == (0, False)
    assert len(search(there.runtime, there.identity, query).hits) == 5
    with there.runtime.database.transaction(there.identity.scope(base)) as connection:
        state = connection.execute("select embedder_version, embedder_target from knowledge_bases").fetchone()
    assert state == {"embedder_version": runtime.embedder.version, "embedder_target": None}
