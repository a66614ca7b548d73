"""What is in the columns of a dataset: counts, bounds, and how the values are spread."""

from typing import Final
from uuid import UUID

from shared.domain.datasets import ColumnProfile, DatasetProfile, HistogramBin, ValueCount
from shared.domain.scope import Identity
from shared.lab.datasets.aggregating import printed_of
from shared.lab.datasets.engine import Sandbox
from shared.lab.datasets.relations import Column
from shared.lab.datasets.running import running
from shared.runtime import Runtime

BINS: Final = 20
FREQUENT: Final = 8
VALUE_CHARACTERS: Final = 120


def profile_dataset(
    runtime: Runtime, identity: Identity, dataset_id: UUID, revision: int | None = None
) -> DatasetProfile:
    """Of all of its rows, its steps applied. Raises NotFound."""
    with running(runtime, identity) as run:
        relation = run.start(dataset_id, None, [], revision)
        names = ", ".join(dict.fromkeys(part for one in relation.columns for part in one.parts))
        run.ask(f"create table result as select {names} from ({relation.sql})")
        columns = [_profile(run.engine, one) for one in relation.columns]
        rows = run.engine.ask("select count(*) from result")[0][0]
        return DatasetProfile(revision=run.revision, rows=rows, columns=columns)


def _profile(engine: Sandbox, column: Column) -> ColumnProfile:
    name = column.name
    bounded = column.is_number or column.of.type == "date"
    bounds = f"min({name}), max({name})" if bounded else "null, null"
    spread = f"avg({name}), stddev_samp(cast({name} as double))" if column.is_number else "null, null"
    asked = f"select count(*), count({name}), count(distinct {name}), {bounds}, {spread} from result"
    count, filled, distinct, low, high, mean, stddev = engine.ask(asked)[0]
    of_low, of_high = column.of.decimals, column.of.decimals
    if column.printed:
        asked = ", ".join(printed_of(which, name, column.printed) for which in ("min", "max"))
        of_low, of_high = (
            None if one is None or one < 0 else one for one in engine.ask(f"select {asked} from result")[0]
        )
    if not column.is_number:
        low, high = (None if one is None else one.isoformat() for one in (low, high))
    return ColumnProfile(
        label=column.label,
        decimals=column.of.decimals,
        min_decimals=of_low,
        max_decimals=of_high,
        count=count,
        missing=count - filled,
        distinct=distinct,
        min=low,
        max=high,
        mean=mean,
        stddev=stddev,
        histogram=_histogram(engine, name, low, high) if column.is_number and filled else [],
        frequent=[] if column.is_number else _frequent(engine, name),
    )


def _histogram(engine: Sandbox, name: str, low: float, high: float) -> list[HistogramBin]:
    """Bins of equal width; one where all values are equal."""
    width = (float(high) - float(low)) / BINS
    if width <= 0:
        return [HistogramBin(low=low, high=high, count=engine.ask(f"select count({name}) from result")[0][0])]
    place = f"least(cast(floor((cast({name} as double) - $low) / $width) as integer), {BINS - 1})"
    found = dict(
        engine.ask(
            f"select {place} as bin, count(*) from result where {name} is not null group by bin",
            {"low": float(low), "width": width},
        )
    )
    return [
        HistogramBin(
            low=low + at * width, high=low + (at + 1) * width if at < BINS - 1 else high, count=found.get(at, 0)
        )
        for at in range(BINS)
    ]


def _frequent(engine: Sandbox, name: str) -> list[ValueCount]:
    asked = (
        f"select left(cast({name} as varchar), {VALUE_CHARACTERS}) as value, count(*) as times from result "
        f"where {name} is not null group by value order by times desc, value limit {FREQUENT}"
    )
    return [ValueCount(value=value, count=times) for value, times in engine.ask(asked)]
