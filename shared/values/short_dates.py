"""Dates whose years have two digits (`12/31/98`, `1-Jan-07`), as columns have them: one alone could be several
days, and many together may leave one reading."""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Final

from shared.values.dates import MONTH, month_number

# Of a year in two digits POSIX (strptime, %y) takes 69 to 99 for the last century, spreadsheets (Excel, ODF 1.2 as its
# programs open it) 30 to 99. Where they differ it is not known which one is meant.
_CONTESTED: Final = range(30, 69)
_FIRST_OF_LAST: Final = 69
_TIME: Final = r"(?:,?\s\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?)?"
_NUMBERS: Final = re.compile(rf"(?P<a>\d?\d)(?P<sign>[/.-])(?P<b>\d?\d)(?P=sign)(?P<c>\d\d){_TIME}", re.I)
_NAMED: Final = re.compile(rf"(?P<day>\d?\d)(?P<sign>[-/ ]){MONTH}(?P=sign)(?P<year>\d\d){_TIME}", re.I)
# Which of the three numbers are year, month and day. Month first is not written with full stops (CLDR, short forms of
# dates); year first is with any sign.
_ORDERS: Final = {"/": ("cab", "cba", "abc"), ".": ("cba", "abc"), "-": ("cab", "cba", "abc")}


def short_dates(cells: Collection[str]) -> Mapping[str, datetime]:
    """The day of each cell of a column, midnight UTC, by its text. None at all where one cell is no such date, is
    written in another way than the others or is of a contested century, and where not one cell shows which number is
    the day: every other order must be impossible for the column, or put some cell into a contested year."""
    named = [_NAMED.fullmatch(cell) for cell in cells]
    if cells and all(named):
        found = [_day(int(m["year"]), month_number(m["month"]), int(m["day"])) for m in named if m]
        return _whole(cells, found)
    parts = [_NUMBERS.fullmatch(cell) for cell in cells]
    signs = {m["sign"] if m else "" for m in parts}
    sign = signs.pop() if len(signs) == 1 else ""
    if not sign:
        return {}
    read = [[_in_order(m, order) for m in parts if m] for order in _ORDERS[sign]]
    possible = [days for days in read if all(day is not None and not _contested(day) for day in days)]
    # Of days up to the 12th of their months nothing shows that they are dates, where only one order is written so.
    shown = any(int(m["a"]) > 12 or int(m["b"]) > 12 for m in parts if m)
    return _whole(cells, possible[0]) if len(possible) == 1 and shown else {}


def is_short_date(text: str) -> bool:
    """Whether it is written like one."""
    return _NUMBERS.fullmatch(text) is not None or _NAMED.fullmatch(text) is not None


def _whole(cells: Collection[str], days: list[datetime | None]) -> Mapping[str, datetime]:
    found = {cell: day for cell, day in zip(cells, days, strict=True) if day is not None}
    return found if len(found) == len({*cells}) and not any(_contested(day) for day in found.values()) else {}


def _contested(day: datetime) -> bool:
    return day.year % 100 in _CONTESTED


def _in_order(match: re.Match[str], order: str) -> datetime | None:
    year, month, day = (match[group] for group in order)
    return _day(int(year), int(month), int(day)) if len(year) == 2 else None


def _day(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year + (1900 if year >= _FIRST_OF_LAST else 2000), month, day, tzinfo=UTC)
    except ValueError:
        return None
