"""A deletion as a job: shut at once, killed in the middle, asked for twice, done by two at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.access import reading
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive import erasure_run
from shared.archive.certificate import Certificate
from shared.archive.erasing import delete_knowledge_base, erase_organization, get_erasure, start_idle
from shared.archive.erasure_run import run_erasure
from shared.domain.ids import new_id
from shared.domain.people import NewKey
from shared.domain.scope import Identity
from shared.errors import Conflict, NotFound
from shared.library.knowledge_bases import NewKnowledgeBase, create_knowledge_base, list_knowledge_bases
from shared.people.keys import create_key, identity_of_key
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store import erasure as rows
from tests.elsewhere import elsewhere
from tests.erasing import by_nobody, run_whole
from tests.pipeline import make_knowledge_base, upload
from tests.store.seeding import Passage, add_base, add_document

PASSAGES = [Passage("The wing weighs nine kilograms.")]
DOCUMENTS = 5


@pytest.fixture
def base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> UUID:
    """With some documents and files; what is asked to be deleted is not begun."""
    monkeypatch.setattr(runtime, "start_erasure", by_nobody)
    scope = add_base(runtime, identity, request.node.name[:50].replace("_", "-"))
    (made,) = scope.knowledge_base_ids
    for number in range(DOCUMENTS):
        add_document(runtime, scope, f"{number}.pdf", PASSAGES)
        runtime.blobs.put(f"work/{identity.organization_id}/{made}/{number}/i/pages/1.json", b"{}")
    return made


def documents(runtime: Runtime, identity: Identity, base: UUID) -> int:
    with runtime.database.transaction(identity.scope(base)) as connection:
        rows.let_see_erased(connection)
        counted = connection.execute("select count(*) as n from documents").fetchone()
    return int(counted["n"]) if counted else 0


def test_from_the_request_on_nobody_and_no_stage_sees_it(runtime: Runtime, identity: Identity, base: UUID) -> None:
    wish = SearchRequest(query="wing", index="fts")
    alone = wish.model_copy(update={"knowledge_base_ids": [base]})
    own = {hit.document.id for hit in search(runtime, identity, alone).hits}
    assert own
    asked = delete_knowledge_base(runtime, identity, base)
    assert documents(runtime, identity, base) == DOCUMENTS
    assert not own & {hit.document.id for hit in search(runtime, identity, wish).hits}
    assert base not in [one.id for one in list_knowledge_bases(runtime, identity)]
    for again in (
        lambda: delete_knowledge_base(runtime, identity, base),
        lambda: search(runtime, identity, alone),
        lambda: upload(runtime, identity, base, b"%PDF-1.7 late"),
    ):
        with pytest.raises(NotFound):
            again()
    for actor in (identity.scope(base), identity.scope(base).model_copy(update={"user_id": None})):
        with runtime.database.transaction(actor) as connection:
            assert connection.execute("select from documents").fetchall() == []
            assert connection.execute("select from knowledge_bases where id = %s", (base,)).fetchall() == []
    assert (get_erasure(runtime, asked.id, asked.ticket).status, asked.documents) == ("running", DOCUMENTS)
    with pytest.raises(NotFound):
        get_erasure(runtime, asked.id, "another")


def test_its_name_may_be_given_again_while_it_goes(runtime: Runtime, identity: Identity, base: UUID) -> None:
    name = next(one.name for one in list_knowledge_bases(runtime, identity) if one.id == base)
    asked = delete_knowledge_base(runtime, identity, base)
    run_erasure(runtime, identity.organization_id, asked.id, seconds=0)
    made = create_knowledge_base(runtime, identity, NewKnowledgeBase(name=asked.subject.slug))
    assert made.slug == asked.subject.slug
    assert run_whole(runtime, identity, asked).subject.name == name
    assert made.id in [one.id for one in list_knowledge_bases(runtime, identity)]


def test_a_run_that_is_killed_loses_a_slice_and_the_next_one_goes_on(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure_run, "DOCUMENTS", 1)
    asked = delete_knowledge_base(runtime, identity, base)
    remove, removed = rows.remove_documents, list[int]()

    def killed_at_the_third(*args: Any) -> int:
        done = remove(*args)
        removed.append(done)
        if len(removed) == 3:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(rows, "remove_documents", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        run_erasure(runtime, identity.organization_id, asked.id)
    assert documents(runtime, identity, base) == DOCUMENTS - 2
    going = get_erasure(runtime, asked.id, asked.ticket)
    assert (going.status, going.progress) == ("running", round((1 + 2 / DOCUMENTS) / 2, 3))
    started: list[UUID] = []
    monkeypatch.setattr(runtime, "start_erasure", lambda _, erasure: started.append(erasure))
    certificate = run_whole(runtime, identity, asked)
    assert certificate.before.rows["documents"] == DOCUMENTS
    assert certificate.before.objects == DOCUMENTS
    assert (set(certificate.after.rows.values()), certificate.after.objects) == ({0}, 0)


def test_maintenance_starts_what_nobody_is_at_and_nothing_else(
    runtime: Runtime, identity: Identity, owner_dsn: str, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, started = delete_knowledge_base(runtime, identity, base), list[tuple[UUID, UUID]]()
    monkeypatch.setattr(runtime, "start_erasure", lambda *which: started.append(which))
    assert (start_idle(runtime, owner_dsn), started) == (0, [])
    start_idle(runtime, owner_dsn, idle_s=0)
    assert (identity.organization_id, asked.id) in started
    run_whole(runtime, identity, asked)
    started.clear()
    start_idle(runtime, owner_dsn, idle_s=0)
    assert asked.id not in [erasure for _, erasure in started]


def test_two_requests_at_once_are_one_deletion(runtime: Runtime, identity: Identity, base: UUID) -> None:
    def ask(_: int) -> UUID | None:
        try:
            return delete_knowledge_base(runtime, identity, base).id
        except NotFound:
            return None

    with ThreadPoolExecutor(4) as at_once:
        asked = list(at_once.map(ask, range(4)))
    assert sum(one is not None for one in asked) == 1


def test_two_runs_at_once_make_one_certificate(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure_run, "DOCUMENTS", 1)
    asked = delete_knowledge_base(runtime, identity, base)
    with ThreadPoolExecutor(2) as at_once:
        list(at_once.map(lambda _: run_erasure(runtime, identity.organization_id, asked.id), range(2)))
    certificate = run_whole(runtime, identity, asked)
    assert certificate.before.rows["documents"] == DOCUMENTS
    with reading(runtime, identity) as connection:
        found = connection.execute("select certificate from erasure_certificates where subject_id = %s", (base,))
        assert [Certificate.model_validate(row["certificate"]) for row in found.fetchall()] == [certificate]


def test_an_organization_that_is_being_deleted_has_no_keys_and_is_deleted_once(
    postgres: EmbeddedPostgres, test_home: Path
) -> None:
    with elsewhere(postgres, test_home) as there:
        runtime, identity = there.runtime, there.identity
        runtime.start_erasure = by_nobody
        going = make_knowledge_base(runtime, identity, "goes by itself")
        make_knowledge_base(runtime, identity, "rules")
        key = create_key(runtime, identity, NewKey(name="k", scope="admin")).secret or ""
        assert identity_of_key(runtime, key, None) is not None
        first = delete_knowledge_base(runtime, identity, going)
        asked = erase_organization(runtime, identity, "kestrel")
        assert identity_of_key(runtime, key, None) is None
        assert list_knowledge_bases(runtime, identity) == []
        with pytest.raises(Conflict, match="already"):
            erase_organization(runtime, identity, "kestrel")
        certificate = run_whole(runtime, identity, asked)
        assert certificate.before.rows["knowledge_bases"] == 2
        assert not run_erasure(runtime, identity.organization_id, first.id)
        with pytest.raises(NotFound):
            get_erasure(runtime, first.id, first.ticket)
        assert not run_erasure(runtime, identity.organization_id, new_id())
