"""Rows of one table, inserted or replaced in few statements."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from psycopg import sql
from psycopg.types.json import Json

from shared.store.connect import Connection, Row

# Rows per statement, and about how many characters of them: beyond that a statement takes memory and no less time.
ROWS: Final = 1_000
CHARACTERS: Final = 8_000_000
_COMMA: Final = sql.SQL(", ")
_WRITTEN: Final = partial(json.dumps, ensure_ascii=False, default=str)


def json_rows(rows: Sequence[Any]) -> Json:
    """Rows for `json_populate_recordset` and its like; ids are written as text."""
    return Json(rows, dumps=_WRITTEN)


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
    batch: list[str] = []
    length = 0
    for row in rows:
        written = _WRITTEN(row)
        if batch and (len(batch) >= ROWS or length + len(written) > CHARACTERS):
            connection.execute(statement, (f"[{','.join(batch)}]",))
            batch, length = [], 0
        batch.append(written)
        length += len(written)
    connection.execute(statement, (f"[{','.join(batch)}]",))
