"""Aggregates over the rows of a group: the column that each makes, and its SQL."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from shared.domain.datasets import ColumnSource, ColumnType, DatasetColumn
from shared.domain.transforms import Aggregate, Aggregation
from shared.errors import BadInput
from shared.lab.datasets.relations import Column, Relation
from shared.lab.datasets.unit_arithmetic import difference_unit, is_offset
from shared.library.table_columns import UNEVEN

_FUNCTIONS: Final[Mapping[Aggregation, str]] = {
    "count": "count({})",
    "distinct": "count(distinct {})",
    "sum": "sum({})",
    "mean": "avg({})",
    "median": "median({})",
    "min": "min({})",
    "max": "max({})",
    "stddev": "stddev_samp({})",
    "stderr": "(stddev_samp({0}) / sqrt(count({0})))",
    "q1": "quantile_cont({}, 0.25)",
    "q3": "quantile_cont({}, 0.75)",
    "first": "first({} order by o)",
}
_OF_NUMBERS: Final = frozenset({"sum", "mean", "median", "stddev", "stderr", "q1", "q3"})


class Aggregated(NamedTuple):
    """What an aggregate makes: its column, its SQL, of which columns, and the SQL of its number's decimals, where its
    column mixes them."""

    of: DatasetColumn
    sql: str
    sources: frozenset[ColumnSource]
    decimals: str | None = None


def aggregate(one: Aggregate, before: Relation, operand: str | None = None) -> Aggregated:
    """What an aggregate of a column makes, or of `operand` instead."""
    if one.column is None:
        if one.function != "count":
            raise BadInput(f"{one.function} needs a column.")
        of = DatasetColumn(label=one.name or "count", type="integer", formula="count of rows")
        every = frozenset[ColumnSource]().union(*(column.sources for column in before.columns))
        return Aggregated(of, "count(*)", every)
    column = before.column(one.column)
    if one.function in _OF_NUMBERS:
        before.number(one.column, one.function)
    label = one.name or f"{one.function}({column.label})"
    formula = f"{one.function} of {column.label}"
    sql = _FUNCTIONS[one.function].format(operand or column.name)
    if one.function in ("count", "distinct"):
        return Aggregated(DatasetColumn(label=label, type="integer", formula=formula), sql, column.sources)
    kept = one.function in ("min", "max", "first")
    kind: ColumnType = column.of.type if kept else "quantity" if column.of.unit else "number"
    unit, scale = column.of.unit, column.of.scale
    if one.function in ("stddev", "stderr"):
        unit, scale = difference_unit(unit, scale)
    if one.function == "sum" and is_offset(unit):
        kind, unit = "number", None
    if one.function == "sum" and column.of.type == "integer":
        kind, sql = "integer", f"cast({sql} as bigint)"
    decimals = column.of.decimals if kept else None
    changed = {"label": label, "type": kind, "unit": unit, "scale": scale, "formula": formula, "decimals": decimals}
    of = column.of.model_copy(update=changed)
    each = printed_of(one.function, operand or column.name, column.printed) if kept and column.printed else None
    return Aggregated(of, sql, column.sources, each)


def printed_of(function: Aggregation, value: str, decimals: str) -> str:
    """With how many decimals the least, greatest or first number is printed; UNEVEN where equal ones differ in that."""
    if function == "first":
        return f"first({decimals} order by o)"
    # Of equal numbers the one with the fewest decimals comes first or last, and then the one with the most.
    fewest, most = (
        f"({function}(case when {value} is not null then struct_pack(v := {value}, d := {sign}{decimals}) end)).d"
        for sign in ("", "-")
    )
    return f"case when {fewest} = -{most} then {fewest} else {UNEVEN} end"


def keyed(by: Sequence[Column]) -> list[str]:
    """What a group is of, with the decimals of its numbers where they are printed alike."""
    alike = "case when min({0}) = max({0}) then min({0}) else {1} end as {0}"
    return [*(one.name for one in by), *(alike.format(one.printed, UNEVEN) for one in by if one.printed)]
