from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from shared.adapters.local.cores import count_cores
from shared.adapters.local.memory import usable_memory
from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres, buffers_mb, index_helpers
from shared.domain.scope import Identity, Scope
from shared.errors import Unavailable
from shared.runtime import Runtime
from shared.store.migrate import migrate
from tests.store.seeding import add_base


def test_a_server_stops_with_the_last_of_its_users_and_keeps_its_data(test_home: Path) -> None:
    folder = test_home / "a folder & more" / "postgres"
    with EmbeddedPostgres(folder) as first:
        with EmbeddedPostgres(folder) as second, psycopg.connect(second.dsn(SUPERUSER)) as connection:
            connection.execute("create table kept (n int)")
            pages = connection.execute("select setting::int from pg_settings where name = 'shared_buffers'").fetchone()
            assert pages == (buffers_mb(usable_memory()) * 128,)
            helpers = connection.execute("show max_parallel_maintenance_workers").fetchone()
            assert helpers == (str(index_helpers(count_cores())),)
        with psycopg.connect(first.dsn(SUPERUSER)) as connection:
            assert connection.execute("select count(*) from kept").fetchone() == (0,)
    assert not (folder / "postmaster.pid").exists()
    # What is asked for stands before what the machine would have.
    own = EmbeddedPostgres(folder, {"shared_buffers": "16MB"})
    with own as again, psycopg.connect(again.dsn(SUPERUSER)) as connection:
        assert connection.execute("select count(*) from kept").fetchone() == (0,)
        assert connection.execute("show shared_buffers").fetchone() == ("16MB",)


@pytest.mark.parametrize(("cores", "helpers"), [(1, 0), (2, 0), (4, 1), (6, 2), (64, 2)])
def test_half_of_the_cores_build_no_index(cores: int, helpers: int) -> None:
    assert index_helpers(cores) == helpers


def test_a_server_that_cannot_start_says_where_its_data_is(test_home: Path) -> None:
    folder = test_home / "broken" / "postgres"
    with EmbeddedPostgres(folder):
        pass
    (folder / "postgresql.conf").write_text("nonsense = on\n")
    with pytest.raises(Unavailable, match="nothing was deleted"), EmbeddedPostgres(folder):
        pass


def test_migrations_are_applied_once(owner_dsn: str) -> None:
    assert migrate(owner_dsn) == []


def change_after_another(runtime: Runtime, scope: Scope) -> None:
    change = "update knowledge_bases set name = 'Raced'"
    with runtime.database.transaction(scope, snapshot=True) as late:
        late.execute("select 1 from knowledge_bases")
        with runtime.database.transaction(scope) as first:
            first.execute(change)
        late.execute(change)


def use_a_connection_that_breaks(runtime: Runtime, owner_dsn: str) -> None:
    with runtime.database.unscoped() as connection:
        with psycopg.connect(owner_dsn) as owner:
            owner.execute("select pg_terminate_backend(%s)", (connection.info.backend_pid,))
        connection.execute("select 1")


def execute(runtime: Runtime, scope: Scope, statement: LiteralString) -> None:
    with runtime.database.transaction(scope) as connection:
        connection.execute(statement)


def test_who_loses_to_a_change_at_the_same_time_is_told_to_try_again(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "raced")
    with pytest.raises(Unavailable, match="changed by somebody else"):
        change_after_another(runtime, scope)


def test_a_connection_that_breaks_is_a_database_that_does_not_answer(runtime: Runtime, owner_dsn: str) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        use_a_connection_that_breaks(runtime, owner_dsn)


@pytest.mark.parametrize(
    ("error", "statement"),
    [
        (psycopg.errors.QueryCanceled, "set local statement_timeout = 20; select pg_sleep(9)"),
        (psycopg.errors.ProgramLimitExceeded, "select lexical_reading('{1}', '{1:1}/9', 20001)"),
    ],
)
def test_what_is_wrong_with_a_statement_is_not_called_a_database_that_does_not_answer(
    runtime: Runtime, identity: Identity, error: type[psycopg.Error], statement: LiteralString
) -> None:
    scope = add_base(runtime, identity, error.__name__.lower())
    with pytest.raises(error):
        execute(runtime, scope, statement)
