"""The date that a file's name has: `2024-03-12 minutes.pdf`, `Minutes_20240312.pdf`, `prices March 2024.pdf`."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from shared.domain.document_date import DateUnit
from shared.values.dates import find_dates, find_months

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_BEGIN, _END = r"(?<![^\W_])(?<!\d[-.])", r"(?![^\W_])(?!\.\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY_FORMS: Final = [
    re.compile(form)
    for form in (
        rf"{_BEGIN}{_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?:(?=T\d)|{_END})",
        rf"{_BEGIN}{_YEAR}(?P<sign>[-. ])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?:(?=T\d)|{_END})",
    )
]
_MONTH_FORM = re.compile(rf"{_BEGIN}{_YEAR}[-. ](?P<month>\d\d){_END}(?![- ]\d)")
_YEAR_FORM = re.compile(rf"{_BEGIN}{_YEAR}{_END}(?!-\d)")


class NamedDate(NamedTuple):
    """The first day of what the name says, which is a day, a month or a year."""

    first: date
    unit: DateUnit


def date_in_name(name: str) -> NamedDate | None:
    """None where the name says none or several, or says one that has several readings (`03-04-2024`, `2011-12`)."""
    stem = _ENDING.sub("", name).replace("_", " ")
    if days := set(_days(stem)):
        return NamedDate(days.pop(), "day") if len(days) == 1 else None
    if months := set(_months(stem)):
        return NamedDate(months.pop(), "month") if len(months) == 1 else None
    years = {int(match["year"]) for match in _YEAR_FORM.finditer(stem)}
    return NamedDate(date(years.pop(), 1, 1), "year") if len(years) == 1 else None


def _days(stem: str) -> Iterator[date]:
    for match in (m for form in _DAY_FORMS for m in form.finditer(stem)):
        try:
            yield date(int(match["year"]), int(match["month"]), int(match["day"]))
        except ValueError:
            continue
    # Between the parts of a date a name may have what a text would not.
    for spelled in (stem.replace("-", " "), re.sub(r"(?<=\d)[- ](?=\d)", "/", stem)):
        yield from (day.date() for _, _, day in find_dates(spelled))


def _months(stem: str) -> Iterator[date]:
    yield from (first.date() for _, _, first in find_months(stem.replace("-", " ")))
    for match in _MONTH_FORM.finditer(stem):
        year, month = int(match["year"]), int(match["month"])
        # `2011-12` is a season too.
        if 1 <= month <= 12 and month != (year + 1) % 100:
            yield date(year, month, 1)
