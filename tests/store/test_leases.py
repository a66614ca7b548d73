"""Who may run an ingestion, and for how long: the store's word, row by row."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from shared.contract import PASSWORD_MISSING
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import LeaseLost, NotFound
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.connect import Connection
from shared.store.idempotency import ABANDONED_AFTER_S, KEEP_HOURS, StoredAnswer, claim, complete, release
from shared.store.ingestions import LEASE_S, Lease
from tests.store.seeding import Passage, add_base, add_document

ME, OTHER = "me/1", "other/2"


@pytest.fixture
def scope(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Scope:
    return add_base(runtime, identity, request.node.name[-60:])


@pytest.fixture
def connection(runtime: Runtime, scope: Scope) -> Iterator[Connection]:
    with runtime.database.transaction(scope) as opened:
        yield opened


def add(connection: Connection, scope: Scope, status: str, owner: str | None = None, left: float = 0) -> UUID:
    """An ingestion of this status, whose lease (if anybody has it) lasts for `left` seconds more."""
    row: dict[str, Any] = {
        "organization_id": scope.organization_id,
        "knowledge_base_id": scope.knowledge_base_ids[0],
        "id": new_id(),
        "document_id": None,
        "source_key": "incoming/x/source",
        "filename": "a.pdf",
        "engine": "layout",
        "status": status,
    }
    ingestions.insert_ingestion(connection, row)
    until = timedelta(seconds=left) if owner else None
    connection.execute(
        "update ingestions set lease_owner = %s, lease_until = now() + %s where id = %s", (owner, until, row["id"])
    )
    return row["id"]


def state(connection: Connection, ingestion: UUID) -> tuple[str, str | None, int, float | None]:
    """Status, owner, attempts, and how many seconds the lease lasts."""
    row = connection.execute(
        "select status, lease_owner, attempts, extract(epoch from lease_until - now())::float8 as left"
        " from ingestions where id = %s",
        (ingestion,),
    ).fetchone()
    assert row is not None
    return row["status"], row["lease_owner"], row["attempts"], row["left"]


@pytest.mark.parametrize(
    ("status", "owner", "left", "dead", "taken"),
    [
        ("queued", None, 0, [], True),
        ("running", OTHER, -1, [], True),
        ("running", OTHER, 1, [], False),
        ("running", OTHER, LEASE_S, [], False),
        ("running", OTHER, LEASE_S, [OTHER], True),
        ("running", OTHER, LEASE_S, ["another/3"], False),
        ("running", None, -1, [], False),
        ("waiting", None, 0, [], False),
        ("ready", OTHER, -1, [OTHER], False),
        ("ready_with_errors", OTHER, -1, [OTHER], False),
        ("refused", OTHER, -1, [OTHER], False),
        ("failed", OTHER, -1, [OTHER], False),
    ],
)
def test_what_nobody_runs_is_taken_and_nothing_else(
    connection: Connection, scope: Scope, status: str, owner: str | None, left: float, dead: list[str], taken: bool
) -> None:
    ingestion = add(connection, scope, status, owner, left)
    before = state(connection, ingestion)
    assert ingestions.claim(connection, ME, dead, [ingestion]) is None
    assert state(connection, ingestion) == before
    lease = ingestions.claim(connection, ME, dead, [])
    if taken:
        ids = (ingestion, scope.organization_id, scope.knowledge_base_ids[0])
        assert lease == Lease(*ids, None, "incoming/x/source", takeovers=int(status == "running"))
        assert state(connection, ingestion) == ("running", ME, 1, LEASE_S)
        assert ingestions.claim(connection, OTHER, [], []) is None
    else:
        assert lease is None
        assert state(connection, ingestion) == before


def test_the_oldest_goes_first_and_each_is_taken_once(connection: Connection, scope: Scope) -> None:
    made = [add(connection, scope, "queued") for _ in range(3)]
    for age, ingestion in enumerate((made[1], made[2], made[0])):
        connection.execute(
            "update ingestions set created_at = now() + make_interval(secs => %s) where id = %s", (age, ingestion)
        )
    taken = [ingestions.claim(connection, ME, [], []) for _ in range(4)]
    assert [lease.id if lease else None for lease in taken] == [made[1], made[2], made[0], None]


def test_two_that_look_at_once_take_different_ones(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        made = {add(connection, scope, "queued") for _ in range(2)}
    with runtime.database.transaction(scope) as one, runtime.database.transaction(scope) as two:
        two.execute("set local lock_timeout = '2s'")
        taken = [ingestions.claim(c, owner, [], []) for c, owner in ((one, ME), (two, OTHER), (two, OTHER))]
    assert {lease.id for lease in taken[:2] if lease} == made
    assert taken[2] is None


def test_a_lease_is_renewed_by_its_owner_while_it_runs_and_by_nobody_else(connection: Connection, scope: Scope) -> None:
    mine, lost, done = (add(connection, scope, *row) for row in (
        ("running", ME, 3.0), ("running", OTHER, 3.0), ("ready", ME, 3.0)
    ))  # fmt: skip
    assert [ingestions.renew(connection, one, ME) for one in (mine, lost, done)] == [True, False, False]
    assert [state(connection, one)[3] for one in (mine, lost, done)] == [LEASE_S, 3, 3]
    assert sorted(ingestions.lease_owners(connection)) == [ME, OTHER]


def test_the_end_of_a_run_gives_its_lease_up(connection: Connection, scope: Scope) -> None:
    ended, going = (add(connection, scope, "running", ME, 5) for _ in range(2))
    ingestions.finish(connection, ended, "failed", error="why")
    assert state(connection, ended) == ("failed", None, 0, None)
    assert state(connection, going) == ("running", ME, 0, 5)
    row = ingestions.find_ingestion(connection, ended)
    assert row is not None
    assert (row["error"], row["finished_at"] is not None) == ("why", True)


def test_all_that_is_told_of_an_ingestion(connection: Connection, scope: Scope) -> None:
    ingestion, other = (add(connection, scope, "running") for _ in range(2))
    ingestions.set_stage(connection, ingestion, "register", "done", 1.5)
    for age, one in ((100, ingestion), (200, other)):
        connection.execute(
            "update ingestions set created_at = now() - make_interval(secs => %s), page_count = 4 where id = %s",
            (age, one),
        )
    for page, seconds, error in ((1, 0.5, None), (2, 0.25, "broke"), (3, 0.125, "broke")):
        ingestions.record_page(connection, scope, ingestion, "render", page, seconds, error)
    ingestions.record_page(connection, scope, ingestion, "render", 3, 1.0, None)
    told, of_other = ingestions.read_ingestions(connection, knowledge_base_id=scope.knowledge_base_ids[0])
    assert (told.id, of_other.id) == (ingestion, other)
    assert ingestions.read_ingestions(connection, other) == [of_other]
    assert ingestions.read_ingestions(connection, knowledge_base_id=new_id()) == []
    stages = {stage.name: stage for stage in told.stages}
    assert (stages["register"].status, stages["register"].seconds) == ("done", 1.5)
    render = stages["render"]
    assert (render.status, render.pages_done, render.pages_total, render.pages_failed) == ("running", 2, 4, [2])
    assert render.seconds == 1.75
    # What is left is told by the time that passed: another run that is 80 s younger is told less.
    assert told.eta_seconds is not None
    assert of_other.eta_seconds is None
    ends = (told.status, told.error, told.needs_password, told.duplicate, told.finished_at)
    assert ends == ("running", None, False, False, None)
    assert (told.filename, told.engine, told.pages, told.cost_usd) == ("a.pdf", "layout", 4, 0)
    assert told.knowledge_base_id == scope.knowledge_base_ids[0]
    ingestions.finish(connection, ingestion, "failed", error=PASSWORD_MISSING)
    (ended,) = ingestions.read_ingestions(connection, ingestion)
    assert (ended.status, ended.error, ended.needs_password) == ("failed", PASSWORD_MISSING, True)
    assert (ended.eta_seconds, ended.finished_at is not None) == (None, True)
    assert ended.finished_at == ended.created_at + timedelta(seconds=100)


def test_an_ingestion_that_follows_another_is_not_failed_by_itself(connection: Connection, scope: Scope) -> None:
    ingestion, follower = (add(connection, scope, "running") for _ in range(2))
    connection.execute("update ingestions set duplicate = true where id = %s", (follower,))
    assert not ingestions.fail(connection, follower, "broke")
    assert ingestions.fail(connection, ingestion, "broke")
    assert [state(connection, one)[0] for one in (ingestion, follower)] == ["failed", "running"]


def test_a_run_that_is_gone_with_its_document_is_told_so(connection: Connection) -> None:
    for write in (
        lambda: ingestions.finish(connection, new_id(), "ready"),
        lambda: ingestions.start_running(connection, new_id(), new_id(), 1),
    ):
        with pytest.raises(NotFound, match="was deleted while it was ingested"):
            write()


@pytest.mark.parametrize("status", ["waiting", "queued", "running", "ready", "failed"])
def test_an_upload_is_queued_when_its_bytes_arrive_and_only_then(
    connection: Connection, scope: Scope, status: str
) -> None:
    arrived, other = add(connection, scope, status), add(connection, scope, "waiting")
    assert ingestions.queue(connection, arrived) is (status == "waiting")
    assert state(connection, arrived)[0] == ("queued" if status == "waiting" else status)
    assert state(connection, other)[0] == "waiting"


def test_pages_are_left_that_neither_left_the_stage_nor_failed_before_it(connection: Connection, scope: Scope) -> None:
    ingestion, other = (add(connection, scope, "running") for _ in range(2))
    recorded = [
        (ingestion, "parse", 1, None), (ingestion, "render", 2, None), (ingestion, "render", 3, "broke"),
        (ingestion, "parse", 4, "broke"), (other, "parse", 5, None), (ingestion, "parse", 9, None),
    ]  # fmt: skip
    for owner, stage, page, error in recorded:
        ingestions.record_page(connection, scope, owner, stage, page, 0.1, error)
    assert ingestions.pages_left(connection, ingestion, "parse", range(1, 7)) == [2, 4, 5, 6]
    assert ingestions.failed_pages(connection, ingestion) == {3: "render: broke", 4: "parse: broke"}
    ingestions.record_page(connection, scope, ingestion, "parse", 4, 0.1, None)
    assert ingestions.failed_pages(connection, ingestion) == {3: "render: broke"}


def test_only_the_run_that_a_document_names_may_write_it(
    runtime: Runtime, connection: Connection, scope: Scope
) -> None:
    document, other = (add_document(runtime, scope, name, [Passage("x")]) for name in ("One", "Two"))
    first, second, third = (add(connection, scope, "running") for _ in range(3))
    for of, run in ((document, first), (other, third)):
        connection.execute("update documents set run_id = %s where id = %s", (run, of))
    ingestions.check_run(connection, document, first)
    ingestions.check_run(connection, other, third)
    for run in (second, third):
        with pytest.raises(LeaseLost):
            ingestions.check_run(connection, document, run)
    with pytest.raises(NotFound):
        ingestions.check_run(connection, new_id(), first)


@pytest.fixture
def keys(runtime: Runtime, identity: Identity) -> Iterator[Connection]:
    with runtime.database.transaction(Scope(organization_id=identity.organization_id)) as opened:
        yield opened
        opened.rollback()


def age_keys(connection: Connection, seconds: float) -> None:
    connection.execute("update idempotency_keys set created_at = now() - make_interval(secs => %s)", (seconds,))


@pytest.mark.parametrize(
    ("request_hash", "age", "answered", "free"),
    [
        ("same", ABANDONED_AFTER_S + 1, False, True),
        ("same", ABANDONED_AFTER_S - 5, False, False),
        ("other", ABANDONED_AFTER_S + 1, False, False),
        ("same", ABANDONED_AFTER_S + 1, True, False),
        ("other", KEEP_HOURS * 3600 + 60, True, True),
        ("other", KEEP_HOURS * 3600 - 60, True, False),
    ],
)
def test_a_key_is_free_again_when_its_request_was_given_up_or_its_answer_is_old(
    keys: Connection, identity: Identity, request_hash: str, age: float, answered: bool, free: bool
) -> None:
    assert claim(keys, identity, "key", "same") is None
    if answered:
        complete(keys, identity, "key", 201, {"the": "answer"})
    age_keys(keys, age)
    held = claim(keys, identity, "key", request_hash)
    kept = StoredAnswer("same", 201, {"the": "answer"}) if answered else StoredAnswer("same", None, None)
    assert held == (None if free else kept)


def test_keys_of_repeated_requests_are_their_users_own(keys: Connection, identity: Identity, viewer: Identity) -> None:
    for who in (identity, viewer):
        assert claim(keys, who, "key", who.role) is None
    complete(keys, identity, "key", 201, {"whose": "the owner's"})
    release(keys, identity, "key")
    assert claim(keys, viewer, "key", "viewer") == StoredAnswer("viewer", None, None)
    assert claim(keys, identity, "key", "owner") == StoredAnswer("owner", 201, {"whose": "the owner's"})
    complete(keys, viewer, "key", 200, {"whose": "the viewer's"})
    assert claim(keys, identity, "key", "owner") == StoredAnswer("owner", 201, {"whose": "the owner's"})
    age_keys(keys, KEEP_HOURS * 3600 + 60)
    assert claim(keys, viewer, "another", "viewer") is None
    rows = keys.execute("select user_id, key from idempotency_keys").fetchall()
    assert {(row["user_id"], row["key"]) for row in rows} == {
        (identity.user_id, "key"),
        (viewer.user_id, "another"),
    }


def test_a_key_whose_request_failed_is_free_at_once(keys: Connection, identity: Identity) -> None:
    assert claim(keys, identity, "key", "one") is None
    release(keys, identity, "key")
    assert claim(keys, identity, "key", "another") is None


def test_a_run_that_fails_late_leaves_the_document_to_the_run_that_has_it_now(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Rules", [Passage("A rule")])
    with runtime.database.transaction(scope) as connection:
        earlier, now = (add(connection, scope, "running") for _ in range(2))
        connection.execute("update ingestions set document_id = %s where id = any (%s)", (document, [earlier, now]))
        connection.execute("update documents set status = 'running', run_id = %s where id = %s", (now, document))
        for run, expected in ((earlier, ("running", None)), (now, ("failed", "late"))):
            assert ingestions.fail(connection, run, "late")
            row = connection.execute("select status, error from documents where id = %s", (document,)).fetchone()
            assert row is not None
            assert (row["status"], row["error"]) == expected
