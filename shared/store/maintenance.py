"""Database access of the maintenance job, as the owner role: the list of knowledge bases, and locks against concurrent
runs."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.rows import DictRow, dict_row

from shared.store.named_queries import load_queries

_SQL = load_queries("maintenance")
JOB_LOCK: Final = 0x4155545230
INDEX_LOCK: Final = 0x4155545231


def connect_as_owner(owner_dsn: str) -> psycopg.Connection[DictRow]:
    return psycopg.Connection[DictRow].connect(owner_dsn, autocommit=True, row_factory=dict_row)


@contextmanager
def locked(owner_dsn: str, key: int) -> Generator[psycopg.Connection[DictRow] | None]:
    """Yields a connection that holds the advisory lock `key`, or None where another session holds it.

    The lock lasts as long as the session, also where a statement outlives the client that sent it. It is released
    explicitly: a closed session takes a moment to end, and the next run would find the lock taken.
    """
    with connect_as_owner(owner_dsn) as connection:
        if not (connection.execute(_SQL["lock"], {"key": key}).fetchone() or {})["locked"]:
            yield None
            return
        try:
            yield connection
        finally:
            if not connection.closed:
                connection.execute(_SQL["unlock"], {"key": key})


def list_bases(owner_dsn: str) -> list[dict[str, Any]]:
    """Every organization with each of its knowledge bases (null for an organization without any)."""
    with connect_as_owner(owner_dsn) as connection:
        return connection.execute(_SQL["bases"]).fetchall()
