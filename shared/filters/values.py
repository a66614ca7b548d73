"""Parses a filter's value in every possible way: as a number with its unit, a date, a boolean, a text."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from shared.errors import BadFilter
from shared.values.dates import whole_date
from shared.values.money import currency_of, scale_of
from shared.values.units import Unit, ucum_unit, whole_unit

_BOOLEANS: Final = {"yes": True, "no": False, "true": True, "false": False}
_PERIOD = re.compile(r"(?P<year>[12]\d{3})(?:-(?P<month>\d\d))?")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)")
_SCALE = re.compile(r"\b(?:thousand|million|billion|trillion)\b")


@dataclass(frozen=True)
class TimeSpan:
    """The time span that a date names: from `start` (inclusive) to `end` (exclusive)."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class FilterValue:
    """A value of a filter: what was written, and each way to read it.

    `number` is as written; with a unit there are also `canonical`, in the canonical unit `unit` (or currency), and
    `measure`, what units of that kind measure.
    """

    shown: str
    number: float | None = None
    canonical: float | None = None
    unit: str | None = None
    measure: str | None = None
    text: str | None = None
    time: TimeSpan | None = None
    boolean: bool | None = None


def read_value(value: bool | float | str, unit: str | None) -> FilterValue:
    """Raises BadFilter for an unknown unit."""
    if isinstance(value, bool):
        return FilterValue("true" if value else "false", boolean=value)
    if isinstance(value, str):
        text = value.strip()
        number = float(text) if _NUMBER.fullmatch(text) else None
        return FilterValue(
            f"`{text}`", number=number, text=text, time=span_of(text), boolean=_BOOLEANS.get(text.lower())
        )
    shown = f"{value:g}"
    if unit is None:
        year = f"{value:.0f}" if float(value).is_integer() else ""
        return FilterValue(shown, number=value, time=span_of(year) if len(year) == 4 else None)
    return _measured(value, unit.strip())


def _measured(value: float, unit: str) -> FilterValue:
    """A number in the canonical unit of its dimension; an amount of money in its own currency."""
    shown, scale = f"{value:g} {unit}", _SCALE.search(unit)
    printed = " ".join(_SCALE.sub(" ", unit).split())
    number = float(f"{value * scale_of(scale.group()):.15g}") if scale else value
    if scale and not printed:
        return FilterValue(shown, number=number)
    currency = currency_of(printed, plain_dollar=True) or currency_of(printed.upper(), plain_dollar=True)
    if currency:
        return FilterValue(shown, number=number, canonical=number, unit=currency, measure=f"an amount in {currency}")
    known = whole_unit(printed) or ucum_unit(printed)
    if known is None:
        raise BadFilter(
            f"`{printed}` is no unit that is known. Write it as on the page, such as kg, lb, m/s, °C, USD;"
            f' a text that begins with a number stands in quotes: "{value:g}{unit}".'
        )
    return FilterValue(
        shown, number=number, canonical=known.canonical(number), unit=known.canonical_code, measure=_measure(known)
    )


def _measure(unit: Unit) -> str:
    return f"a {unit.name.replace('_', ' ')}" if unit.name else f"in {unit.canonical_code}"


def span_of(text: str) -> TimeSpan | None:
    """The day, month, year or moment that a date names: `2026-03-01`, `2026-03`, `2026`, `1 March 2026`."""
    period = _PERIOD.fullmatch(text)
    try:
        if period:
            return _period(int(period["year"]), period["month"])
        day = whole_date(text)
        if day:
            return TimeSpan(day, day + timedelta(days=1))
        if "T" not in text:
            return None
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return TimeSpan(moment, moment + timedelta(microseconds=1))
    except (ValueError, OverflowError):
        return None


def _period(year: int, month: str | None) -> TimeSpan:
    if month is None:
        return TimeSpan(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    start = datetime(year, int(month), 1, tzinfo=UTC)
    return TimeSpan(start, (start + timedelta(days=31)).replace(day=1))
