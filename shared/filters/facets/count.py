"""Facets: what a result holds by the values of its attributes, each with the filter that choosing it makes.

Counts are exact and of chunks: a chunk that has two values of an attribute counts for both. They are what the filter
given with them finds (docs/decisions/0069-facets.md).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from psycopg import sql

from shared.domain.facets import Facet, Facets
from shared.filters.declared import declared_units
from shared.filters.facets.choices import Choices
from shared.filters.facets.overview import KIND, VALUES_MAX, Countable, countables, known_names, listed_values
from shared.filters.facets.ranges import date_facet, number_facet
from shared.filters.facets.result import Result, result_of
from shared.filters.selection import Selection
from shared.filters.written import write_name
from shared.store.connect import Connection, undone
from shared.store.named_queries import load_queries
from shared.values.units import ucum_unit

_SQL = load_queries("facets")
FACETS_MAX: Final = 12
# Attributes looked at to find those: what names every chunk (a model number) is no facet, unless it is asked for.
_TRIED: Final = 24


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
    with undone(connection):  # the planner's settings
        return _count(connection, selection, candidates, asked)


def _count(
    connection: Connection, selection: Selection, candidates: Sequence[UUID] | None, asked: list[str] | None
) -> Facets:
    connection.execute(_SQL["by_hash"])
    result = result_of(connection, selection, candidates)
    choices = Choices(selection.filters.where)
    countable = countables(connection, result, asked)
    units = declared_units(connection, [one.name for one in countable])
    counted = [_as_declared(one, units.get(one.name)) for one in countable]
    found = _ordered(counted, choices, asked)
    found = _by_chunk(connection, result, found if asked else found[:_TRIED])
    kept = [one for one in found if asked or not _names_chunks(one)]
    attributes = [_facet(connection, result, one, choices) for one in (kept if asked else kept[:FACETS_MAX])]
    return Facets(counted=result.counted, chunks=result.chunks, attributes=attributes)


def _as_declared(one: Countable, code: str | None) -> Countable:
    """In the declared unit, where it is one of the same dimension."""
    unit = ucum_unit(code) if code and one.unit else None
    return replace(one, printed_unit=code) if unit and unit.canonical_code == one.unit else one


def _ordered(found: list[Countable], choices: Choices, asked: list[str] | None) -> list[Countable]:
    if asked:
        return sorted(found, key=lambda one: asked.index(one.name))
    return sorted(found, key=lambda one: not choices.speaks_of(one.name))


def _by_chunk(connection: Connection, result: Result, found: list[Countable]) -> list[Countable]:
    """With numbers of chunks in place of those of values, where a chunk may have several."""
    names = sorted({one.name for one in found if one.several})
    if not names:
        return found
    values, parts = result.values | {"names": names}, {"source": result.source, "kind": sql.SQL(KIND)}
    rows = connection.execute(sql.SQL(_SQL["having"]).format(**parts), values).fetchall()
    # Without a unit numbers of all units are meant.
    counts = {(row["name"], row["kind"], row["unit"]): row["chunks"] for row in rows if row["unit"] or row["whole"]}
    query = sql.SQL(_SQL["categories"]).format(**parts)
    rows = connection.execute(query, values | {"values_max": VALUES_MAX}).fetchall()
    listed = {(row["name"], row["kind"]): listed_values(row) for row in rows}
    return [
        replace(one, rows=counts[one.name, one.kind, one.unit], listed=listed.get((one.name, one.kind), one.listed))
        if one.name in names
        else one
        for one in found
    ]


def _names_chunks(one: Countable) -> bool:
    """Whether most of its chunks have a value of their own."""
    return one.kind == "category" and one.listed.distinct > max(VALUES_MAX, one.rows / 2)


def _facet(connection: Connection, result: Result, one: Countable, choices: Choices) -> Facet:
    if one.kind == "number":
        return number_facet(connection, result, one, choices)
    if one.kind == "date":
        return date_facet(connection, result, one, choices)
    boolean = one.kind == "boolean"
    return Facet(
        name=one.name,
        written=write_name(one.name),
        kind=one.kind,
        chunks=one.rows,
        values=[choices.value(one.name, shown, chunks, boolean=boolean) for shown, chunks in one.listed.values],
        further=one.listed.distinct - len(one.listed.values),
        rest=choices.rest(one.name),
        narrowed=choices.speaks_of(one.name),
    )
