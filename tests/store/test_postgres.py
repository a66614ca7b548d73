from pathlib import Path

import psycopg
import pytest

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.errors import Unavailable
from shared.store.migrate import migrate


def test_a_server_stops_with_the_last_of_its_users_and_keeps_its_data(test_home: Path) -> None:
    folder = test_home / "a folder & more" / "postgres"
    with EmbeddedPostgres(folder) as first:
        with EmbeddedPostgres(folder) as second, psycopg.connect(second.dsn(SUPERUSER)) as connection:
            connection.execute("create table kept (n int)")
        with psycopg.connect(first.dsn(SUPERUSER)) as connection:
            assert connection.execute("select count(*) from kept").fetchone() == (0,)
    assert not (folder / "postmaster.pid").exists()
    with EmbeddedPostgres(folder) as again, psycopg.connect(again.dsn(SUPERUSER)) as connection:
        assert connection.execute("select count(*) from kept").fetchone() == (0,)


def test_a_server_that_cannot_start_says_where_its_data_is(test_home: Path) -> None:
    folder = test_home / "broken" / "postgres"
    with EmbeddedPostgres(folder):
        pass
    (folder / "postgresql.conf").write_text("nonsense = on\n")
    with pytest.raises(Unavailable, match="nothing was deleted"), EmbeddedPostgres(folder):
        pass


def test_migrations_are_applied_once(owner_dsn: str) -> None:
    assert migrate(owner_dsn) == []
