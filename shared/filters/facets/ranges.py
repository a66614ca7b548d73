"""Counts of numbers by ranges in the unit that is printed most, and of dates by days, months or years."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, LiteralString

from psycopg import sql

from shared.domain.facets import Facet, FacetRange
from shared.filters.facets.choices import Choices
from shared.filters.facets.edges import number_edges, time_edges
from shared.filters.facets.overview import Countable
from shared.filters.facets.result import Result
from shared.filters.sql import EQUAL
from shared.filters.written import write_name
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from shared.values.money import currency_of
from shared.values.unit_names import unit_name
from shared.values.units import Unit, ucum_unit

_SQL = load_queries("facets")
_MEASURED: dict[str, LiteralString] = {
    "value": "f.value_number",
    "upper": "coalesce(f.value_upper, f.value_number)",
    "fitting": "f.unit = %(unit)s and f.value_number is not null",
}
_BARE: dict[str, LiteralString] = {
    "value": "f.printed_number",
    "upper": "coalesce(f.printed_upper, f.printed_number)",
    "fitting": "f.printed_number is not null",
}
_TIME: dict[str, LiteralString] = {
    "value": "extract(epoch from f.value_time)::float8",
    "upper": "extract(epoch from f.value_time)::float8",
    "fitting": "f.value_time is not null",
}


@dataclass(frozen=True)
class _Scale:
    """The numbers of an attribute as people read them: `shown` of a stored one, `stored` of a shown one."""

    unit: str | None
    shown: Callable[[float], float]
    stored: Callable[[float], float]


def number_facet(connection: Connection, result: Result, one: Countable, choices: Choices) -> Facet:
    scale = _scale_of(one)
    low, high = scale.shown(one.low or 0.0), scale.shown(one.high or 0.0)
    edges = number_edges(low, high)
    stored = [scale.stored(edge) for edge in edges]
    spread = EQUAL if one.unit else 0.0
    lows = [edge - abs(edge) * spread for edge in stored]
    highs = [edge + abs(edge) * spread for edge in stored]
    counts = _counts(connection, result, one, _MEASURED if one.unit else _BARE, {"lows": lows, "highs": highs})
    ranges = [
        choices.range(
            one.name, (edges[at], edges[at + 1]), scale.unit,
            FacetRange(low=edges[at], high=edges[at + 1], count=counts.get(at, 0), where=""),
        )
        for at in range(len(edges) - 1)
    ]  # fmt: skip
    return _facet(one, choices, ranges, unit=scale.unit, low=low, high=high)


def date_facet(connection: Connection, result: Result, one: Countable, choices: Choices) -> Facet:
    never = datetime(1970, 1, 1, tzinfo=UTC)
    first, last = one.first or never, one.last or never
    edges = time_edges(first, last)
    ends = [edge.timestamp() for edge in edges]
    counts = _counts(connection, result, one, _TIME, {"lows": ends, "highs": ends})
    days = [edge.date() for edge in edges]
    ranges = [
        choices.range(
            one.name, (days[at].isoformat(), days[at + 1].isoformat()), None,
            FacetRange(low=days[at], high=days[at + 1], count=counts.get(at, 0), where=""),
        )
        for at in range(len(days) - 1)
    ]  # fmt: skip
    return _facet(one, choices, ranges, low=first.astimezone(UTC).date(), high=last.astimezone(UTC).date())


def _facet(
    one: Countable,
    choices: Choices,
    ranges: list[FacetRange],
    *,
    low: float | date,
    high: float | date,
    unit: str | None = None,
) -> Facet:
    return Facet(
        name=one.name, written=write_name(one.name), kind=one.kind, unit=unit, chunks=one.rows, ranges=ranges,
        low=low, high=high, rest=choices.rest(one.name), narrowed=choices.speaks_of(one.name),
    )  # fmt: skip


def _counts(
    connection: Connection, result: Result, one: Countable, columns: dict[str, LiteralString], ends: dict[str, Any]
) -> Mapping[int, int]:
    """Range → how many chunks have a number in it."""
    if not (one.several or one.inexact):
        counts = Counter[int]()
        for number, count in one.numbers:
            counts[bisect_right(ends["lows"], number) - 1] += count
        return counts
    parts = {name: sql.SQL(text) for name, text in columns.items()}
    query = sql.SQL(_SQL["ranges_of_all" if one.inexact else "ranges"]).format(source=result.source, **parts)
    rows = connection.execute(query, result.values | ends | {"name": one.name, "unit": one.unit})
    return {row["place"]: row["chunks"] for row in rows}


def _scale_of(one: Countable) -> _Scale:
    code = one.printed_unit or one.unit
    unit = ucum_unit(code) if code and not currency_of(code, plain_dollar=True) else None
    if one.unit is None or code is None or unit is None:
        return _Scale(code if one.unit else None, float, float)
    return _Scale(unit_name(code), _back(unit), unit.canonical)


def _back(unit: Unit) -> Callable[[float], float]:
    """Canonical numbers have twelve digits: what was 20 is 20 again and not a little less."""
    return lambda number: float(f"{(number - unit.offset) / unit.factor:.10g}")
