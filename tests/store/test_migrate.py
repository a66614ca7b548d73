import psycopg
import pytest

from shared.errors import Conflict
from shared.store.migrate import load_migrations, migrate


def test_an_older_program_refuses_a_newer_schema_and_says_what_to_do(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("insert into autri_meta.migrations (name, checksum) values ('9999_later.sql', 'x')")
    with pytest.raises(Conflict, match=r"9999_later\.sql.*Update the program.*AUTRI_HOME"):
        migrate(owner_dsn)
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("delete from autri_meta.migrations where name = '9999_later.sql'")
    assert migrate(owner_dsn) == []


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(owner_dsn: str) -> None:
    name = load_migrations()[0].name
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update autri_meta.migrations set checksum = 'other' where name = %s", (name,))
    with pytest.raises(Conflict, match=name):
        migrate(owner_dsn)
