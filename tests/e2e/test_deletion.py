"""A document that is deleted while it is ingested: the run ends, and listing finds nothing of it, row or object."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from shared.contract import STAGES, STORED_PREFIXES
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import AutriError, NotFound
from shared.ingestion import register
from shared.ingestion.runner import Runner
from shared.ingestion.uploads import get_ingestion
from shared.library.documents import delete_document, list_documents
from shared.readers.formats import Format
from shared.runtime import Runtime
from tests.e2e.test_ingestion import small_pdf
from tests.e2e.test_protected_files import protected_pdf
from tests.e2e.test_runner import Submit, pool
from tests.erasing import erase_base
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, run_all, run_stage, scope_of, shards, upload

__all__ = ["pool"]
NAMES = [stage.name for stage in STAGES]
# What a knowledge base is, and what is kept of searches in it; neither is a document's.
NOT_OF_DOCUMENTS = {"knowledge_bases", "lexical_bases"}
# How often a stage and a deletion may miss the order in which they are to wait for each other.
MEETINGS = 4


@pytest.fixture
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, new_id().hex)


def tables_of(dsn: str) -> list[str]:
    """Every table with a knowledge base's id."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid"
            " where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace"
            " and a.attname = 'knowledge_base_id' order by 1"
        ).fetchall()
    return [row[0] for row in rows]


def rows_left(runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str) -> dict[str, int]:
    """Table → rows of the knowledge base; those that have any."""
    found: dict[str, int] = {}
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        for table in tables_of(owner_dsn):
            query = sql.SQL("select count(*) as n from {} where knowledge_base_id = %s").format(sql.Identifier(table))
            row = connection.execute(query, (base,)).fetchone()
            if row and row["n"]:
                found[table] = row["n"]
    return found


def objects_left(runtime: Runtime, identity: Identity, base: UUID) -> list[str]:
    places = (f"{prefix}{identity.organization_id}/{base}/" for prefix in STORED_PREFIXES)
    return [one.key for place in places for one in runtime.blobs.entries(place)]


def only_document(runtime: Runtime, identity: Identity, base: UUID) -> UUID:
    (document,) = list_documents(runtime, identity, base)
    return document.id


def assert_nothing_left(runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str) -> None:
    assert objects_left(runtime, identity, base) == []
    left = rows_left(runtime, identity, base, owner_dsn)
    assert {table: rows for table, rows in left.items() if table not in NOT_OF_DOCUMENTS} == {}


def straggle(runtime: Runtime, event: Mapping[str, Any], answer: Mapping[str, Any], plan: list[dict[str, Any]]) -> None:
    """Every stage once more, in order, as whoever did not hear of the deletion: each gives up by itself."""
    refused = run_stage(runtime, "register", event)
    assert refused["outcome"] == "refused"
    with pytest.raises(NotFound, match="deleted"):
        run_stage(runtime, "register", {k: v for k, v in answer.items() if k != "outcome"})
    for stage in STAGES[1:]:
        for work in plan if stage.mapped else [answer]:
            for isolated in (False, True) if stage.mapped else (False,):
                with pytest.raises(NotFound, match="deleted"):
                    run_stage(runtime, stage.name, {**work, "isolated": isolated} if isolated else work)


@pytest.mark.parametrize("behind", range(len(NAMES)), ids=lambda n: f"after {NAMES[n]}")
def test_after_a_deletion_between_stages_no_straggler_leaves_anything(
    runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str, behind: int
) -> None:
    event = upload(runtime, identity, base, small_pdf("deleted"))
    answer = run_all(runtime, event, until=NAMES[behind]) if behind else run_stage(runtime, "register", event)
    plan = shards(runtime, answer)
    assert "pages" in rows_left(runtime, identity, base, owner_dsn)
    assert len(objects_left(runtime, identity, base)) >= 3
    delete_document(runtime, identity, UUID(answer["document_id"]))
    assert_nothing_left(runtime, identity, base, owner_dsn)
    straggle(runtime, event, answer, plan)
    assert_nothing_left(runtime, identity, base, owner_dsn)


@pytest.mark.parametrize("opened", [True, False], ids=["after it was opened", "before"])
def test_a_second_try_of_register_does_not_bring_back_what_is_deleted_meanwhile(
    runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str, monkeypatch: pytest.MonkeyPatch, opened: bool
) -> None:
    event = upload(runtime, identity, base, small_pdf("twice"))
    document = UUID(run_stage(runtime, "register", event)["document_id"])
    inspect = register._inspect  # noqa: SLF001 the moment in which it takes longest

    def inspect_and_delete(form: Format, path: Path, password: str | None) -> Any:
        found = inspect(form, path, password) if opened else None
        delete_document(runtime, identity, document)
        return found or inspect(form, path, password)

    monkeypatch.setattr(register, "_inspect", inspect_and_delete)
    with pytest.raises(NotFound, match="deleted"):
        run_stage(runtime, "register", event)
    assert_nothing_left(runtime, identity, base, owner_dsn)


class DeletesAt:
    """A store that deletes the document right before its n-th write, which then comes too late."""

    def __init__(self, runtime: Runtime, identity: Identity, base: UUID, number: int) -> None:
        self._runtime, self._identity, self._base = runtime, identity, base
        self._left, self._blobs = number, runtime.blobs
        self.hit = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._blobs, name)

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        self._count()
        self._blobs.put(key, data, content_type)

    def put_file(self, key: str, path: Any) -> None:
        self._count()
        self._blobs.put_file(key, path)

    def _count(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.hit = True
            document = only_document(self._runtime, self._identity, self._base)
            delete_document(self._runtime, self._identity, document)


@pytest.mark.parametrize("protected", [False, True], ids=["open", "protected"])
def test_a_deletion_right_before_any_write_of_any_stage_leaves_nothing(
    runtime: Runtime, identity: Identity, owner_dsn: str, monkeypatch: pytest.MonkeyPatch, protected: bool
) -> None:
    blobs, number, ended = runtime.blobs, 0, list[str]()
    while True:
        number += 1
        base = make_knowledge_base(runtime, identity, new_id().hex)
        data = protected_pdf("write") if protected else small_pdf("write")
        event = upload(runtime, identity, base, data, password="hush-9241" if protected else None)
        store = DeletesAt(runtime, identity, base, number)
        monkeypatch.setattr(runtime, "blobs", store)
        try:
            run_all(runtime, event)
        except AutriError as error:
            ended.append(type(error).__name__)
        finally:
            monkeypatch.setattr(runtime, "blobs", blobs)
        if not store.hit:
            break
        assert_nothing_left(runtime, identity, base, owner_dsn)
        with pytest.raises(NotFound):
            get_ingestion(runtime, identity, UUID(event["upload_id"]))
    writes = number - 1
    # The plan and the outline; two of the page's image and two of its file, its operations; the profile; the open copy.
    assert writes == 2 + 3 * (2 + 2 + 1) + 1 + protected
    assert ended == ["NotFound"] * writes


@pytest.mark.parametrize("whole_base", [False, True], ids=["document", "knowledge base"])
def test_a_deletion_that_a_stage_gets_in_the_way_of_is_done_all_the_same(
    runtime: Runtime, identity: Identity, owner_dsn: str, whole_base: bool
) -> None:
    """A stage locks its run and then, by a foreign key, the parent; the deletion has locked the parent and wants the
    run. The deletion has waited longer, so it is the one that the database ends. Where this machine is so busy that the
    stage is ended instead, nothing is shown, and they meet once more."""
    for _ in range(MEETINGS):
        base = make_knowledge_base(runtime, identity, new_id().hex)
        in_the_way = delete_beside_a_stage(runtime, identity, base, owner_dsn, whole_base)
        if not whole_base:
            assert list_documents(runtime, identity, base) == []
        assert_nothing_left(runtime, identity, base, owner_dsn)
        if in_the_way:
            return
    pytest.fail("the stage was always ended before the deletion")


def delete_beside_a_stage(runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str, whole_base: bool) -> bool:
    """Whether it was the deletion that the database ended first; either way it is done."""
    answer = run_stage(runtime, "register", upload(runtime, identity, base, small_pdf("deadlock")))
    document, run = UUID(answer["document_id"]), UUID(answer["ingestion_id"])
    target, table = (base, "knowledge_bases") if whole_base else (document, "documents")
    parent = sql.SQL("select from {} where id = %s for key share").format(sql.Identifier(table))
    in_the_way = True
    with ThreadPoolExecutor(1) as other, runtime.database.transaction(scope_of(identity, base)) as stage:
        stage.execute("update ingestions set progress = progress where id = %s", (run,))
        delete: Callable[..., object] = erase_base if whole_base else delete_document
        deleting = other.submit(delete, runtime, identity, target)
        wait_until_somebody_waits(owner_dsn)
        try:
            # A knowledge base that is being deleted is hidden from its stages, which wait for nothing any more.
            assert stage.execute(parent, (target,)).rowcount == (0 if whole_base else 1)
            assert not deleting.done()
            stage.commit()
        except psycopg.errors.DeadlockDetected:
            stage.rollback()
            in_the_way = False
        deleting.result(timeout=PATIENCE_S)
    return in_the_way


def wait_until_somebody_waits(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        waiting = (
            "select from pg_locks where not granted"
            " and pid in (select pid from pg_stat_activity where datname = current_database())"
        )
        while connection.execute(waiting).fetchone() is None:
            time.sleep(0.01)


@pytest.mark.parametrize("whole_base", [False, True], ids=["document", "knowledge base"])
@pytest.mark.parametrize("during", NAMES)
def test_the_runner_ends_what_is_deleted_during_a_stage(
    runtime: Runtime, identity: Identity, base: UUID, owner_dsn: str, pool: Submit, during: str, whole_base: bool
) -> None:
    upload(runtime, identity, base, small_pdf("runner"))
    started: list[Future[dict[str, Any]]] = []
    deleted = threading.Event()

    def submit(stage: str, work: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        begun = pool(stage, {**work, "isolated": False} if "shard" in work else work)
        started.append(begun)
        if stage == during and not deleted.is_set():
            if stage == "register":
                begun.result()
            if whole_base:
                erase_base(runtime, identity, base)
            else:
                delete_document(runtime, identity, only_document(runtime, identity, base))
            deleted.set()
        return begun

    with Runner(runtime, submit, lambda: [scope_of(identity, base)], parallel=1) as runner:
        assert deleted.wait(PATIENCE_S)
        while runner.busy:
            time.sleep(0.05)
    assert wait(started, 60).not_done == set()
    assert_nothing_left(runtime, identity, base, owner_dsn)
