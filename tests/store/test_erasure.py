"""What is deleted is gone from every table and from the store, and its certificate says so."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.certificate import Certificate, digest_of
from shared.archive.erasing import delete_knowledge_base, erase_organization, get_erasure
from shared.contract import STORED_PREFIXES
from shared.domain.people import AccessChange
from shared.domain.scope import Identity
from shared.errors import BadInput, Forbidden, NotFound, StoreUnavailable
from shared.people.permissions import change_access
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.erasure import KEPT
from tests.conftest import add_member
from tests.elsewhere import elsewhere
from tests.erasing import by_nobody, erase_all, erase_base, run_whole
from tests.pipeline import make_knowledge_base, upload
from tests.store.filling import Connection, superuser
from tests.store.leaks import everything
from tests.store.seeding import Passage, add_base, add_document

PASSAGES = [Passage("The wing weighs nine kilograms.")]


@pytest.fixture
def base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    """With a document that was searched, a file, and a protected upload that has not been opened."""
    scope = add_base(runtime, identity, request.node.name[:50].replace("_", "-"))
    (made,) = scope.knowledge_base_ids
    add_document(runtime, scope, "wings.pdf", PASSAGES)
    runtime.blobs.put(f"work/{identity.organization_id}/{made}/d/i/pages/1.json", b"{}")
    search(runtime, identity, SearchRequest(query="wing", index="fts", knowledge_base_ids=[made]))
    upload(runtime, identity, made, b"%PDF-1.7 protected", password="sesame")
    return made


def rows_of(connection: Connection, owner: UUID) -> dict[str, int]:
    """Table → rows that have the id in any column."""
    tables = connection.execute("select tablename as name from pg_tables where schemaname = 'public'").fetchall()
    found = {
        t["name"]: sum(str(owner) in str(row) for row in everything(connection, t["name"]).values()) for t in tables
    }
    return {name: rows for name, rows in found.items() if rows}


def objects_of(runtime: Runtime, identity: Identity) -> list[str]:
    return [key for prefix in STORED_PREFIXES for key in runtime.blobs.list(f"{prefix}{identity.organization_id}/")]


def test_a_knowledge_base_leaves_nothing_but_its_certificate(
    runtime: Runtime, identity: Identity, base: UUID, everywhere: Connection
) -> None:
    other = add_base(runtime, identity, "stays").knowledge_base_ids[0]
    before = rows_of(everywhere, base)
    noted = before.pop("audit_log")
    everywhere.rollback()
    (upload_id,) = [row["id"] for row in everywhere.execute("select id from uploads").fetchall()]
    everywhere.rollback()
    assert runtime.vault.get(upload_id) == "sesame"
    certificate = erase_base(runtime, identity, base)
    assert {table: rows for table, rows in certificate.before.rows.items() if rows} == before
    assert {"knowledge_bases": 1, "documents": 1, "chunks": 1, "retrieval_log": 1}.items() <= before.items()
    assert set(certificate.after.rows.values()) == {0}
    assert certificate.after.rows.keys() == certificate.before.rows.keys()
    assert (certificate.before.objects, certificate.after.objects, certificate.passwords) == (2, 0, 1)
    assert runtime.vault.get(upload_id) is None
    assert objects_of(runtime, identity) == []
    assert rows_of(everywhere, base) == {"erasure_certificates": 1, "audit_log": noted + 2}
    everywhere.rollback()
    assert rows_of(everywhere, other)["knowledge_bases"] == 1


def test_traces_go_that_name_what_the_deleting_person_does_not_see_too(
    runtime: Runtime, identity: Identity, owner_dsn: str, base: UUID, everywhere: Connection
) -> None:
    (hidden,) = add_base(runtime, identity, "hidden").knowledge_base_ids
    search(runtime, identity, SearchRequest(query="wing", index="fts", knowledge_base_ids=[base, hidden]))
    change_access(runtime, identity, hidden, AccessChange(restricted=True))
    editor = add_member(runtime, owner_dsn, "local", "editor")
    with pytest.raises(NotFound):
        delete_knowledge_base(runtime, editor, hidden)
    certificate = erase_base(runtime, editor, base)
    assert (certificate.before.rows["retrieval_log"], certificate.by.id) == (2, editor.user_id)
    assert rows_of(everywhere, base).keys() == {"erasure_certificates", "audit_log"}


def test_the_certificate_is_stored_as_it_is_answered_and_a_change_of_it_shows(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    certificate = erase_base(runtime, identity, base)
    with runtime.database.transaction(identity.scope()) as connection:
        row = connection.execute("select * from erasure_certificates where subject_id = %s", (base,)).fetchone()
    assert row is not None
    stored = Certificate.model_validate(row["certificate"])
    assert stored == certificate
    assert row["sha256"] == certificate.sha256 == digest_of(stored)
    assert certificate.by.id == identity.user_id
    assert digest_of(stored.model_copy(update={"passwords": 7})) != certificate.sha256


class Writing:
    """A stage that goes on writing: whatever is deleted is there again."""

    def __init__(self, runtime: Runtime, key: str, times: int) -> None:
        self._delete, self._runtime, self._key, self.left = runtime.blobs.delete_prefix, runtime, key, times

    def delete_prefix(self, prefix: str, until: float | None = None) -> int:
        done = self._delete(prefix, until)
        if self.left and self._key.startswith(prefix):
            self.left -= 1
            self._runtime.blobs.put(self._key, b"{}")
        return done


@pytest.mark.parametrize(("times", "certified"), [(2, True), (100, False)])
def test_nothing_is_certified_while_something_is_still_written(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch, times: int, *, certified: bool
) -> None:
    stage = Writing(runtime, f"work/{identity.organization_id}/{base}/d/i/pages/2.json", times)
    monkeypatch.setattr(runtime.blobs, "delete_prefix", stage.delete_prefix)
    if certified:
        assert erase_base(runtime, identity, base).after.objects == 0
        return
    runtime.start_erasure = by_nobody
    asked = delete_knowledge_base(runtime, identity, base)
    with pytest.raises(StoreUnavailable, match="still being written"):
        run_whole(runtime, identity, asked)
    assert get_erasure(runtime, asked.id, asked.ticket).certificate is None
    stage.left = 0
    assert run_whole(runtime, identity, asked).after.objects == 0


def test_an_organization_goes_with_its_people_and_leaves_the_others_alone(
    postgres: EmbeddedPostgres, test_home: Path
) -> None:
    with elsewhere(postgres, test_home) as there:
        base = make_knowledge_base(there.runtime, there.identity, "rules")
        upload(there.runtime, there.identity, base, b"%PDF-1.7 protected", password="sesame")
        slug = "kestrel"
        for wrong in ("local", "kestre", "", "KESTREL"):
            with pytest.raises(BadInput, match="nothing was deleted"):
                erase_organization(there.runtime, there.identity, wrong)
        roles: tuple[Any, ...] = ("admin", "editor", "viewer")
        for role in roles:
            with pytest.raises(Forbidden):
                erase_organization(there.runtime, there.identity.model_copy(update={"role": role}), slug)
        with superuser(postgres, there.home.name) as connection:
            before = rows_of(connection, there.identity.organization_id)
            others = connection.execute("select id from organizations where slug = 'local'").fetchall()
            untouched = rows_of(connection, others[0]["id"])
        before["audit_log"] += 1  # that it was asked for
        certificate = erase_all(there.runtime, there.identity, slug)
        assert {table: rows for table, rows in certificate.before.rows.items() if rows} == before
        assert {"organizations", "users", "identities", "uploads"} <= before.keys()
        assert set(certificate.after.rows.values()) == {0}
        assert (certificate.before.objects, certificate.after.objects, certificate.passwords) == (1, 0, 1)
        assert objects_of(there.runtime, there.identity) == []
        with superuser(postgres, there.home.name) as connection:
            assert rows_of(connection, there.identity.organization_id) == dict.fromkeys(KEPT, 1)
            assert rows_of(connection, others[0]["id"]) == untouched
