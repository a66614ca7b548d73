"""What the maintenance job reads as the owner role: which knowledge bases there are, and locks that it runs once."""

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
    """A connection that alone holds the lock `key`; None where another has it, who comes second leaves.

    The lock lasts as long as the session, also where a statement outlives the client that sent it. It is given back
    explicitly: a session that was closed takes a moment to end, and whoever comes next would find it locked.
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
    """Every organization with each of its knowledge bases (null where it has none)."""
    with connect_as_owner(owner_dsn) as connection:
        return connection.execute(_SQL["bases"]).fetchall()
