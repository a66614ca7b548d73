"""Connections to Postgres: one small pool per process, and transactions that carry a scope."""

from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import psycopg
from pgvector.psycopg import register_vector
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from shared.domain.scope import Scope
from shared.errors import Unavailable
from shared.store.clock import TimedCursor

Connection = psycopg.Connection[DictRow]

# Below HTTP API's 30 s; Aurora takes about 15 s to resume from zero.
CONNECT_TIMEOUT_S = 20


class Database:
    """A pool of connections as the application role.

    Generic plans skip partial indexes under policies, so statements are never prepared on the server
    (docs/decisions/0002).
    """

    def __init__(self, dsn: str, max_size: int = 4) -> None:
        self._pool = ConnectionPool(
            dsn,
            min_size=0,
            max_size=max_size,
            open=False,
            connection_class=psycopg.Connection[DictRow],
            check=_check,
            kwargs={
                "row_factory": dict_row,
                "cursor_factory": TimedCursor,
                "prepare_threshold": None,
                "connect_timeout": CONNECT_TIMEOUT_S,
            },
            configure=register_vector,
            timeout=CONNECT_TIMEOUT_S,
            name="autri",
        )
        self._pool.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def unscoped(self) -> Generator[Connection]:
        """A transaction without a scope: every tenant table is empty in it. For resolving an identity."""
        try:
            with self._pool.connection() as connection:
                yield connection
        except psycopg.OperationalError as error:
            reason = _passing(error)
            if reason is None:
                raise
            raise Unavailable(reason) from error

    @contextmanager
    def transaction(self, scope: Scope, *, snapshot: bool = False) -> Generator[Connection]:
        """A transaction that sees exactly `scope`. Commits at the end, rolls back on an error.

        With `snapshot` all its statements see the same state, whatever others commit meanwhile.
        """
        with self.unscoped() as connection:
            if snapshot:
                connection.execute("set transaction isolation level repeatable read")
            set_scope(connection, scope)
            yield connection


def _check(connection: Connection) -> None:
    """A database that went to sleep closes its connections; one that is dead is replaced before it is handed out."""
    ConnectionPool[psycopg.Connection[Any]].check_connection(connection)


def _passing(error: psycopg.OperationalError) -> str | None:
    """What to tell of an error that is over when one tries again; None for one that is about the statement.

    Without a state: no connection was had, or it broke. Classes: 08 connection, 57P shutdown and start, 40 rollback.
    """
    state = error.sqlstate
    if state is None or state.startswith(("08", "57P")) or state == "53300":
        return "The database does not answer. Try again in a few seconds."
    if state.startswith("40"):
        return "The same data was changed by somebody else at the same time. Try again."
    return None


def set_scope(connection: Connection, scope: Scope) -> None:
    """Set the scope for the rest of the open transaction, and no longer."""
    settings: dict[str, Any] = {
        "organization": str(scope.organization_id),
        "user": str(scope.user_id or ""),
        "kb_ids": "{" + ",".join(str(i) for i in scope.knowledge_base_ids) + "}",
    }
    connection.execute(
        "select set_config('app.organization_id', %(organization)s, true),"
        " set_config('app.user_id', %(user)s, true), set_config('app.kb_ids', %(kb_ids)s, true)",
        settings,
    )
