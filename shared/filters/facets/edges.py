"""Where the ranges of numbers and dates begin: at round numbers of the printed unit, at days, months and years."""

import math
from collections.abc import Iterator
from datetime import MAXYEAR, UTC, datetime
from typing import Final

# Ranges that a facet has at most, and how many are aimed at.
RANGES_MAX: Final = 13
_WANTED: Final = 8
_STEPS: Final = (1, 2, 5, 10)
_MONTHS: Final = (1, 3, 12, 60, 120, 300, 1200, 3000, 12_000)
# Numbers that agree in nine digits are equal to filters.
_DISTINCT: Final = 1e-9
_DAY_S: Final = 86_400


def number_edges(low: float, high: float) -> list[float]:
    """Round numbers, the first at most `low`, the last above `high`, with at most RANGES_MAX ranges between.

    The step is the smallest of 1, 2 or 5 times a power of ten that needs few enough.
    """
    size = max(abs(low), abs(high))
    single = high - low <= size * _DISTINCT
    span = (size or 1.0) if single else high - low
    power = 10.0 ** math.floor(math.log10(span / _WANTED))
    step = next(s * power for s in _STEPS if span / (s * power) <= _WANTED + 1e-9)
    if single:
        return [low, high + step]
    first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = [float(f"{place * step:.12g}") for place in range(first - 1, last + 2)]
    ends = zip([-math.inf, *edges], edges, [*edges[1:], math.inf], strict=False)
    return [edge for before, edge, after in ends if after > low and before <= high]


def time_edges(first: datetime, last: datetime) -> list[datetime]:
    """Beginnings of days, months or years (UTC): the first at most `first`, the last behind `last`."""
    first, last = first.astimezone(UTC), last.astimezone(UTC)
    days = (last - first).total_seconds() / _DAY_S
    if days < _WANTED:
        start = int(first.timestamp() // _DAY_S)
        return [_moment(day) for day in range(start, int(last.timestamp() // _DAY_S) + 2)]
    months = next((m for m in _MONTHS if days / 30 / m <= RANGES_MAX - 2), _MONTHS[-1])
    return list(_months(first, last, months))


def _months(first: datetime, last: datetime, step: int) -> Iterator[datetime]:
    month = max((first.year * 12 + first.month - 1) // step * step, 12)
    edge = None
    while (edge is None or edge <= last) and month // 12 <= MAXYEAR:
        edge = datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        yield edge
        month += step


def _moment(day: int) -> datetime:
    return datetime.fromtimestamp(day * _DAY_S, tz=UTC)
