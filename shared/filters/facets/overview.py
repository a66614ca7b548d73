"""What there is to count in a result: its attributes by kind and unit, and from where to where their values reach."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, LiteralString, NamedTuple, TypeVar

from psycopg import sql

from shared.domain.facets import FacetKind
from shared.errors import BadInput
from shared.filters.declared import declared_attributes, refuse_unknown
from shared.filters.facets.result import Result
from shared.store.connect import Connection, Row
from shared.store.named_queries import load_queries
from shared.values.names import name_of

_SQL = load_queries("facets")
NAMED_MAX: Final = 40
VALUES_MAX: Final = 12
KIND: Final[LiteralString] = (
    "case when f.value_number is not null then 'number' when f.text_key is not null then 'category'"
    " when f.value_time is not null then 'date' else 'boolean' end"
)
# What the tally of an overview reads of each value.
TALLIED: Final[LiteralString] = (
    "f.name, f.unit, f.printed_unit, f.value_text, f.value_number, f.printed_number, f.value_time, f.value_boolean,"
    " f.ordinal, f.inexact, f.value_upper, f.printed_upper"
)
End = TypeVar("End", float, datetime)


class TopValues(NamedTuple):
    """The most frequent values of a category with their chunks, and how many values there are in all."""

    values: Sequence[tuple[str, int]] = ()
    distinct: int = 0


_NONE: Final = TopValues()


@dataclass(frozen=True)
class Countable:
    """An attribute in one kind and canonical unit. `printed_unit` is the most frequent one, of `most` rows. `several`:
    a chunk may have more than one of its values. `numbers` are the different ones, dates in seconds since 1970, with
    the rows of each."""

    name: str
    kind: FacetKind
    unit: str | None = None
    printed_unit: str | None = None
    rows: int = 0
    most: int = 0
    several: bool = False
    inexact: bool = False
    low: float | None = None
    high: float | None = None
    first: datetime | None = None
    last: datetime | None = None
    numbers: Sequence[tuple[float, int]] = ()
    listed: TopValues = _NONE

    def joined(self, other: "Countable") -> "Countable":
        """Both as one, with the printed unit of the larger."""
        larger = max(self, other, key=lambda one: one.most)
        return replace(
            larger,
            rows=self.rows + other.rows,
            several=self.several or other.several,
            inexact=self.inexact or other.inexact,
            low=_least((self.low, other.low)),
            high=_most((self.high, other.high)),
            first=_least((self.first, other.first)),
            last=_most((self.last, other.last)),
            numbers=[*self.numbers, *other.numbers],
        )


def countables(connection: Connection, result: Result, names: Sequence[str] | None) -> list[Countable]:
    """Those of `names`, or all of them, the most frequent first.

    A filter without a unit compares numbers as printed, whatever their unit; so bare numbers are counted together with
    the others of their name.
    """
    query = sql.SQL(_SQL["overview"]).format(source=result.source, kind=sql.SQL(KIND), values=sql.SQL(TALLIED))
    rows = connection.execute(query, result.values | {"names": names, "values_max": VALUES_MAX}).fetchall()
    bare = {row["name"] for row in rows if row["kind"] == "number" and row["unit"] is None}
    found: dict[tuple[str, str, str | None], Countable] = {}
    for row in rows:
        ways = [_countable(row)]
        if row["name"] in bare and row["kind"] == "number":
            ways = [_printed(row), *(ways if row["unit"] is not None else [])]
        for one in ways:
            key = one.name, one.kind, one.unit
            found[key] = found[key].joined(one) if key in found else one
    return sorted(found.values(), key=lambda one: (-one.rows, one.name, one.kind, one.unit or ""))


def listed_values(row: Row) -> TopValues:
    return TopValues(list(zip(row["shown"], row["chunks"], strict=True)), row["distinct"]) if row["shown"] else _NONE


def known_names(connection: Connection, asked: Sequence[str]) -> list[str]:
    """The names that are meant. Raises BadFilter listing what exists for an unknown one, BadInput for too many."""
    if len(asked) > NAMED_MAX:
        raise BadInput(f"Facets of {len(asked)} attributes were asked for; at most {NAMED_MAX} at once.")
    names = [name_of(label) or label for label in asked]
    known = declared_attributes(connection, names)
    for label, name in zip(asked, names, strict=True):
        if name not in known:
            refuse_unknown(connection, label, name)
    return list(dict.fromkeys(names))


def _countable(row: Row) -> Countable:
    fields = ("name", "kind", "unit", "printed_unit", "rows", "several", "inexact", "low", "high", "first", "last")
    return Countable(
        **{field: row[field] for field in fields},
        most=row["rows"],
        numbers=list(zip(row["numbers"] or (), row["counts"] or (), strict=True)),
        listed=listed_values(row),
    )


def _printed(row: Row) -> Countable:
    counted = zip(row["printed"], row["counts"], strict=True)
    return replace(
        _countable(row), unit=None, printed_unit=None, low=row["printed_low"], high=row["printed_high"],
        numbers=[(number, count) for number, count in counted if number is not None],
    )  # fmt: skip


def _least(values: Iterable[End | None]) -> End | None:
    return min((value for value in values if value is not None), default=None)


def _most(values: Iterable[End | None]) -> End | None:
    return max((value for value in values if value is not None), default=None)
