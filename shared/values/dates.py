"""Printed dates that can be read in one way only: `2026-03-01`, `1 March 2026`, `1-MAR-2026`, `March 1, 2026`,
`2026年3月1日`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

_MONTHS: Final = [
    names.split()
    for names in (  # English, German, French, Spanish
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
]
_NUMBERS: Final = {
    **{name: at for names in _MONTHS for at, name in enumerate(names, 1)},
    **{name[:3]: at for at, name in enumerate(_MONTHS[0], 1)}, "sept": 9,
}  # fmt: skip
MONTH: Final = rf"(?P<month>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)"
_YEAR_LIKE = re.compile(_YEAR)
_SLASHED: Final = re.compile(rf"(?<![\w/])(?P<first>[0-3]?\d)/(?P<second>[0-3]?\d)/{_YEAR}(?![\w/])", re.I)
# Each with the signs of which one stands between its parts, where it has such.
_FORMS: Final = {
    re.compile(form, re.I): signs
    for form, signs in (
        (rf"(?<![\w.-]){_YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?![\w-])", "-"),
        (rf"(?<![\w.]){_DAY}(?:st|nd|rd|th|\.)?\s(?:de\s|of\s)?{MONTH},?\s(?:de\s)?{_YEAR}(?!\w)", ""),
        (rf"(?<![\w.-]){_DAY}-{MONTH}-{_YEAR}(?![\w-])", "-"),
        (rf"(?<!\w){MONTH}\s{_DAY}(?:st|nd|rd|th)?,?\s{_YEAR}(?!\w)", ""),
        (rf"(?<![\w.]){_DAY}\.(?P<month>[01]?\d)\.{_YEAR}(?![\w.])", "."),
        (rf"{_YEAR}\s?[年년]\s?(?P<month>[01]?\d)\s?[月월]\s?{_DAY}\s?[日일]", "年년"),
    )
} | {_SLASHED: "/"}
_MONTH_FORMS: Final = [
    re.compile(form, re.I)
    for form in (
        rf"(?<!\w)(?<!\d[\s.])(?<!\d\.\s){MONTH},?\s(?:de\s|of\s)?{_YEAR}(?!\w)",
        rf"{_YEAR}\s?[年년]\s?(?P<month>[01]?\d)\s?[月월](?!\s?\d)",
    )
]


def month_number(name: str) -> int:
    """1 to 12, of a name as `MONTH` finds it."""
    return _NUMBERS[name.lower()]


def may_hold_date(text: str) -> bool:
    """Whether it has a year: without one neither a date nor a month is found in it."""
    return _YEAR_LIKE.search(text) is not None


def find_dates(text: str, month_first: bool | None = None) -> Iterator[tuple[int, int, datetime]]:
    """Start, end and midnight UTC of every date, from left to right; what could be two dates (`3/4/2026`) is left
    out unless it is known which number of the document's dates is the month."""
    if not may_hold_date(text):
        return
    forms = [form for form, signs in _FORMS.items() if not signs or any(sign in text for sign in signs)]
    matches = (m for form in forms for m in form.finditer(text))
    found = [(m.start(), m.end(), date) for m in matches if (date := _date(m, month_first))]
    end = 0
    for start, stop, date in sorted(found):
        if start >= end:
            yield start, stop, date
            end = stop


def find_months(text: str) -> Iterator[tuple[int, int, datetime]]:
    """Start, end and the first day, midnight UTC, of every month with its year: `March 2026`, `2026年3月`. Ask
    `find_dates` first: of a day's date this may see the month alone."""
    if not may_hold_date(text):
        return
    for match in (m for form in _MONTH_FORMS for m in form.finditer(text)):
        month = _NUMBERS.get(match["month"].lower()) or int(match["month"])
        if 1 <= month <= 12:
            yield match.start(), match.end(), datetime(int(match["year"]), month, 1, tzinfo=UTC)


def month_first(text: str) -> bool | None:
    """Whether the document's dates of the form 12/31/2026 have the month first; None where they disagree or do not
    say."""
    firsts = {
        int(m["first"]) <= 12 for m in _SLASHED.finditer(text) if (int(m["first"]) > 12) != (int(m["second"]) > 12)
    }
    return firsts.pop() if len(firsts) == 1 else None


def whole_date(text: str, month_first: bool | None = None) -> datetime | None:
    """The date that `text` is, all of it."""
    found = next(find_dates(text, month_first), None)
    return found[2] if found and found[:2] == (0, len(text)) else None


def _date(match: re.Match[str], month_first: bool | None) -> datetime | None:
    parts = match.groupdict()
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        if first <= 12 and second <= 12 and first != second and month_first is None:
            return None
        american = first <= 12 and (second > 12 or month_first is not False)
        month, day = (first, second) if american else (second, first)
    else:
        name = parts["month"].lower()
        month, day = _NUMBERS.get(name) or int(name), int(parts["day"])
    try:
        return datetime(int(parts["year"]), month, day, tzinfo=UTC)
    except ValueError:
        return None
