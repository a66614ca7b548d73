"""Connections of a pool: what a transaction says of itself, what a server keeps, what a person is told."""

import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row

from shared.access import reading
from shared.adapters.local import cores
from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.errors import Contended, DatabaseAway, StorageFull, StoreUnavailable
from shared.filters.facets.count import count_facets
from shared.filters.selection import Filters, select_chunks
from shared.runtime import Runtime
from shared.store import connect
from shared.store.connect import NO_ANSWER, Connection, Database, Row, together, undone
from shared.store.knowledge_bases import known_knowledge_bases
from shared.store.upsert import json_rows
from tests.patience import PATIENCE_S
from tests.store.seeding import add_base

SETTINGS = ("app.organization_id", "app.user_id", "app.kb_ids")
# psycopg prepares a statement that it has run five times.
OFTEN = 12


def said(connection: Connection) -> list[str]:
    statement = "select current_setting(s, true) as said from unnest(%s::text[]) s"
    rows = connection.execute(statement, [list(SETTINGS)]).fetchall()
    return [one["said"] or "" for one in rows]


@pytest.fixture
def database(postgres: EmbeddedPostgres, database_name: str) -> Database:
    return Database(postgres.dsn(database=database_name), max_size=1)


@pytest.mark.parametrize("user", [None, uuid4()])
@pytest.mark.parametrize("bases", [(), (uuid4(),), (uuid4(), uuid4())])
def test_a_transaction_says_whose_it_is_and_the_next_one_nothing(
    database: Database, user: UUID | None, bases: tuple[UUID, ...]
) -> None:
    organization = new_id()
    scope = Scope(organization_id=organization, user_id=user, knowledge_base_ids=bases)
    with database:
        with database.transaction(scope) as connection:
            pid = connection.info.backend_pid
            listed = ",".join(str(base) for base in bases)
            assert said(connection) == [str(organization), str(user) if user else "", f"{{{listed}}}"]
        with database.unscoped() as connection:
            assert connection.info.backend_pid == pid
            assert said(connection) == ["", "", ""]


def test_an_organization_is_opened_for_one_transaction_only(
    database: Database, runtime: Runtime, identity: Identity
) -> None:
    base = add_base(runtime, identity, f"opened-{new_id().hex}").knowledge_base_ids[0]
    with database:
        with reading(replace(runtime, database=database), identity) as connection:
            pid = connection.info.backend_pid
            assert str(base) in said(connection)[2]
        with database.unscoped() as connection:
            assert connection.info.backend_pid == pid
            assert said(connection) == ["", "", ""]


def test_a_statement_alone_is_committed_at_once_and_the_next_transaction_is_whole_again(database: Database) -> None:
    with database:
        with database.alone() as connection:
            connection.execute("select set_config('app.kb_ids', '{}', true)")
            assert connection.info.transaction_status == TransactionStatus.IDLE
            assert said(connection)[2] == ""
        with pytest.raises(psycopg.errors.DivisionByZero), database.alone() as connection:
            connection.execute("select 1 / 0")
        with database.transaction(Scope(organization_id=new_id())) as connection:
            assert connection.info.transaction_status == TransactionStatus.INTRANS


def test_a_snapshot_is_of_its_own_transaction_and_not_of_the_next_one_on_its_connection(database: Database) -> None:
    scope = Scope(organization_id=new_id())
    levels: list[str] = []
    with database:
        for snapshot in (False, True, True, False):
            with database.transaction(scope, snapshot=snapshot) as connection:
                levels.append(
                    (connection.execute("show transaction_isolation").fetchone() or {})["transaction_isolation"]
                )
        with database.transaction(scope, snapshot=True):
            pass
        with database.unscoped() as connection:
            levels.append((connection.execute("show transaction_isolation").fetchone() or {})["transaction_isolation"])
    assert levels == ["read committed", "repeatable read", "repeatable read", "read committed", "read committed"]


@pytest.mark.parametrize("depth", [1, 199, 201, 900])
def test_json_of_any_depth_that_is_stored_is_read(database: Database, depth: int) -> None:
    text = "[" * depth + '"é\\u20ac", 1e2, 12345678901234567890' + "]" * depth
    with database, database.unscoped() as connection:
        found = connection.execute("select %s::json as plain, %s::jsonb as binary", [text, text]).fetchone()
    assert found is not None
    for value in found.values():
        for _ in range(depth - 1):
            (value,) = value
        assert value == ["é€", 100.0, 12345678901234567890]


@pytest.mark.parametrize("ids", [[], [UUID(int=0), UUID(int=1), UUID(int=2**128 - 1), uuid4()]])
def test_ids_of_a_list_are_read_as_they_were_sent(database: Database, ids: list[UUID]) -> None:
    with database, database.unscoped() as connection:
        assert connection.execute("select %s::uuid[] as ids", [ids]).fetchone() == {"ids": ids}


@pytest.fixture
def twins(postgres: EmbeddedPostgres, database_name: str) -> Generator[Database]:
    """With both its connections open: a twin does not wait until one is made."""
    with Database(postgres.dsn(database=database_name), max_size=1, twins=1) as database:
        with database.unscoped(), database.unscoped():
            pass
        yield database


def slugs(connection: Connection) -> set[str]:
    return {row["slug"] for row in connection.execute("select slug from knowledge_bases")}


def test_a_twin_sees_what_its_transaction_sees_and_nothing_later(
    twins: Database, runtime: Runtime, identity: Identity
) -> None:
    before, after = f"before-{new_id().hex}", f"after-{new_id().hex}"
    add_base(runtime, identity, before)
    scope = identity.scope(new_id(), new_id())
    with twins.transaction(scope, snapshot=True) as connection:
        assert before in slugs(connection)
        add_base(runtime, identity, after)
        with twins.twin(connection) as twin:
            assert twin is not None
            assert twin.info.backend_pid != connection.info.backend_pid
            assert said(twin) == said(connection)
            assert slugs(twin) == slugs(connection)
            assert after not in slugs(twin)
    with twins.transaction(scope) as connection:
        assert after in slugs(connection)


def test_a_twin_acts_for_the_same_key(twins: Database) -> None:
    scope = Scope(organization_id=new_id(), user_id=new_id(), key_id=(key := new_id()))
    with twins.transaction(scope, snapshot=True) as connection, twins.twin(connection) as twin:
        assert twin is not None
        assert twin.execute("select current_setting('app.key_id') as key").fetchone() == {"key": str(key)}


def test_a_twin_is_had_once_at_a_time_and_waits_for_no_connection(twins: Database) -> None:
    scope = Scope(organization_id=new_id())
    for _ in range(2):
        with twins.transaction(scope, snapshot=True) as connection, twins.twin(connection) as first:
            assert first is not None
            with twins.twin(connection) as second:
                assert second is None
    with twins.transaction(scope, snapshot=True) as one, twins.transaction(scope), twins.twin(one) as twin:
        assert twin is None
    with twins.transaction(scope, snapshot=True) as connection, twins.twin(connection) as twin:
        assert twin is not None


def test_a_database_has_no_twins_unless_it_is_said(database: Database) -> None:
    scope = Scope(organization_id=new_id())
    with database, database.transaction(scope, snapshot=True) as connection, database.twin(connection) as twin:
        assert twin is None


@pytest.mark.parametrize("count", [1, 3])
def test_one_machine_has_a_twin_for_each_core_but_one(
    postgres: EmbeddedPostgres, database_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(cores, "count_cores", lambda: count)
    local = local_runtime(postgres.dsn(database=database_name), tmp_path).database
    with local, ExitStack() as stack:
        with ExitStack() as opened:
            for _ in range(4):
                opened.enter_context(local.unscoped())
        connection = stack.enter_context(local.transaction(Scope(organization_id=new_id()), snapshot=True))
        had = [stack.enter_context(local.twin(connection)) is not None for _ in range(3)]
    assert had == [count > 1, count > 2, False]


def test_a_twin_leaves_nothing_behind_but_its_plans(twins: Database, identity: Identity) -> None:
    kept: list[bool] = []
    for failing in (False, False, True, False):
        with (
            suppress(psycopg.errors.DivisionByZero),
            twins.transaction(identity.scope(), snapshot=True) as connection,
            twins.twin(connection) as twin,
        ):
            assert twin is not None
            kept.append(bool(prepared(connection)) and bool(prepared(twin)))
            for _ in range(OFTEN):
                known_knowledge_bases(twin, [new_id()])
            for _ in range(OFTEN):
                known_knowledge_bases(connection, [new_id()])
            twin.execute("select 1 / %s", [0 if failing else 1])
    assert kept == [False, True, True, False], "an error alone forgets plans"
    with twins.unscoped() as one, twins.unscoped() as other:
        for connection in (one, other):
            assert said(connection) == ["", "", ""]
            assert not connection.autocommit


def test_statements_at_once_are_scoped_committed_and_one_round_trip(database: Database, tmp_path: Path) -> None:
    scope = Scope(organization_id=new_id())
    with database, (tmp_path / "trace").open("w+") as trace:
        with database.unscoped() as connection:
            connection.pgconn.trace(trace.fileno())
        with database.at_once(scope) as connection:
            first = connection.execute("select current_setting('app.organization_id') as said")
            second = connection.execute("select set_config('app.probe', 'kept', false)")
        connection.pgconn.untrace()
        assert [first.fetchone(), second.fetchone()] == [{"said": str(scope.organization_id)}, {"set_config": "kept"}]
        trace.seek(0)
        sent = [line.split("\t")[1] for line in trace]
        assert [direction for direction, _ in groupby(sent)] == ["F", "B"]
        with database.unscoped() as connection:
            assert said(connection) == ["", "", ""]
            assert connection.execute("show app.probe").fetchone() == {"app.probe": "kept"}


def test_statements_at_once_of_which_one_fails_change_nothing_and_leave_the_connection_usable(
    database: Database,
) -> None:
    with database:
        scope = Scope(organization_id=new_id())
        with pytest.raises(psycopg.errors.DivisionByZero), database.at_once(scope) as connection:
            connection.execute("select set_config('app.probe', 'kept', false), 1 / 0")
        with database.unscoped() as connection:
            kept = connection.execute("select current_setting('app.probe', true) as kept").fetchone()
            assert kept is not None
            assert not kept["kept"]


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_transaction_begins_with_its_scope_in_one_round_trip(
    database: Database, tmp_path: Path, snapshot: bool
) -> None:
    scope = Scope(organization_id=new_id())
    isolation = "repeatable read" if snapshot else "read committed"
    with database, (tmp_path / "trace").open("w+") as trace:
        with database.unscoped() as connection:
            connection.pgconn.trace(trace.fileno())
        with database.transaction(scope, snapshot=snapshot) as connection:
            assert connection.info.transaction_status == TransactionStatus.INTRANS
            connection.pgconn.untrace()
            assert connection.execute("show transaction_isolation").fetchone() == {"transaction_isolation": isolation}
        trace.seek(0)
        sent = [line.split("\t")[1] for line in trace]
        assert [direction for direction, _ in groupby(sent)] == ["F", "B"]


@pytest.mark.parametrize("failing", [False, True])
def test_a_transaction_is_kept_whole_or_not_at_all(database: Database, *, failing: bool) -> None:
    with database:
        with suppress(ZeroDivisionError), database.transaction(Scope(organization_id=new_id())) as connection:
            connection.execute("select set_config('app.probe', 'kept', false)")
            if failing:
                raise ZeroDivisionError
        with database.unscoped() as connection:
            assert connection.info.transaction_status == TransactionStatus.IDLE
            kept = connection.execute("select coalesce(current_setting('app.probe', true), '') as kept").fetchone()
            assert kept == {"kept": "" if failing else "kept"}
            assert connection.info.transaction_status == TransactionStatus.INTRANS


def test_an_error_in_a_transaction_whose_connection_broke_is_raised_as_it_is(
    database: Database, owner: Connection
) -> None:
    scope = Scope(organization_id=new_id())

    def fail() -> None:
        with database.transaction(scope) as connection:
            owner.execute("select pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])
            raise ZeroDivisionError

    with database:
        with pytest.raises(ZeroDivisionError):
            fail()
        with database.transaction(scope) as connection:
            assert connection.execute("select 1 as one").fetchall() == [{"one": 1}]


def test_what_fails_while_a_scope_is_opened_is_raised_and_leaves_the_connection_usable(database: Database) -> None:
    with database:
        with pytest.raises(psycopg.errors.DivisionByZero), database.unscoped() as connection, together(connection):
            connection.execute("select 1 / 0")
        with database.transaction(Scope(organization_id=new_id())) as connection:
            assert connection.execute("select 1 as one").fetchall() == [{"one": 1}]


def test_a_connection_just_used_is_not_tested_and_one_that_rested_is(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[Connection] = []
    monkeypatch.setattr(connect.ConnectionPool, "check_connection", tested.append)
    with database:
        for _ in range(3):
            with database.unscoped() as connection:
                connection.execute("select 1")
        assert len(tested) <= 1
        monkeypatch.setattr(connect, "FRESH_S", 0.0)
        with database.unscoped() as connection:
            assert tested[-1] is connection


def prepared(connection: Connection) -> dict[str, int]:
    """How often each statement that the server keeps was run by a plan that is kept, too."""
    rows = connection.execute("select statement, generic_plans from pg_prepared_statements").fetchall()
    return {row["statement"]: row["generic_plans"] for row in rows}


def test_a_statement_that_is_not_planned_once_is_never_kept_on_the_server(database: Database) -> None:
    with database, database.unscoped() as connection:
        for _ in range(OFTEN):
            connection.execute("select count(*) from organizations where id = %s", [new_id()])
            known_knowledge_bases(connection, [new_id()])
            connection.cursor().executemany("select count(*) from organizations where id = %s", [[new_id()]])
        (kept,) = prepared(connection)
        assert "knowledge_bases" in kept


def test_a_plan_that_is_kept_shows_each_scope_its_own_rows(
    database: Database, runtime: Runtime, identity: Identity
) -> None:
    bases = [add_base(runtime, identity, f"planned-{new_id().hex}").knowledge_base_ids[0] for _ in range(2)]
    others = identity.model_copy(update={"organization_id": new_id()})
    with database:
        for scope, seen in ((identity.scope(*bases), set(bases)), (others.scope(*bases), set[UUID]())) * 2:
            for _ in range(OFTEN):
                with database.transaction(scope) as connection:
                    assert known_knowledge_bases(connection, bases) == seen
        with database.unscoped() as connection:
            (runs,) = prepared(connection).values()
    assert runs > OFTEN


def test_a_statement_that_is_planned_once_is_kept_only_where_it_is_sent_often(
    database: Database, identity: Identity
) -> None:
    with database, database.transaction(identity.scope()) as connection:
        known_knowledge_bases(connection, [new_id()])
        assert prepared(connection) == {}


@pytest.fixture
def owner(postgres: EmbeddedPostgres, database_name: str) -> Generator[Connection]:
    dsn = postgres.dsn(SUPERUSER, database_name)
    with psycopg.Connection[DictRow].connect(dsn, autocommit=True, row_factory=dict_row) as connection:
        connection.execute("create table kept (n int)")
        connection.execute("grant select on kept to public")
        yield connection
        connection.execute("drop table kept")


@pytest.mark.parametrize("opened", [Database.at_once, Database.transaction, lambda database, _: database.alone()])
@pytest.mark.parametrize(
    ("times", "break_it", "mend_it"),
    [
        (OFTEN, "alter table kept alter n type bigint", "select"),
        (connect.PREPARED_AFTER, "alter table kept rename to away", "alter table away rename to kept"),
    ],
)
def test_a_statement_that_could_not_be_kept_or_no_longer_fails_once(
    database: Database,
    owner: Connection,
    monkeypatch: pytest.MonkeyPatch,
    opened: Callable[[Database, Scope], AbstractContextManager[Connection]],
    times: int,
    break_it: LiteralString,
    mend_it: LiteralString,
) -> None:
    scope, reading = Scope(organization_id=new_id()), "select n from kept"
    monkeypatch.setattr(connect, "is_planned_once", reading.__eq__)

    def read() -> list[Row]:
        with opened(database, scope) as connection:
            cursor = connection.execute(reading)
        return cursor.fetchall()

    with database:
        for _ in range(times):
            read()
        owner.execute(break_it)
        with pytest.raises(psycopg.Error):
            read()
        owner.execute(mend_it)
        for _ in range(OFTEN):
            assert read() == []


@pytest.mark.parametrize("failing", [False, True])
def test_what_is_undone_is_put_back_and_plans_are_kept(database: Database, identity: Identity, failing: bool) -> None:
    with database, database.transaction(identity.scope()) as connection:
        for _ in range(OFTEN):
            known_knowledge_bases(connection, [new_id()])
        for _ in range(2):
            with suppress(psycopg.errors.DivisionByZero), undone(connection):
                connection.execute("set local enable_sort to off")
                connection.execute("select 1 / %s", [0 if failing else 1])
            assert connection.execute("show enable_sort").fetchone() == {"enable_sort": "on"}
        assert prepared(connection)
        with pytest.raises(psycopg.errors.InvalidSavepointSpecification):
            connection.execute("release savepoint undone")


def test_facets_forget_no_plan(database: Database, identity: Identity) -> None:
    with database, database.transaction(identity.scope()) as connection:
        for _ in range(OFTEN):
            known_knowledge_bases(connection, [new_id()])
        count_facets(connection, select_chunks(connection, Filters()), None, None)
        assert prepared(connection)


def test_a_pool_that_is_closed_has_no_connection_left_and_gives_none(database: Database, owner_dsn: str) -> None:
    with database, database.unscoped() as connection:
        pid = connection.info.backend_pid
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        until = time.monotonic() + PATIENCE_S
        while owner.execute("select from pg_stat_activity where pid = %s", [pid]).fetchone():
            assert time.monotonic() < until, "the connection is still there"
            time.sleep(0.02)
    with pytest.raises(StoreUnavailable), database.unscoped():
        pass


def test_a_connection_that_died_while_nobody_used_it_is_replaced_before_it_is_handed_out(
    postgres: EmbeddedPostgres, database: Database, database_name: str
) -> None:
    with database:
        with database.unscoped() as connection:
            pid = connection.info.backend_pid
        with psycopg.connect(postgres.dsn(SUPERUSER, database_name), autocommit=True) as other:
            assert other.execute("select pg_terminate_backend(%s, 10000)", [pid]).fetchone() == (True,)
        with database.unscoped() as connection:
            assert connection.info.backend_pid != pid


def test_there_are_connections_enough_for_twenty_processes_at_once(
    postgres: EmbeddedPostgres, database_name: str
) -> None:
    pids = set[int]()
    with ExitStack() as stack:
        for _ in range(20):
            process = stack.enter_context(Database(postgres.dsn(database=database_name)))
            held = [stack.enter_context(process.unscoped()) for _ in range(4)]
            pids |= {connection.info.backend_pid for connection in held}
        assert len(pids) == 20 * 4


def test_what_a_pool_says_of_each_try_stands_on_nobodys_terminal() -> None:
    program = (
        "from shared.store import connect\n"
        "connect.CONNECT_TIMEOUT_S = 2\n"
        "with connect.Database('host=127.0.0.1 port=1 dbname=none') as nowhere:\n"
        "    try:\n"
        "        nowhere.unscoped().__enter__()\n"
        "    except connect.StoreUnavailable as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert (done.stdout, done.stderr) == (f"{NO_ANSWER}\n", "")


@pytest.mark.parametrize(
    ("describe", "error", "told"),
    [
        (lambda: None, DatabaseAway, NO_ANSWER),
        (lambda: "The disk of /data is full.", StorageFull, "The disk of /data is full."),
    ],
)
def test_who_gets_no_connection_is_told_so_before_a_gateway_gives_up(
    monkeypatch: pytest.MonkeyPatch,
    describe: Callable[[], str | None],
    error: type[StoreUnavailable],
    told: str,
) -> None:
    monkeypatch.setattr(connect, "CONNECT_TIMEOUT_S", 1)
    begun = time.monotonic()
    with (
        Database("host=127.0.0.1 port=1 dbname=none", describe_full=describe) as nowhere,
        pytest.raises(StoreUnavailable) as raised,
        nowhere.unscoped(),
    ):
        pass
    assert (type(raised.value), str(raised.value)) == (error, told)
    assert time.monotonic() - begun < 20


def test_who_waits_for_a_database_on_a_full_disk_is_told_so_at_once() -> None:
    """It does not come back while somebody waits; every request would hold a thread for as long as the usual time."""
    begun = time.monotonic()
    with (
        Database("host=127.0.0.1 port=1 dbname=none", describe_full=lambda: "It is full.") as nowhere,
        pytest.raises(StorageFull),
        nowhere.unscoped(),
    ):
        pass
    assert time.monotonic() - begun < connect.CONNECT_TIMEOUT_S / 2


def test_a_database_that_was_away_is_back_for_those_who_wait_before_a_pool_would_try_by_itself(
    postgres: EmbeddedPostgres, database_name: str, tmp_path: Path
) -> None:
    """By itself it would after 1, 3, 7 and 15 seconds, or after the third not at all."""
    socket = tmp_path / "socket"
    dsn = make_conninfo(postgres.dsn(database=database_name), host=str(socket))
    with Database(dsn) as away, ThreadPoolExecutor(1) as waiting:
        heard = waiting.submit(away.check)
        time.sleep(7.5)
        assert not heard.done()
        socket.symlink_to(postgres.socket_dir)
        begun = time.monotonic()
        heard.result()
        assert time.monotonic() - begun < 6


AGAIN = "at the same time. Try again."


@pytest.mark.parametrize(
    ("state", "error", "told"),
    [
        ("08006", DatabaseAway, NO_ANSWER),
        ("53300", DatabaseAway, NO_ANSWER),
        ("57P01", DatabaseAway, NO_ANSWER),
        ("58030", DatabaseAway, NO_ANSWER),
        ("40001", Contended, AGAIN),
        ("40P01", Contended, AGAIN),
        ("53100", StorageFull, "The disk of the database is full."),
        ("53200", psycopg.errors.OutOfMemory, "said by the server"),
        ("57014", psycopg.errors.QueryCanceled, "said by the server"),
    ],
)
def test_what_passes_is_told_apart_from_what_a_statement_is_to_blame_for(
    database: Database, state: str, error: type[Exception], told: str
) -> None:
    with database, pytest.raises(Exception, match=told) as raised, database.unscoped():
        raise psycopg.errors.lookup(state)("said by the server")
    assert type(raised.value) is error


@pytest.mark.parametrize(("lost", "tries"), [(0, 1), (4, 5), (5, 5)])
def test_a_transaction_that_loses_is_tried_five_times_and_no_other_error_is(lost: int, tries: int) -> None:
    made = list[int]()

    def act(name: str, *, other: bool = False) -> str:
        made.append(1)
        if other:
            raise StoreUnavailable(NO_ANSWER)
        if len(made) <= lost:
            raise Contended(AGAIN)
        return name

    trying = connect.tried_again(act)
    if lost < tries:
        assert trying("done") == "done"
    else:
        with pytest.raises(Contended, match=AGAIN):
            trying("done")
    assert len(made) == tries
    made.clear()
    with pytest.raises(StoreUnavailable, match=NO_ANSWER):
        trying("done", other=True)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (
            "text",
            [
                "",
                "NULL",
                "null",
                " a ",
                'say "no"',
                "C:\\x",
                "{1,2}",
                "a,b",
                "\u3000\u2003",
                "line\nline",
                "ポンプ",
                "'",
            ],
        ),
        ("text", ["one", None, "two"]),
        ("uuid", [UUID(int=1), uuid4()]),
        ("int4", [0, -1, 2**31 - 1]),
        ("int8", [-(2**63), 2**40]),
        ("bool", [True, False]),
        ("float8", [0.5, -1e300]),
        ("text", []),
    ],
)
def test_lists_arrive_as_they_were_sent(database: Database, kind: str, sent: list[object]) -> None:
    query = sql.SQL("select %(sent)s::{kind}[] as whole, %(sent)s::{kind}[] = %(sent)s as same")
    with database, database.unscoped() as connection:
        row = connection.execute(query.format(kind=sql.Identifier(kind)), {"sent": sent}).fetchone()
    assert row == {"whole": sent, "same": True}


def test_a_text_with_a_null_character_is_refused_in_a_list_too(database: Database) -> None:
    with database, database.unscoped() as connection, pytest.raises(psycopg.DataError, match="NUL"):
        connection.execute("select %s::text[]", (["a", "b\0c"],))


def test_a_row_with_what_is_no_number_is_refused_and_not_stored_as_nothing(database: Database) -> None:
    read = "select * from json_to_recordset(%s) r (id uuid, x float8)"
    with database, database.unscoped() as connection:
        one = {"id": uuid4(), "x": 0.1 + 0.2}
        assert connection.execute(read, (json_rows([one]),)).fetchall() == [one]
        with pytest.raises(psycopg.DataError, match="NaN"):
            connection.execute(read, (json_rows([{"x": float("nan")}]),))
