"""Facets: what a result holds by the values of its attributes, each with the filter that choosing it makes.

Counts are exact and of chunks: a chunk that has two values of an attribute counts for both. They are what the filter
given with them finds (docs/decisions/0069-facets.md).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, LiteralString
from uuid import UUID

from psycopg import sql

from shared.domain.facets import Facet, Facets
from shared.filters.facets.choices import Choices
from shared.filters.facets.overview import Countable, countables, known_names
from shared.filters.facets.ranges import date_facet, number_facet
from shared.filters.facets.result import Result, result_of
from shared.filters.selection import Selection
from shared.filters.written import write_name
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries

_SQL = load_queries("facets")
FACETS_MAX: Final = 12
VALUES_MAX: Final = 12
# Attributes looked at to find those: what names every chunk (a model number) is no facet, unless it is asked for.
_TRIED: Final = 24
_KIND: LiteralString = (
    "case when f.value_number is not null then 'number' when f.text_key is not null then 'category'"
    " when f.value_time is not null then 'date' else 'boolean' end"
)


def count_facets(
    connection: Connection,
    selection: Selection,
    candidates: Sequence[UUID] | None,
    names: Sequence[str] | None,
) -> Facets:
    """Of all that passes the selection, or of the `candidates` that a query ranked.

    `names` says which attributes; None: the FACETS_MAX that most chunks have, those of the filter first. Raises
    BadFilter for an unknown one.
    """
    asked = None if names is None else known_names(connection, names)
    result = result_of(connection, selection, candidates)
    choices = Choices(selection.filters.where)
    found = _ordered(countables(connection, result, asked), choices, asked)
    found = _with_chunks(connection, result, found if asked else found[:_TRIED])
    values = _values(connection, result, [one for one in found if one.kind in ("category", "boolean")])
    kept = [one for one in found if asked or not _names_chunks(one, values)]
    attributes = [_facet(connection, result, one, choices, values) for one in (kept if asked else kept[:FACETS_MAX])]
    return Facets(counted=result.counted, chunks=result.chunks, attributes=attributes)


def _ordered(found: list[Countable], choices: Choices, asked: list[str] | None) -> list[Countable]:
    if asked:
        return sorted(found, key=lambda one: asked.index(one.name))
    return sorted(found, key=lambda one: not choices.speaks_of(one.name))


def _with_chunks(connection: Connection, result: Result, found: list[Countable]) -> list[Countable]:
    """With the number of chunks in place of that of values, where a chunk may have several."""
    names = sorted({one.name for one in found if one.several})
    if not names:
        return found
    query = sql.SQL(_SQL["having"]).format(source=result.source, kind=sql.SQL(_KIND))
    rows = connection.execute(query, result.values | {"names": names})
    # Without a unit numbers of all units are meant.
    counts = {(row["name"], row["kind"], row["unit"]): row["chunks"] for row in rows if row["unit"] or row["whole"]}
    return [replace(one, rows=counts[one.name, one.kind, one.unit]) if one.name in names else one for one in found]


def _values(connection: Connection, result: Result, found: list[Countable]) -> dict[tuple[str, bool], list[Row]]:
    """(name, of yes and no) → its most frequent values."""
    values: dict[tuple[str, bool], list[Row]] = {}
    for several in {one.several for one in found}:
        names = sorted({one.name for one in found if one.several == several})
        counted: LiteralString = "count(distinct f.chunk_id)" if several else "count(*)"
        query = sql.SQL(_SQL["categories"]).format(source=result.source, counted=sql.SQL(counted))
        for row in connection.execute(query, result.values | {"names": names, "values_max": VALUES_MAX}):
            values.setdefault((row["name"], row["boolean"]), []).append(row)
    return values


def _names_chunks(one: Countable, values: dict[tuple[str, bool], list[Row]]) -> bool:
    """Whether most of its chunks have a value of their own."""
    rows = values.get((one.name, False), [])
    return one.kind == "category" and bool(rows) and rows[0]["distinct"] > max(VALUES_MAX, one.rows / 2)


def _facet(
    connection: Connection, result: Result, one: Countable, choices: Choices, values: dict[tuple[str, bool], list[Row]]
) -> Facet:
    if one.kind == "number":
        return number_facet(connection, result, one, choices)
    if one.kind == "date":
        return date_facet(connection, result, one, choices)
    boolean = one.kind == "boolean"
    rows = values.get((one.name, boolean), [])
    return Facet(
        name=one.name,
        written=write_name(one.name),
        kind=one.kind,
        chunks=one.rows,
        values=[choices.value(one.name, row["shown"], row["chunks"], boolean=boolean) for row in rows],
        further=rows[0]["distinct"] - len(rows) if rows else 0,
        rest=choices.rest(one.name),
        narrowed=choices.speaks_of(one.name),
    )
