"""Versions before a migration go on serving after it: it only adds, or says since when nobody needs what it takes."""

from collections.abc import Iterator

import psycopg
import pytest

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.domain.ids import new_id
from shared.store.migrate import apply, load_migrations, prepare_bookkeeping
from tests.store.contracts import read_catalogue, taken_away

# The last migration of the first release: nothing was deployed before it.
FIRST_RELEASE = "0008_audit.sql"
# New rules that bind no row of a program before them, by migration and a part of what they say, and why.
HARMLESS = {
    ("0010_joining.sql", "(act = 'sign_in.succeed'::text)"): "no program before it notes that act",
    ("0039_restored_summaries.sql", "'restored'::text"): "it allows one reason more than the rule that it replaces",
}

TAKES = {
    "alter table documents drop column name": "documents.name is gone",
    "alter table documents rename column name to title": "documents.name is gone",
    "alter table gold_questions rename to questions": "gold_questions.id is gone",
    "drop table eval_runs": "eval_runs.id is gone",
    "alter table organizations alter column slug type char(9)": "organizations.slug was text and is character(9)",
    "alter table users alter column invited_at set not null": "users.invited_at must be given now",
    "alter table users alter column name drop default": "users.name must be given now",
    "alter table users add column team text not null": "users.team is new and must be given",
    "drop function forget_traces()": "forget_traces() is gone",
    "revoke execute on function forget_traces() from autri_app": "forget_traces() may not be called any more",
    "revoke delete on documents from autri_app": "delete on documents is no longer granted",
    "revoke update (role) on users from autri_app": "update on users.role is no longer granted",
    "alter table users add constraint short check (name <> '-')": "users has a new rule: CHECK ((name <> '-'::text))",
    "create unique index one_name on users (name)": "users has a new rule: unique USING btree (name)",
}
ADDS = (
    "create table notes (id uuid primary key, text text not null)",
    "alter table users add column team text",
    "alter table users add column team text not null default ''",
    "alter table users add column team text check (team <> '')",
    "alter table users alter column email drop not null",
    "alter table users drop constraint users_role_check",
    "drop index users_by_address",
    "create index another on users (name)",
    "create function half(whole integer) returns integer language sql return whole / 2",
    "grant update (email) on users to autri_app",
)


@pytest.fixture(scope="module")
def migrated(postgres: EmbeddedPostgres) -> Iterator[psycopg.Connection]:
    """The schema of the first release."""
    name = f"t_{new_id().hex}"
    postgres.create_database(name)
    with psycopg.connect(postgres.dsn(OWNER, name), autocommit=True) as connection:
        prepare_bookkeeping(connection)
        for migration in load_migrations():
            if migration.name <= FIRST_RELEASE:
                apply(connection, migration, None)
        yield connection


def missing_after(connection: psycopg.Connection, text: str) -> list[str]:
    with connection.transaction(force_rollback=True):
        before = read_catalogue(connection)
        connection.execute(text.encode())
        return taken_away(before, read_catalogue(connection))


@pytest.mark.parametrize(("text", "missed"), TAKES.items(), ids=list(TAKES))
def test_what_a_migration_takes_is_seen(migrated: psycopg.Connection, text: str, missed: str) -> None:
    assert missed in missing_after(migrated, text)


@pytest.mark.parametrize("text", ADDS)
def test_what_it_adds_is_no_loss(migrated: psycopg.Connection, text: str) -> None:
    assert missing_after(migrated, text) == []


def test_every_migration_since_the_first_release_only_adds_or_is_marked_as_a_contract(
    migrated: psycopg.Connection,
) -> None:
    later = [migration for migration in load_migrations() if migration.name > FIRST_RELEASE]
    for migration in later:
        before = read_catalogue(migrated)
        apply(migrated, migration, None)
        known = [part for name, part in HARMLESS if name == migration.name]
        taken = taken_away(before, read_catalogue(migrated))
        missed = [one for one in taken if not any(part in one for part in known)]
        assert not missed or migration.compatible_from, (
            f"{migration.name} takes from versions that still serve while it runs: {'; '.join(missed)}. Only add, and"
            " take away in a later release, with `-- contract: NNNN`, the migration since which no program"
            " needs it."
        )


def test_a_contract_names_a_migration_that_is_there_and_older_than_itself() -> None:
    names = [migration.name for migration in load_migrations()]
    for migration in load_migrations():
        since = migration.compatible_from
        assert since is None or any(name[:4] == since < migration.name[:4] for name in names), migration.name
