"""Dates in a PDF's metadata, `D:20240312101500+01'00'`: PDF 1.7, section 7.9.4."""

import re
from datetime import date, datetime

_DATE = re.compile(r"(?:D:)?(?P<day>\d{8})(?P<time>(?:[01]\d|2[0-3])[0-5]\d)?")
# A clock that was never set, or a program that writes no time.
_UNSET = ("0101", "0000")


def read_pdf_date(text: str | None) -> date | None:
    """The day on the clock of whoever wrote it; None for anything else.

    The first of January at midnight is no date: it is what is written where no time is known.
    """
    found = _DATE.match((text or "").strip())
    if not found or (found["day"][4:], found["time"] or "0000") == _UNSET:
        return None
    try:
        return datetime.strptime(found["day"], "%Y%m%d").date()  # noqa: DTZ007 a day has no time zone
    except ValueError:
        return None
