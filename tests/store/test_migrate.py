import psycopg
import pytest

from functions import migrate as function
from shared.errors import Conflict
from shared.store.migrate import NewerSchema, load_migrations, migrate


def test_an_older_program_refuses_a_newer_schema_and_says_what_to_do(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("insert into autri_meta.migrations (name, checksum) values ('9999_later.sql', 'x')")
    with pytest.raises(Conflict, match=r"9999_later\.sql.*Update the program.*AUTRI_HOME"):
        migrate(owner_dsn)
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("delete from autri_meta.migrations where name = '9999_later.sql'")
    assert migrate(owner_dsn) == []


def test_a_rollback_of_a_deployment_leaves_the_newer_schema_and_still_sets_the_password(
    owner_dsn: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logins: list[tuple[str, str]] = []
    monkeypatch.setattr(function, "owner_dsn", lambda: owner_dsn)
    monkeypatch.setattr(function, "application_password", lambda: "former")
    monkeypatch.setattr(function, "let_application_log_in", lambda *given: logins.append(given))
    owner = {"slug": "local", "organization": "Local", "owner_email": "ada@kestrel.example"}
    event = {"RequestType": "Update", "PhysicalResourceId": "migrations", "ResourceProperties": owner}
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("insert into autri_meta.migrations (name, checksum) values ('9999_later.sql', 'x')")
        known = connection.execute("select * from autri_meta.migrations order by name").fetchall()
    assert function.handler(event, None)["Data"] == {"Applied": ""}
    assert logins == [(owner_dsn, "former")]
    assert "9999_later.sql" in caplog.text
    with psycopg.connect(owner_dsn) as connection:
        assert connection.execute("select * from autri_meta.migrations order by name").fetchall() == known
    with pytest.raises(NewerSchema):
        function.handler({**event, "RequestType": "Create"}, None)
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("delete from autri_meta.migrations where name = '9999_later.sql'")


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(owner_dsn: str) -> None:
    name = load_migrations()[0].name
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update autri_meta.migrations set checksum = 'other' where name = %s", (name,))
    with pytest.raises(Conflict, match=name):
        migrate(owner_dsn)
