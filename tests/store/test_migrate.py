from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from functions import migrate as function
from shared.errors import Conflict
from shared.store.migrate import Migration, NewerSchema, apply, load_migrations, migrate, schema_version


@contextmanager
def applied_later(owner_dsn: str, name: str, compatible_from: str | None) -> Generator[None]:
    """As if a newer program had applied this one."""
    insert = "insert into autri_meta.migrations (name, checksum, compatible_from) values (%s, 'x', %s)"
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        connection.execute(insert, (name, compatible_from))
        yield
        connection.execute("delete from autri_meta.migrations where name = %s", (name,))


def last_number() -> str:
    return load_migrations()[-1].name[:4]


def test_an_older_program_works_with_a_newer_schema_that_took_nothing_from_it(
    owner_dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    with applied_later(owner_dsn, "9999_later.sql", None):
        assert migrate(owner_dsn) == []
        assert schema_version(owner_dsn) == "9999_later.sql"
    with applied_later(owner_dsn, "9999_later.sql", last_number()):
        assert migrate(owner_dsn) == []
    assert caplog.text.count("9999_later.sql") == 2


@pytest.mark.parametrize(("name", "compatible_from"), [("9999_later.sql", "9998"), ("0001_of_old.sql", None)])
def test_an_older_program_refuses_a_schema_that_it_cannot_work_with_and_says_what_to_do(
    owner_dsn: str, name: str, compatible_from: str | None
) -> None:
    refused = pytest.raises(NewerSchema, match=rf"{name}.*Update the program.*AUTRI_HOME")
    with applied_later(owner_dsn, name, compatible_from), refused:
        migrate(owner_dsn)
    assert migrate(owner_dsn) == []


def test_what_a_contract_says_is_kept_with_the_schema(owner_dsn: str) -> None:
    contract = Migration("9999_later.sql", "-- Gone.\n-- contract: 0008\nselect 1;")
    assert contract.compatible_from == "0008"
    assert Migration("9999_later.sql", "select 1 -- contract: 0008").compatible_from is None
    with psycopg.connect(owner_dsn) as connection, connection.transaction(force_rollback=True):
        assert apply(connection, contract, None)
        read = "select compatible_from from autri_meta.migrations where name = '9999_later.sql'"
        assert connection.execute(read).fetchone() == ("0008",)


OWNER = {"slug": "local", "organization": "Local", "owner_email": "ada@kestrel.example"}


@pytest.fixture
def logins(owner_dsn: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The application's secret, version by version; the migrate function reads the last one and appends others."""
    versions = [{"password": "first", "username": "autri_app"}]
    monkeypatch.setattr(function, "owner_dsn", lambda: owner_dsn)
    monkeypatch.setattr(function, "application_login", lambda: versions[-1])
    monkeypatch.setattr(function, "store_application_login", versions.append)
    return versions


def test_a_deployment_says_which_schema_the_database_has_now_and_deleting_does_nothing(
    owner_dsn: str, logins: list[dict[str, Any]]
) -> None:
    event = {"RequestType": "Create", "ResourceProperties": OWNER | {"password_generation": "1"}}
    assert function.handler(event, None)["Data"] == {"Applied": "", "Schema": load_migrations()[-1].name}
    with applied_later(owner_dsn, "9999_later.sql", None):
        assert function.handler(event, None)["Data"]["Schema"] == "9999_later.sql"
    with applied_later(owner_dsn, "9999_later.sql", "9998"):
        with pytest.raises(NewerSchema):
            function.handler(event, None)
        gone = {"RequestType": "Delete", "PhysicalResourceId": "migrations", "ResourceProperties": {}}
        assert function.handler(gone, None) == {"PhysicalResourceId": "migrations"}
    assert len(logins) == 1


def test_who_operates_is_what_the_deployment_says_and_stays_where_a_call_does_not_say_it(
    owner_dsn: str, logins: list[dict[str, Any]]
) -> None:
    def operates_after(**said: str) -> bool:
        function.handler({"RequestType": "Create", "ResourceProperties": OWNER | said}, None)
        with psycopg.connect(owner_dsn) as connection:
            row = connection.execute("select operates from organizations where slug = %s", (OWNER["slug"],)).fetchone()
        return bool(row and row[0])

    assert operates_after(operates="true")
    assert operates_after()
    assert not operates_after(operates="false")
    assert not operates_after()
    assert operates_after(operates="true")
    assert len(logins) == 1


def test_another_generation_is_one_new_password_however_often_it_is_asked_for(
    owner_dsn: str, logins: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    monkeypatch.setattr(function, "let_application_log_in", lambda _, password: given.append(password))
    for generation in ("1", "2", "2", "1"):
        function.handler(
            {"RequestType": "Create", "ResourceProperties": OWNER | {"password_generation": generation}}, None
        )
    assert [login["password"] for login in logins] == list(dict.fromkeys(given))
    assert given[0] == "first"
    assert given[1] == given[2] == given[3] != "first"
    assert len(given[1]) == 48
    assert logins[-1] == {"password": given[1], "username": "autri_app", "generation": 2}


def test_a_migration_that_was_changed_after_it_was_applied_is_refused(owner_dsn: str) -> None:
    name = load_migrations()[0].name
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("update autri_meta.migrations set checksum = 'other' where name = %s", (name,))
    with pytest.raises(Conflict, match=name):
        migrate(owner_dsn)
