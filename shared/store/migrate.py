"""Numbered migrations, applied once each, in order, under an advisory lock, as the owner role."""

import hashlib
from dataclasses import dataclass
from importlib import resources

import psycopg

from shared.errors import Conflict

ADVISORY_LOCK = 0x4155545249  # "AUTRI"


class NewerSchema(Conflict):
    """The database has migrations of a newer program, which this one does not know."""


@dataclass(frozen=True)
class Migration:
    """One .sql file: its name and the hash of its text."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def load_migrations() -> list[Migration]:
    """All migrations, in the order of their numbers."""
    folder = resources.files("shared.store").joinpath("migrations")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [Migration(f.name, f.read_text(encoding="utf-8")) for f in files]


def migrate(owner_dsn: str) -> list[str]:
    """Applies missing migrations; returns their names.

    Raises Conflict when an applied file has changed since, NewerSchema when a newer program has applied others.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", (ADVISORY_LOCK,))
        _prepare_bookkeeping(connection)
        known = dict(connection.execute("select name, checksum from autri_meta.migrations").fetchall())
        _refuse_newer(set(known))
        return [m.name for m in load_migrations() if _apply(connection, m, known.get(m.name))]


def _refuse_newer(known: set[str]) -> None:
    """Raises NewerSchema: an older program would write rows that the newer schema's own program cannot read."""
    unknown = sorted(known - {migration.name for migration in load_migrations()})
    if unknown:
        raise NewerSchema(
            "The database was brought up to date by a newer program, or made before the first release: this program"
            f" does not know {', '.join(unknown)}."
            " Update the program, or use another AUTRI_HOME."
        )


def _prepare_bookkeeping(connection: psycopg.Connection) -> None:
    """Creates the table of applied migrations in a schema on which the application has no grants."""
    connection.execute("create schema if not exists autri_meta")
    connection.execute(
        "create table if not exists autri_meta.migrations"
        " (name text primary key, checksum text not null, applied_at timestamptz not null default now())"
    )


def _apply(connection: psycopg.Connection, migration: Migration, known_checksum: str | None) -> bool:
    if known_checksum == migration.checksum:
        return False
    if known_checksum is not None:
        raise Conflict(
            f"Migration {migration.name} was changed after it had been applied. Restore the file and add a new one."
        )
    with connection.transaction():
        connection.execute(migration.text.encode())
        connection.execute(
            "insert into autri_meta.migrations (name, checksum) values (%s, %s)", (migration.name, migration.checksum)
        )
    return True
