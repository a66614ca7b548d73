"""What the maintenance job reads as the owner role: which knowledge bases there are, and a lock that it runs once."""

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
def maintaining(owner_dsn: str) -> Generator[bool]:
    """Whether this is the only run; others are told so, and leave."""
    with connect_as_owner(owner_dsn) as connection:
        yield try_lock(connection, JOB_LOCK)


def try_lock(connection: psycopg.Connection[DictRow], key: int) -> bool:
    """Take a lock that lasts as long as the session, also where its statement outlives the client that sent it."""
    return bool((connection.execute(_SQL["lock"], {"key": key}).fetchone() or {})["locked"])


def list_bases(owner_dsn: str) -> list[dict[str, Any]]:
    """Every organization with each of its knowledge bases (null where it has none)."""
    with connect_as_owner(owner_dsn) as connection:
        return connection.execute(_SQL["bases"]).fetchall()
