"""Connections to Postgres: one small pool per process, transactions that are restricted to a scope, and how long a
thread has waited for the database."""

import json
import logging
import random
import select
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from types import TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.abc import Buffer
from psycopg.rows import DictRow, dict_row
from psycopg.types.array import ListDumper
from psycopg.types.json import set_json_loads
from psycopg_pool import ConnectionPool
from pydantic_core import from_json

from shared.domain.scope import Scope
from shared.errors import Contended, DatabaseAway, StorageFull, StoreUnavailable
from shared.store.login import FindPasswords, connections_renewed_by
from shared.store.named_queries import is_planned_once, name_of
from shared.tracing import span

Connection = psycopg.Connection[DictRow]
# A result row, or a query's parameters: values by column or parameter name.
Row = dict[str, Any]

# Below HTTP API's 30 s; Aurora takes about 15 s to resume from zero.
CONNECT_TIMEOUT_S = 20
# A connection is handed out untested where it was used within this time and the server has said nothing on it since.
FRESH_S = 1.0
DISK_FULL = "53100"
BEGIN: Final = "begin"
BEGIN_SNAPSHOT: Final = "begin isolation level repeatable read"
SET_SCOPE: Final = (
    "select set_config('app.organization_id', %(organization)s, true), set_config('app.user_id', %(user)s, true),"
    " set_config('app.key_id', %(key)s, true), set_config('app.kb_ids', %(kb_ids)s, true)"
)
# What another transaction needs to see the same.
AS_SEEN: Final = (
    "select pg_export_snapshot() as snapshot, current_setting('app.organization_id') as organization,"
    " current_setting('app.user_id') as user, current_setting('app.key_id') as key,"
    " current_setting('app.kb_ids') as kb_ids"
)
# A server that a full disk has stopped does not come back while anybody waits.
FULL_TIMEOUT_S = 2
# Tries to connect anew are a second apart, then two, then begin again: a pool by itself would double the pause for five
# minutes, and come back as late as the database was away.
RECONNECT_S = 3
# Preparing takes a round trip. The server then plans five times more before it keeps a plan, and keeps none that it
# expects to be worse than those for the values.
PREPARED_AFTER = 5
# How often a transaction is tried that loses against others, and the longest pause behind the first try.
TRIES = 5
PAUSE_S = 0.1
# A twin that is not to be had at once saves nothing.
TWIN_WAIT_S = 0.001
NO_ANSWER = "The database does not answer. Try again in a few seconds."

# A pool reconnects by itself: its message about each attempt is not meant for a person's terminal.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

DescribeFull = Callable[[], str | None]
P = ParamSpec("P")
T = TypeVar("T")


def tried_again(act: Callable[P, T]) -> Callable[P, T]:
    """`act` is one transaction, and what it does outside the database may be done twice: it is tried anew where it
    loses against a concurrent one. Raises Contended after TRIES.

    For deletions above all: they lock from the parent to its rows, and stages that write meanwhile the other way round.
    """

    @wraps(act)
    def trying(*args: P.args, **options: P.kwargs) -> T:
        for attempt in range(1, TRIES):
            try:
                return act(*args, **options)
            except Contended:
                time.sleep(random.uniform(0, PAUSE_S * 2**attempt))  # noqa: S311 a pause, no secret
        return act(*args, **options)

    return trying


class _Spent(threading.local):
    seconds = 0.0
    counting = False


_spent = _Spent()


def database_seconds() -> float:
    """Seconds that statements of this thread have taken so far, network included; only differences mean anything."""
    return _spent.seconds


class FlatLists(ListDumper):
    """Lists of ids, numbers or texts, written at once: psycopg walks through them item by item, in Python."""

    def dump(self, obj: list[Any]) -> Buffer | None:
        kinds = set(map(type, obj))
        if kinds == {UUID}:
            return f"{{{','.join(one.hex for one in obj)}}}".encode()
        if kinds == {int}:
            return f"{{{','.join(map(str, obj))}}}".encode()
        if kinds == {str} and not any("\0" in text for text in obj):
            texts = (text.replace("\\", "\\\\").replace('"', '\\"') for text in obj)
            return f'{{"{_BETWEEN.join(texts)}"}}'.encode()
        return super().dump(obj)


_BETWEEN: Final = '","'
psycopg.adapters.register_dumper(list, FlatLists)


class TimedCursor(psycopg.Cursor[DictRow]):
    """A cursor that measures the time of its statements, and names them in the request's trace. Those that are planned
    once are prepared on the server when the connection has sent them often."""

    def execute(self, *args: Any, **options: Any) -> "TimedCursor":
        self.connection.prepare_threshold = PREPARED_AFTER if is_planned_once(args[0]) else None
        try:
            with waiting(), span(f"sql {name_of(args[0])}", namespace="remote"):
                super().execute(*args, **options)
        finally:
            self.connection.prepare_threshold = None
        return self


@contextmanager
def waiting() -> Generator[None]:
    """What is counted within another is counted once."""
    if _spent.counting:
        yield
        return
    started, _spent.counting = time.perf_counter(), True
    try:
        yield
    finally:
        _spent.seconds += time.perf_counter() - started
        _spent.counting = False


class Database:
    """A pool of connections as the application role.

    Generic plans skip partial indexes under policies, so only statements that are said to be planned once are prepared
    on the server (docs/decisions/0002, 0216).
    """

    def __init__(
        self,
        dsn: str,
        max_size: int = 4,
        describe_full: DescribeFull = lambda: None,
        find_passwords: FindPasswords | None = None,
        twins: int = 0,
    ) -> None:
        """`describe_full` returns what to do when the disk under the database is full, or None while it is not.
        `find_passwords` is asked when the password of the address is refused. `twins` is how many transactions may
        have one at a time, on connections beyond `max_size`."""
        self._describe_full = describe_full
        self._twins = threading.BoundedSemaphore(twins) if twins else None
        self._used: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()
        self._pool = ConnectionPool(
            dsn,
            min_size=0,
            max_size=max_size + twins,
            open=False,
            connection_class=connections_renewed_by(find_passwords) if find_passwords else psycopg.Connection[DictRow],
            check=self._check,
            kwargs={
                "row_factory": dict_row,
                "cursor_factory": TimedCursor,
                "prepare_threshold": None,
                "connect_timeout": CONNECT_TIMEOUT_S,
            },
            configure=_configure,
            timeout=CONNECT_TIMEOUT_S,
            reconnect_timeout=RECONNECT_S,
            # Begins to grow again: those who wait for a connection would wait for nothing.
            reconnect_failed=ConnectionPool.check,
        )
        self._pool.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._pool.close()

    def check(self, within_s: float | None = None) -> None:
        """Raises DatabaseAway while the database does not answer, after `within_s` seconds or the usual time."""
        with self.unscoped(within_s) as connection:
            connection.execute("select 1")

    @contextmanager
    def unscoped(self, within_s: float | None = None) -> Generator[Connection]:
        """A transaction without a scope: row-level security shows it no rows of any tenant. For resolving an identity.

        Raises DatabaseAway where there is no connection `within_s` seconds, and StorageFull after FULL_TIMEOUT_S where
        the disk is full; the pool goes on trying for the next one.
        """
        if within_s is None and self._describe_full():
            within_s = FULL_TIMEOUT_S
        try:
            with self._pool.connection(within_s) as connection:
                yield connection
                self._used[connection] = time.time()
        except psycopg.OperationalError as error:
            passing = self._passing(error)
            if passing is None:
                raise
            raise passing from error

    @contextmanager
    def transaction(self, scope: Scope, *, snapshot: bool = False) -> Generator[Connection]:
        """A transaction that sees exactly `scope`. Commits at the end, rolls back on an error. With `snapshot` all its
        statements see the same state, whatever others commit meanwhile (repeatable read).

        It is begun here: psycopg by itself would wait for that before it sends the scope.
        """
        with self.alone() as connection, _ended(connection):
            with together(connection):
                connection.execute(BEGIN_SNAPSHOT if snapshot else BEGIN)
                set_scope(connection, scope)
            yield connection

    @contextmanager
    def twin(self, connection: Connection) -> Generator[Connection | None]:
        """Another transaction that sees what that of `connection` sees, in its scope and its snapshot: for statements
        that run while it has others. None where no connection is free, as whoever holds one must not wait for another.
        """
        with ExitStack() as stack:
            other = self._twin(stack)
            if other is not None:
                seen = connection.execute(AS_SEEN).fetchone() or {}
                with together(other):
                    other.execute(BEGIN_SNAPSHOT)
                    other.execute(sql.SQL("set transaction snapshot {}").format(seen["snapshot"]))
                    other.execute(SET_SCOPE, seen)
            yield other

    def _twin(self, stack: ExitStack) -> Connection | None:
        if self._twins is None or not self._twins.acquire(blocking=False):
            return None
        stack.callback(self._twins.release)
        try:
            other = stack.enter_context(self.alone(TWIN_WAIT_S))
        except StoreUnavailable:
            return None
        stack.enter_context(_ended(other))
        return other

    @contextmanager
    def alone(self, within_s: float | None = None) -> Generator[Connection]:
        """The same as `unscoped` for one statement that is a transaction of its own: a round trip instead of three."""
        with self.unscoped(within_s) as connection:
            connection.autocommit = True
            try:
                yield connection
            except psycopg.Error:
                with suppress(psycopg.Error):
                    _forget(connection)
                raise
            finally:
                if not connection.closed:
                    connection.autocommit = False

    @contextmanager
    def at_once(self, scope: Scope) -> Generator[Connection]:
        """The same as `transaction` where no statement waits for another's result: one round trip instead of four, and
        no row is locked for the length of one. Results are read afterwards.

        What is sent before a pipeline's end is one transaction of its own accord (PostgreSQL, 34.5 Pipeline Mode).
        """
        with self.alone() as connection, together(connection):
            set_scope(connection, scope)
            yield connection

    def _check(self, connection: Connection) -> None:
        """Raises where the connection is broken, so that the pool replaces it: a database that was paused has closed
        its connections."""
        recent = time.time() - self._used.get(connection, 0.0) < FRESH_S
        if not recent or _was_heard(connection):
            ConnectionPool[psycopg.Connection[Any]].check_connection(connection)

    def _passing(self, error: psycopg.OperationalError) -> StoreUnavailable | None:
        """The StoreUnavailable for an error that may be gone on another attempt; None for an error in the statement
        itself.

        An error without SQLSTATE means that no connection was made, or that it broke. SQLSTATE classes: 08 connection,
        57P shutdown and start, 40 rollback; 53100 is a full disk, which also keeps a server from starting or answering.
        """
        state = error.sqlstate
        if state == DISK_FULL:
            return StorageFull(self._describe_full() or "The disk of the database is full. Make room on it.")
        if state is None or state.startswith(("08", "57P", "58")) or state == "53300":
            full = self._describe_full()
            return StorageFull(full) if full else DatabaseAway(NO_ANSWER)
        if state.startswith("40"):
            return Contended("The same data was changed by somebody else at the same time. Try again.")
        return None


@contextmanager
def _ended(connection: Connection) -> Generator[None]:
    """Commits at the end the transaction that is begun within, and rolls it back on an error."""
    try:
        yield
    except BaseException:
        with suppress(psycopg.OperationalError):  # gone, and with it the transaction
            connection.rollback()
        raise
    connection.commit()


@contextmanager
def together(connection: Connection) -> Generator[None]:
    """Statements whose results nobody waits for are sent at once: a round trip for all. Errors are raised at the end.
    Where they begin a transaction, psycopg waits for its beginning first."""
    with waiting(), connection.pipeline():
        yield


@contextmanager
def undone(connection: Connection) -> Generator[None]:
    """What is set or written within a transaction is put back at the end. With psycopg's own savepoints every plan that
    the server keeps for the connection would be forgotten, too."""
    connection.execute("savepoint undone")
    try:
        yield
    finally:
        connection.execute("rollback to savepoint undone")
        connection.execute("release savepoint undone")


def _configure(connection: psycopg.Connection[Any]) -> None:
    """Vectors are arrays; `json` and `jsonb` are read by pydantic's parser, in a quarter of the time."""
    register_vector(connection)
    set_json_loads(_read_json, connection)


def _read_json(text: str | bytes) -> Any:
    """What is nested deeper than 200 levels, which that parser refuses, is left to the standard library."""
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


def _forget(connection: Connection) -> None:
    """Statements that are kept, which psycopg does with each rollback: one whose column has another type by now, or
    whose preparing failed in a pipeline, would fail as long as the connection lives."""
    connection.execute(BEGIN)
    connection.rollback()


def _was_heard(connection: Connection) -> bool:
    """Whether the server has sent something that was not asked for, as it does when it closes the connection."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def set_scope(connection: Connection, scope: Scope) -> None:
    """Sets the scope for the rest of the open transaction only."""
    settings: dict[str, Any] = {
        "organization": str(scope.organization_id),
        "user": str(scope.user_id or ""),
        "key": str(scope.key_id or ""),
        "kb_ids": "{" + ",".join(str(i) for i in scope.knowledge_base_ids) + "}",
    }
    connection.execute(SET_SCOPE, settings)
