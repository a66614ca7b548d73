"""The stored values of an attribute in some documents, each with whether it is the one that a comparison states."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from shared.errors import BadFilter
from shared.filters.meaning import read_meaning
from shared.filters.sql import Leaf, Writer
from shared.filters.tree import Comparison
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.values.names import name_of, read_label

_SQL = load_queries("stated")


@dataclass(frozen=True)
class StatedValue:
    """A stored value with the text of its chunk. `value` is what it means, in which two notations of one are equal."""

    content: str
    raw: str
    route: str
    value: str
    right: bool


def values_at(
    connection: Connection, stated: Comparison, documents: Sequence[UUID], page: int | None
) -> list[StatedValue]:
    """Of the attribute in these documents, on `page` where one is given. A range is right for no single number."""
    names = [name for name in (name_of(stated.attr), read_label(stated.attr)[0]) if name]
    writer = Writer("stated")
    test: sql.Composable = sql.SQL("false")
    try:
        leaf = read_meaning(connection, stated)
    except BadFilter:
        # Nothing in scope has such a value.
        leaf = None
    if isinstance(leaf, Leaf):
        names, test = [leaf.name], writer.leaf(leaf)
    query = sql.SQL(_SQL["values_at"]).format(test=test)
    values = {"names": names, "documents": list(documents), "page": page}
    return [StatedValue(**row) for row in connection.execute(query, values | writer.values)]
