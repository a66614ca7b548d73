"""Which rows of values belong to a result: those of the candidates that a query ranked, or of all that passes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from psycopg import sql

from shared.filters.selection import Selection, list_expected
from shared.filters.sql import Leaf, Writer, drivers
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("facets")


@dataclass(frozen=True)
class Result:
    """`source` yields the result's rows of `chunk_attributes` as f; `values` are its parameters."""

    counted: Literal["matches", "candidates"]
    chunks: int
    source: sql.Composable
    values: Row


def result_of(connection: Connection, selection: Selection, candidates: Sequence[UUID] | None) -> Result:
    """All that passes the selection, or where a query ranked `candidates` just these.

    Of an attribute with bounds those values alone that fulfil them: further bounds are for the same value.
    """
    result = _whole(connection, selection, candidates)
    writer = Writer("bound")
    tests = [
        sql.SQL("(f.name <> {} or ({}))").format(writer.bind(leaf.name), writer.leaf(leaf))
        for leaf in drivers(selection.where)
        if isinstance(leaf, Leaf) and leaf.is_bound
    ]
    if not tests:
        return result
    source = sql.SQL("(select f.* from {} where {}) f").format(result.source, sql.SQL(" and ").join(tests))
    return replace(result, source=source, values=result.values | writer.values)


def _whole(connection: Connection, selection: Selection, candidates: Sequence[UUID] | None) -> Result:
    """Few chunks are looked up one by one. Of many, all values in scope are read once and tested against sets."""
    if candidates is not None:
        ids = "{" + ",".join(map(str, candidates)) + "}"
        listed = Selection(selection.filters, ids)
        return Result("candidates", len(candidates), listed.source("chunk_attributes", "f"), listed.values())
    selection = list_expected(connection, selection)
    if selection.listed is not None:
        source = selection.source("chunk_attributes", "f")
        return Result("matches", selection.figures["matches"], source, selection.values())
    connection.execute(_SQL["in_whole"])
    tests, values = selection.sifted("n")
    (row,) = connection.execute(sql.SQL(_SQL["passing"]).format(selected=tests), values).fetchall()
    tests, values = selection.sifted("f")
    return Result("matches", row["chunks"], sql.SQL(_SQL["sifted_rows"]).format(selected=tests), values)
