"""Rows of one table, inserted or replaced in few statements."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from psycopg import sql
from psycopg.types.json import Json, Jsonb
from pydantic_core import to_json

from shared.store.connect import Connection, Row

# Rows per statement, and about how many bytes of them: beyond that a statement takes memory and no less time.
ROWS: Final = 1_000
BYTES: Final = 8_000_000
_COMMA: Final = sql.SQL(", ")
# What is no JSON (NaN) is written as it is, for Postgres to refuse.
_WRITTEN: Final = partial(to_json, inf_nan_mode="constants")


def json_rows(rows: Sequence[Any]) -> Json:
    """Rows for `json_populate_recordset` and its like; ids are written as text."""
    return Json(rows, dumps=_WRITTEN)


def jsonb_rows(rows: Sequence[Any]) -> Jsonb:
    """The same for `jsonb_to_recordset` and its like."""
    return Jsonb(rows, dumps=_WRITTEN)


def upsert(connection: Connection, table: str, conflict: Sequence[str], rows: Sequence[Row]) -> None:
    """Inserts rows that all have the same columns, or replaces those that are there with the same values in `conflict`.

    Values are what JSON holds, and ids. COPY is not available under row-level security.
    """
    if not rows:
        return
    columns = list(rows[0])
    changed = [name for name in columns if name not in (*conflict, "id")]
    statement = sql.SQL(
        "insert into {0} ({1}) select {1} from json_populate_recordset(null::{0}, %s)"
        " on conflict ({2}) do update set {3}"
    ).format(
        sql.Identifier(table),
        _COMMA.join(map(sql.Identifier, columns)),
        _COMMA.join(map(sql.Identifier, conflict)),
        _COMMA.join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in changed),
    )
    batch: list[bytes] = []
    length = 0
    for row in rows:
        written = _WRITTEN(row)
        if batch and (len(batch) >= ROWS or length + len(written) > BYTES):
            connection.execute(statement, (_array(batch),))
            batch, length = [], 0
        batch.append(written)
        length += len(written)
    connection.execute(statement, (_array(batch),))


def _array(written: Sequence[bytes]) -> str:
    return f"[{b','.join(written).decode()}]"
