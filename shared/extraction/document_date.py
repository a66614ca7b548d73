"""The date of a document: as its first page states it, as its file's name has it, as the file itself has it.

In this order, since a title page speaks about the document, a name about the file, and metadata about the moment when
the file was made, often long after the text. What can be read in several ways is not read: no date is better than a
wrong one.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from shared.domain.document_date import EARLIEST_DATE, DateUnit, DocumentDate
from shared.domain.page import Fragment, PageFile
from shared.values.dates import find_dates, find_months, may_hold_date, month_first
from shared.values.file_names import date_in_name

# Clocks differ by their time zones.
AHEAD_MAX: Final = timedelta(days=1)
# Confidences: how the first page says it …
ISSUED: Final = 0.95
IN_FORCE: Final = 0.85
ALONE: Final = 0.75
# … what the name says …
NAMED: Final = {"day": 0.7, "month": 0.6, "year": 0.3}
# … and when the file was made: near a year that its first page or its name has, with no year to compare it with, or
# near none of them, as where an older document was printed once more.
MADE_THEN: Final = 0.5
MADE: Final = 0.4
MADE_APART: Final = 0.2
YEARS_NEAR: Final = 1
# The share of a confidence that a month without a day has.
SHARES: Final[dict[DateUnit, float]] = {"day": 1.0, "month": 0.9}
# A line that says more is a sentence.
LINE_MAX: Final = 100

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BEGIN = r"(?:^|[·|;:,(\[–—•-]\s?)"
_LINKS = r"(?:\s(?:date|on|of|from|as|at|in|the|vom|am|ab|du|le|de|del|el)(?!\w)){0,3}\s?[:–—-]?\s?$"
_ISSUED = re.compile(
    rf"{_BEGIN}(?:(?:this|last|most recently|zuletzt|dernière)\s)?(?:date\s(?:of\s)?)?"
    r"(?:version|edition|issued?|publi(?:shed|cation)|released?|revis(?:ed|ion)|updated?|approved|dated|document"
    r"|ausgabe|stand|fassung|veröffentlicht|aktualisiert|überarbeitet|publiée?|révisée?|mise? à jour|édition"
    rf"|publicado|actualizado|revisado|edición|versión)(?:\s\d+(?:\.\d+)*)?,?{_LINKS}",
    re.I,
)
_IN_FORCE = re.compile(
    rf"{_BEGIN}(?:effective|in force|in effect|valid|gültig|in kraft|en vigueur|valable|válido|en vigor){_LINKS}", re.I
)
_AFTER = re.compile(r"\s?(?:$|[·|;()\[\]–—]|(?:until|to|through|bis|jusqu|hasta)(?!\w))")
# `Basel, 12 March 2024`, `Tuesday, 12 March 2024`, `Date: 12 March 2024`.
_BEFORE = re.compile(r"(?:[^\W\d_]{3,}(?:\s[^\W\d_]{2,}){0,2},|(?:date|datum|fecha)\s?:)?\s?", re.I)

# Where a date begins and ends in its line, its first day, and whether it is a day or a month.
_Dated = tuple[int, int, datetime, DateUnit]


def read_document_date(page: PageFile | None, name: str, made: date | None, today: date) -> DocumentDate | None:
    """The date of the document whose first page is `page`, whose file is called `name` and was `made` by its own
    account; None where nothing says one. What lies before 1900 or after `today` is none."""
    candidates = [*(_on_page(page, today) if page else ()), *_of_file(name, made, _years(page) if page else set())]
    return next((found for found in candidates if _is_past(found, today)), None)


def _is_past(found: DocumentDate, today: date) -> bool:
    return EARLIEST_DATE <= found.day <= today + AHEAD_MAX


def _on_page(page: PageFile, today: date) -> Iterator[DocumentDate]:
    """What says that it is the document's date, the latest first; else the one date that stands for itself."""
    lines = [f for f in page.fragments if not f.invisible and len(f.text) <= LINE_MAX and may_hold_date(f.text)]
    first = month_first("\n".join(line.text for line in page.fragments)) if lines else None
    dated = [(line, list(_dates(line.text, first))) for line in lines]
    for label, confidence in ((_ISSUED, ISSUED), (_IN_FORCE, IN_FORCE)):
        stated = [found for line, dates in dated for found in _stated(line, dates, label, confidence)]
        yield from sorted(stated, key=lambda found: found.day, reverse=True)
    alone = [found for line in lines for found in _alone(line, page.fragments, first) if _is_past(found, today)]
    if len({found.day for found in alone}) == 1:
        yield alone[0]


def _stated(
    line: Fragment, dates: Sequence[_Dated], label: re.Pattern[str], confidence: float
) -> Iterator[DocumentDate]:
    for start, end, when, unit in dates:
        if label.search(line.text[:start]) and _AFTER.match(line.text, end):
            yield _from_page(line, when, unit, confidence)


def _alone(line: Fragment, others: Sequence[Fragment], first: bool | None) -> Iterator[DocumentDate]:
    text = line.text.strip(" ()[].")
    for start, end, when, unit in _dates(text, first):
        if end == len(text) and _BEFORE.fullmatch(text[:start]) and not any(_is_left(one, line) for one in others):
            yield _from_page(line, when, unit, ALONE)


def _from_page(line: Fragment, when: datetime, unit: DateUnit, confidence: float) -> DocumentDate:
    sure = round(confidence * SHARES[unit] * (line.confidence or 1.0), 3)
    return DocumentDate(when.date(), "title_page", sure, line.text, unit)


def _is_left(other: Fragment, line: Fragment) -> bool:
    """Whether it stands before the line on the same height: the line is its value, or a cell."""
    middle = line.box.y + line.box.h / 2
    return other.box.y <= middle <= other.box.bottom and other.box.right <= line.box.x


def _dates(text: str, first: bool | None) -> Iterator[_Dated]:
    days = list(find_dates(text, first))
    unit: DateUnit = "day" if days else "month"
    yield from ((*found, unit) for found in days or find_months(text))


def _of_file(name: str, made: date | None, years: set[int]) -> Iterator[DocumentDate]:
    """What the name says; of a year alone the day when the file was made is the better one, where it is near."""
    named = date_in_name(name)
    if made and named and named.unit == "year" and _is_near(made, {named.first.year}):
        yield DocumentDate(made, "metadata", MADE_THEN)
    if named:
        yield DocumentDate(named.first, "file_name", NAMED[named.unit], name, named.unit)
    if made:
        yield DocumentDate(made, "metadata", MADE_THEN if _is_near(made, years) else MADE_APART if years else MADE)


def _years(page: PageFile) -> set[int]:
    return {int(year) for fragment in page.fragments for year in _YEAR.findall(fragment.text)}


def _is_near(made: date, years: set[int]) -> bool:
    return any(abs(made.year - year) <= YEARS_NEAR for year in years)
