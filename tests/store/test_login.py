"""The password changes while connections are made, in every order in which its two halves can happen."""

import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from shared.adapters.local.postgres import APPLICATION, SUPERUSER, EmbeddedPostgres
from shared.errors import StoreUnavailable
from shared.store.connect import Database
from shared.store.provision import let_application_log_in

CHANGES = 12


class Secret:
    """Text versions as Secrets Manager keeps them: the current one and the one before."""

    def __init__(self, *versions: str) -> None:
        self.versions = list(versions)
        self.readings = 0

    def read(self) -> list[str]:
        self.readings += 1
        return self.versions[:-3:-1]


@pytest.fixture(scope="module")
def demanding(postgres: EmbeddedPostgres) -> Iterator[EmbeddedPostgres]:
    """The server lets the application in by its password only."""
    rules = postgres.data / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all {APPLICATION} scram-sha-256\nhost all {APPLICATION} all scram-sha-256\n{before}")
    _reload(postgres)
    yield postgres
    rules.write_text(before)
    _reload(postgres)


def _reload(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.dsn(SUPERUSER), autocommit=True) as connection:
        connection.execute("select pg_reload_conf()")
    time.sleep(0.3)


@pytest.fixture
def application(demanding: EmbeddedPostgres, database_name: str, owner_dsn: str) -> str:
    """The application's address with its first password."""
    let_application_log_in(owner_dsn, "first")
    return make_conninfo(demanding.dsn(APPLICATION), dbname=database_name, password="first")


def test_no_request_fails_while_the_password_changes_again_and_again(application: str, owner_dsn: str) -> None:
    secret, ended = Secret("first"), threading.Event()
    answers: list[int] = []
    failures: list[Exception] = []

    def work() -> None:
        # A function's environment: its own pool, started anew for every request as a cold start does.
        while not ended.is_set():
            try:
                with Database(application, max_size=1, find_passwords=secret.read) as database:
                    for _ in range(2):
                        with database.unscoped() as connection:
                            answers.append(len(connection.execute("select 1").fetchall()))
            except Exception as error:  # noqa: BLE001 counted and shown
                failures.append(error)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for change in range(CHANGES):
        secret.versions.append(f"next-{change}")
        time.sleep(0.15)
        let_application_log_in(owner_dsn, f"next-{change}")
        time.sleep(0.15)
    ended.set()
    for worker in workers:
        worker.join()
    assert failures == []
    assert len(answers) > 3 * CHANGES
    assert secret.readings > CHANGES


def test_a_pool_that_outlives_two_changes_connects_again(application: str, owner_dsn: str) -> None:
    secret = Secret("first")
    with Database(application, max_size=1, find_passwords=secret.read) as database:
        database.check()
        assert secret.readings == 0
        for password in ("second", "third"):
            secret.versions.append(password)
            let_application_log_in(owner_dsn, password)
            _end_connections(owner_dsn)
            database.check()
        _end_connections(owner_dsn)
        database.check()
        assert secret.readings == 2, "what worked last is tried first"


def test_a_change_that_stopped_half_way_is_no_outage(application: str, owner_dsn: str) -> None:
    """The secret has the next password, and nobody has given it to the role."""
    with Database(application, max_size=1, find_passwords=Secret("first", "second").read) as database:
        database.check()
    let_application_log_in(owner_dsn, "changed-by-hand")
    with (
        Database(application, max_size=1, find_passwords=Secret("changed-by-hand", "second").read) as database,
    ):
        database.check()


def test_without_a_password_that_is_right_the_database_does_not_answer(
    application: str, owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.store.connect.CONNECT_TIMEOUT_S", 2)
    let_application_log_in(owner_dsn, "another")
    with (
        Database(application, max_size=1, find_passwords=Secret("first", "second").read) as database,
        pytest.raises(StoreUnavailable),
    ):
        database.check()


def _end_connections(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn, user=SUPERUSER, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = %s", (APPLICATION,)
        )
