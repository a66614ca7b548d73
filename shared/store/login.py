"""Connections whose password may change while the process runs."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import DictRow

# The passwords that may be right now, the newest first: while one is being changed, the one before it still is.
FindPasswords = Callable[[], Sequence[str]]
# What PostgreSQL says to a wrong password. An error of a connection that was not made has no SQLSTATE in psycopg.
_REFUSED = "password authentication failed"
# A change may fall between reading the passwords and trying them, but not twice.
_READINGS = 2


def connections_renewed_by(find: FindPasswords) -> type[psycopg.Connection[DictRow]]:
    """A connection class for a pool: where the password of its address is refused, it tries those that `find` knows
    and keeps the one that works for the next connections."""
    found: list[str] = []

    class Renewed(psycopg.Connection[DictRow]):
        @classmethod
        def connect(cls, conninfo: str = "", **options: Any) -> Any:
            refusal: psycopg.OperationalError | None = None
            for password in _passwords(found[:1], find):
                address = conninfo if password is None else make_conninfo(conninfo, password=password)
                try:
                    made = super().connect(address, **options)
                except psycopg.OperationalError as error:
                    if _REFUSED not in str(error):
                        raise
                    refusal = error
                    continue
                if password is not None:
                    found[:] = [password]
                return made
            raise refusal or RuntimeError("no password was tried")

    return Renewed


def _passwords(known: Sequence[str], find: FindPasswords) -> Iterator[str | None]:
    """The one that worked last, or None for the address's own; then what is read."""
    yield from known or (None,)
    for _ in range(_READINGS):
        yield from find()
