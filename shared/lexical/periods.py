"""Fiscal periods however they are written: `FY2022`, `3Q22`, `2022Q3`, "the third quarter of 2022".

Reports are named by quarter and year; a question names them in one of many ways, and its words "third quarter" are in
every report's text.
"""

import re
from collections.abc import Iterator

from shared.values.dates import find_dates

_YEAR = r"(?:20)?(?P<year>\d{2})"
_WRITTEN = tuple(
    re.compile(pattern) for pattern in (rf"[fc]y{_YEAR}", rf"(?P<quarter>[1-4])q{_YEAR}",
    rf"q(?P<quarter>[1-4]){_YEAR}", r"20(?P<year>\d{2})q(?P<quarter>[1-4])")
)  # fmt: skip
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_THREE_MONTHS = re.compile(r"\b(?:three|3)[- ]months?\b", re.IGNORECASE)
_IN_WORDS = re.compile(rf"\b({'|'.join(_ORDINALS)}) (?:fiscal )?quarter\b", re.IGNORECASE)


def spell_period(identifier: str) -> list[str]:
    """The quarter and the year of a period written as one identifier: `3q22` → `q3`, `2022`; [] for any other."""
    for pattern in _WRITTEN:
        if found := pattern.fullmatch(identifier):
            parts = found.groupdict()
            return [f"q{parts['quarter']}", f"20{parts['year']}"] if parts.get("quarter") else [f"20{parts['year']}"]
    return []


def abbreviate_quarters(text: str) -> str:
    """The text with quarters as reports are named by them: "the third quarter of 2022" → "the Q3 of 2022"."""
    return _IN_WORDS.sub(lambda match: f"Q{_ORDINALS[match[1].lower()]}", text)


def quarters(text: str) -> list[str]:
    """The quarters that a text has in words, as terms: `q3`."""
    return [f"q{_ORDINALS[match[1].lower()]}" for match in _IN_WORDS.finditer(text)]


def lasts_a_quarter(text: str) -> bool:
    """Whether a text has a quarter as statements head their columns: "Three Months Ended June 30"."""
    return bool(_THREE_MONTHS.search(text))


def numbered_dates(text: str) -> Iterator[tuple[str, str]]:
    """Each day that a text has, as it is written and as sheets and logs number it: `18 January 2024`, `2024-01-18`."""
    for start, end, day in find_dates(text):
        yield text[start:end], f"{day:%Y-%m-%d}"
