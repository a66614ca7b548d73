"""What a document is dated, and where that was read."""

from datetime import date
from typing import Final, Literal, NamedTuple

DateSource = Literal["title_page", "file_name", "metadata", "edited"]
DateUnit = Literal["day", "month", "year"]
EARLIEST_DATE: Final = date(1900, 1, 1)


class DocumentDate(NamedTuple):
    """A day, or the first one of the month or year that `text` says, by `unit`; `text` is None where no text was read.
    `confidence` is 0 to 1."""

    day: date
    source: DateSource
    confidence: float
    text: str | None = None
    unit: DateUnit = "day"
