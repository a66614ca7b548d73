"""The order of a result: by an attribute's value, chunks without it last; or by date.

`price`, `price desc`, `"Max. power" desc`, `newest`, `oldest`. An attribute of one of these two names stands in quotes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from psycopg import sql

from shared.errors import BadInput
from shared.filters.declared import declared_attributes, refuse_unknown
from shared.filters.selection import Filters, Selection, list_expected
from shared.store.connect import Connection, Row, together, undone
from shared.store.named_queries import load_queries
from shared.store.search import chunk_dates
from shared.values.names import name_of, read_label

_SQL = load_queries("ordering")
_WRITTEN: Final = re.compile(r'\s*(?:"(?P<quoted>[^"]+)"|(?P<name>.+?))(?:\s+(?P<direction>asc|desc))?\s*', re.I | re.S)
_COLUMNS: Final[Mapping[str, LiteralString]] = {
    "number": "value_number", "text": "text_key", "time": "value_time", "boolean": "value_boolean",
}  # fmt: skip


@dataclass(frozen=True)
class Order:
    """By the attribute `by`, or by date where that is None."""

    by: str | None
    descending: bool


@dataclass(frozen=True)
class _Column:
    """The values that are compared: of one attribute, of one kind and unit. Bare numbers are compared as printed."""

    name: str
    kind: str
    unit: str

    def value(self, alias: LiteralString = "f") -> sql.Composed:
        bare = self.kind == "number" and not self.unit
        column: LiteralString = "printed_number" if bare else _COLUMNS[self.kind]
        return sql.SQL("{}.{}").format(sql.SQL(alias), sql.SQL(column))

    def fitting(self, alias: LiteralString = "f") -> sql.Composed:
        """Which rows of `chunk_attributes` have one."""
        tests = [sql.SQL("{} is not null").format(self.value(alias))]
        if self.kind == "number":
            of_unit = sql.SQL("{}.unit = %(unit)s" if self.unit else "{}.unit is null")
            tests.append(of_unit.format(sql.SQL(alias)))
        if self.kind == "text":
            tests.append(sql.SQL("{}.role is distinct from 'alias'").format(sql.SQL(alias)))
        return sql.SQL(" and ").join(tests)

    @property
    def values(self) -> Row:
        return {"name": self.name, "unit": self.unit}


def read_order(text: str) -> Order:
    """Raises BadInput for what names nothing."""
    found = _WRITTEN.fullmatch(text)
    if found is None or not text.strip():
        raise BadInput(f"`{text}` is no order. Write the name of an attribute, such as `price desc`, or `newest`.")
    word = (found["name"] or "").lower()
    if word in ("newest", "oldest"):
        if found["direction"]:
            raise BadInput(f"`{text}` is no order: `{word}` says the direction already. Leave the other word out.")
        return Order(None, descending=word == "newest")
    return Order(found["quoted"] or found["name"], descending=(found["direction"] or "").lower() == "desc")


def order_matches(connection: Connection, selection: Selection, order: Order, limit: int) -> list[UUID]:
    """The first `limit` of all that passes. Raises BadFilter for an unknown attribute."""
    if order.by is None:
        return _by_date(connection, selection, order, limit)
    column = _column(connection, order.by)
    selection = list_expected(connection, selection)
    first = _first if selection.listed is not None else _first_in_index
    found = first(connection, selection, column, order, limit)
    if len(found) < limit:
        query = sql.SQL(_SQL["without_value"]).format(selected=selection.condition("n"), fitting=column.fitting())
        values = selection.values() | column.values | {"limit": limit - len(found)}
        found += [row["chunk_id"] for row in connection.execute(query, values)]
    return found


def order_candidates(connection: Connection, ids: Sequence[UUID], order: Order) -> list[UUID]:
    """The same of chunks that a query ranked; where values are equal or missing, they keep their ranks."""
    if order.by is None:
        dates = chunk_dates(connection, ids)
        return sorted(ids, key=lambda chunk: dates[chunk], reverse=order.descending)
    column = _column(connection, order.by)
    listed = Selection(Filters(), "{" + ",".join(map(str, ids)) + "}")
    first = _first(connection, listed, column, order, len(ids))
    having = set(first)
    return [*first, *(chunk for chunk in ids if chunk not in having)]


def _column(connection: Connection, label: str) -> _Column:
    names = [name for name in (name_of(label), read_label(label)[0]) if name]
    known = declared_attributes(connection, names)
    name = next((name for name in names if name in known), None)
    if name is None:
        refuse_unknown(connection, label, names[0] if names else label)
    (row,) = connection.execute(_SQL["ordered_by"], {"name": name}).fetchall()
    return _Column(name, row["kind"], row["unit"])


def _by_date(connection: Connection, selection: Selection, order: Order, limit: int) -> list[UUID]:
    query = sql.SQL(_SQL["by_date"]).format(selected=selection.condition("n"), direction=_direction(order))
    return [row["chunk_id"] for row in connection.execute(query, selection.values() | {"limit": limit})]


def _direction(order: Order) -> sql.Composable:
    return sql.SQL("desc" if order.descending else "asc")


def _first(connection: Connection, selection: Selection, column: _Column, order: Order, limit: int) -> list[UUID]:
    best = sql.SQL("(array_agg({value} order by {value} {direction}))[1]")
    query = sql.SQL(_SQL["first_by_value"]).format(
        source=selection.source("chunk_attributes", "f"),
        fitting=column.fitting(),
        best=best.format(value=column.value(), direction=_direction(order)),
        direction=_direction(order),
    )
    values = selection.values() | column.values | {"limit": limit}
    return [row["chunk_id"] for row in connection.execute(query, values)]


def _first_in_index(
    connection: Connection, selection: Selection, column: _Column, order: Order, limit: int
) -> list[UUID]:
    exactness: tuple[LiteralString, ...] = ("not t.inexact", "t.inexact") if column.kind == "number" else ("true",)
    walks = [
        sql.SQL(_SQL["walk"]).format(
            value=column.value("t"),
            other=column.value("e"),
            fitting=column.fitting("t"),
            other_fitting=column.fitting("e"),
            exactness=sql.SQL(part),
            selected=selection.condition("t"),
            better=sql.SQL(">" if order.descending else "<"),
            direction=_direction(order),
        )
        for part in exactness
    ]
    query = sql.SQL(_SQL["first_in_index"]).format(
        walks=sql.SQL(" union all ").join(walks), direction=_direction(order)
    )
    values = selection.values() | column.values | {"limit": limit}
    with together(connection), undone(connection):  # the planner's settings
        connection.execute(_SQL["by_index"])
        found = connection.execute(query, values)
    return [row["chunk_id"] for row in found]
