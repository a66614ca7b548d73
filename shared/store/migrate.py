"""Numbered migrations, applied once each, in order, under an advisory lock, as the owner role."""

import hashlib
import logging
import re
from dataclasses import dataclass
from importlib import resources

import psycopg

from shared.errors import Conflict

ADVISORY_LOCK = 0x4155545249  # "AUTRI"
# `-- contract: 0012` in a file that takes something away: programs that know migration 0012 no longer need it.
_CONTRACT = re.compile(r"^-- contract: (\d{4})\b", re.MULTILINE)

logger = logging.getLogger("autri.migrate")


class NewerSchema(Conflict):
    """The database has migrations of a newer program, and one of them took away what this one needs."""


@dataclass(frozen=True)
class Migration:
    """One .sql file: its name and the hash of its text."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def compatible_from(self) -> str | None:
        """The number of the migration that a program must know to work with the schema after this one; None where
        every program that worked before still does (docs/decisions/0038-upgrades.md)."""
        marked = _CONTRACT.search(self.text)
        return marked[1] if marked else None


def load_migrations() -> list[Migration]:
    """All migrations, in the order of their numbers."""
    folder = resources.files("shared.store").joinpath("migrations")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [Migration(f.name, f.read_text(encoding="utf-8")) for f in files]


def newest() -> str:
    """The name of the last migration that this program knows."""
    return load_migrations()[-1].name


def migrate(owner_dsn: str) -> list[str]:
    """Applies missing migrations; returns their names. A newer schema that this program can still work with stays.

    Raises Conflict when an applied file has changed since, NewerSchema when a newer program has taken away what this
    one needs.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        prepare_bookkeeping(connection)
        rows = connection.execute("select name, checksum, compatible_from from autri_meta.migrations").fetchall()
        _refuse_newer({name: since for name, _, since in rows})
        known = {name: checksum for name, checksum, _ in rows}
        return [m.name for m in load_migrations() if apply(connection, m, known.get(m.name))]


def schema_version(owner_dsn: str) -> str:
    """The name of the newest migration that the database has."""
    with psycopg.connect(owner_dsn) as connection:
        row = connection.execute("select max(name) from autri_meta.migrations").fetchone()
    return str(row[0]) if row else ""


def _refuse_newer(applied: dict[str, str | None]) -> None:
    """Raises NewerSchema where a migration that this program does not know is not newer than all that it knows, or
    asks for a newer program: this one would read or write what is no longer there."""
    unknown = sorted(applied.keys() - {migration.name for migration in load_migrations()})
    last = newest()
    refused = [name for name in unknown if name < last or (applied[name] or "") > last]
    if refused:
        raise NewerSchema(
            "The database was brought up to date by a newer program, or made before the first release: this program"
            f" does not know {', '.join(refused)}, and cannot work with what it changed."
            " Update the program, or use another AUTRI_HOME."
        )
    if unknown:
        logger.warning("the schema is newer than this program, which works with it: %s", ", ".join(unknown))


def prepare_bookkeeping(connection: psycopg.Connection) -> None:
    """Creates the table of applied migrations in a schema on which the application has no grants."""
    connection.execute("create schema if not exists autri_meta")
    connection.execute(
        "create table if not exists autri_meta.migrations"
        " (name text primary key, checksum text not null, applied_at timestamptz not null default now())"
    )
    # Later than the first release: what `Migration.compatible_from` says.
    connection.execute("alter table autri_meta.migrations add column if not exists compatible_from text")


def apply(connection: psycopg.Connection, migration: Migration, known_checksum: str | None) -> bool:
    """Applies one migration and notes it; False where it was applied before. Raises Conflict where it has changed."""
    if known_checksum == migration.checksum:
        return False
    if known_checksum is not None:
        raise Conflict(
            f"Migration {migration.name} was changed after it had been applied. Restore the file and add a new one."
        )
    with connection.transaction():
        connection.execute(migration.text.encode())
        connection.execute(
            "insert into autri_meta.migrations (name, checksum, compatible_from) values (%s, %s, %s)",
            (migration.name, migration.checksum, migration.compatible_from),
        )
    return True
