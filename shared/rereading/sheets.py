"""A workbook as calamine reads it: the value of every cell, with which what is shown is compared."""

import math
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from shared.domain.geometry import CellRange, corners_of, range_name
from shared.domain.raw_page import SecondText
from shared.rereading.beside import Beside, read_beside
from shared.rereading.beside_old import read_beside_old
from shared.rereading.calamine_values import Sheets, Value, read_values
from shared.rereading.formulas import WrittenFormulas
from shared.rereading.opendocument_cells import written_values

LEFT_CELLS: Final = 5
# Calamine gives an empty cell for an error.
ERRORS: Final = frozenset(
    {
        "#NULL!",
        "#DIV/0!",
        "#VALUE!",
        "#REF!",
        "#NAME?",
        "#NUM!",
        "#N/A",
        "#GETTING_DATA",
        "#SPILL!",
        "#CALC!",
        "#FIELD!",
        "#BLOCKED!",
        "#CONNECT!",
        "#BUSY!",
        "#UNKNOWN!",
        "#EXTERNAL!",
        "#PYTHON!",
    }
)
_FIGURES: Final = re.compile(r"\d[\d,]*(?:\.\d+)?(?:E[+-]?\d+)?|\.\d+(?:E[+-]?\d+)?", re.I)
# Excel computes with 15 digits.
_PRECISION: Final = 1e-14
_TRUTHS: Final = frozenset({"TRUE", "FALSE"})
# What follows a number that is shown in thousands, millions or milliards: 1,5 Mio.
_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_GROUPED: Final = re.compile(r"(?<=\d)[ '\u2019\u00a0\u202f](?=\d{3}(?!\d))")
_OWN_DIGITS: Final = re.compile(rb'formatCode="[^"]*(?:&quot;[^"&]*\d[^"&]*&quot;|\\\d)')
_SWAPPED: Final = str.maketrans(",.", ".,")
_FRACTION: Final = re.compile(r"-?(?:(\d+) )?(\d+)/(\d+)")
_EPOCH: Final = datetime(1899, 12, 30, tzinfo=UTC)
_SECONDS: Final = 86_400


def reread_workbook(path: Path) -> SecondText:
    """A file that calamine cannot read has no cells, and nothing agrees; but for OpenDocument, which has in words what
    it shows."""
    beside = read_beside(path) | read_beside_old(path)
    values = read_values(path) or written_values(path)
    errors = partial(written_values, path)
    formulas = partial(WrittenFormulas, path)
    return SecondText("", cells=CellValues(values, _has_digits_in_formats(path), beside, errors, formulas))


def _has_digits_in_formats(path: Path) -> bool:
    """Whether a number's format has digits of its own: "1."0 shows 1.7 for a seven."""
    try:
        with zipfile.ZipFile(path) as container:
            return _OWN_DIGITS.search(container.read("xl/styles.xml")) is not None
    except (zipfile.BadZipFile, KeyError, OSError):
        return False


class CellValues:
    """Sheets as rows of values, from A1."""

    def __init__(
        self, sheets: Sheets, own_digits: bool = False, beside: Beside | None = None,
        words: Callable[[], Sheets] = dict, formulas: Callable[[], WrittenFormulas] | None = None,
    ) -> None:  # fmt: skip
        self._read_formulas = formulas
        self._sheets, self._own_digits, self._read_words = sheets, own_digits, words
        self._beside, self._unasked = beside or set(), set(beside or ())
        self._asked: dict[str, set[tuple[int, int]]] = {name: set() for name in sheets}

    def differs(self, place: CellRange, text: str) -> str | None:
        """As SecondCells says. The name of a sheet stands at all its cells."""
        rows = self._sheets.get(place.sheet)
        if rows is None:
            return "no such sheet"
        left, top, *_ = corners_of(place.range)
        noted = (place.sheet, top, left, text)
        # A cell may say what is noted on it: then both are asked for.
        self._unasked.discard(noted)
        value = rows[top - 1][left - 1] if top <= len(rows) and left <= len(rows[top - 1]) else ""
        known = says(text, value) or (value == "" and text in ERRORS) or self._says_behind(text, value)
        if known or self._is_written(place, text):
            self._asked[place.sheet].add((top, left))
            return None
        if text == place.sheet.strip() or noted in self._beside:
            return None
        return str(value) or "an empty cell"

    def differs_row(self, sheet: str, number: int, places: Sequence[int], texts: Sequence[str]) -> str | None:
        """As SecondCells says; a cell that has a value and no text is left."""
        for column, text in zip(places, texts, strict=True):
            place = CellRange(sheet=sheet, range=range_name(column, number, column, number))
            for line in text.split("\n") if text else ():
                if (found := self.differs(place, line)) is not None:
                    return found
        return None

    def differs_formula(self, sheet: str, cells: str, formula: str) -> str | None:
        """As SecondCells says."""
        return self._formulas.differs(sheet, cells, formula) if self._formulas else None

    def computes(self, place: CellRange) -> bool:
        """As SecondCells says."""
        written = self._formulas.at(place.sheet, place.range) if self._formulas else None
        return written is not None and written.valued

    @cached_property
    def _formulas(self) -> WrittenFormulas | None:
        return self._read_formulas() if self._read_formulas else None

    def _is_written(self, place: CellRange, text: str) -> bool:
        """Whether the file has these words in this cell, as OpenDocument has: errors in the user's language, what a
        format adds."""
        left, top, *_ = corners_of(place.range)
        rows = self._words.get(place.sheet, ())
        return top <= len(rows) and left <= len(rows[top - 1]) and says(text, rows[top - 1][left - 1])

    @cached_property
    def _words(self) -> Sheets:
        return self._read_words()

    def _says_behind(self, text: str, value: Value) -> bool:
        """Whether the last figure of a text, behind what its format says itself, is the value."""
        if not self._own_digits or isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return _says_number(re.split(r"\D", text)[-1], value)

    def left(self) -> str:
        found = [text for *_, text in sorted(self._unasked)[:LEFT_CELLS]]
        for name, rows in self._sheets.items():
            asked = self._asked[name]
            for row, values in enumerate(rows, 1):
                for column, value in enumerate(values, 1):
                    if value != "" and str(value).strip() and (row, column) not in asked:
                        found.append(str(value))
                        if len(found) >= LEFT_CELLS:
                            return " ".join(found)
        return " ".join(found)


def says(text: str, value: Value) -> bool:
    """Whether a cell with this value can show `text`, or a line of it."""
    match value:
        case str():
            return text in [line.strip() for line in value.splitlines()] or _says_duration(text, value)
        case bool():
            # OpenDocument has the word of the user's language.
            return text.upper() == str(value).upper() or (text.isalpha() and text.upper() not in _TRUTHS)
        case int() | float():
            if not math.isfinite(value):
                return text in ERRORS
            return _says_number(text, value) or _says_date(text, _EPOCH, value)
        case timedelta():
            days = value.total_seconds() / _SECONDS
            return _says_number(text, days) or _says_date(text, _EPOCH, days)
        case datetime():
            value = value.replace(tzinfo=UTC)
            days = (value - _EPOCH).total_seconds() / _SECONDS
            # Excel's 1900 has a 29 February: days before it are one later than they are counted.
            return _says_moment(text, value) or any(_says_number(text, one) for one in (days, days - 1))
        case date():
            return says(text, datetime(value.year, value.month, value.day, tzinfo=UTC))
        case time():
            # A negative number with a date's format comes as a time too: what it is short of a whole day.
            return _says_moment(text, datetime.combine(_EPOCH, value, UTC)) or _says_part(text, value)


def _says_number(text: str, value: float) -> bool:
    """Whether one figure of the text is the value, as far as its digits go; its sign is there too. In OpenDocument the
    text is written as in the user's country."""
    if value > 0 and text.startswith("-"):
        return False
    plain = _GROUPED.sub("", text)
    if value < 0 and not any(sign in text for sign in "-(\u2212"):
        # What is rounded to nothing has no sign.
        return abs(value) < 1 and re.search("[1-9]", text) is None
    fraction = _FRACTION.fullmatch(plain)
    if fraction is not None:
        whole, above, below = (int(one or 0) for one in fraction.groups())
        return below > 0 and abs(abs(value) - whole - above / below) <= 0.5 / below
    if _says_passed(text, abs(value)) or _says_in_pieces(text, abs(value)):
        return True
    size = abs(value) * (100 if "%" in text else 1)
    scales = _SCALES if any(sign.isalpha() for sign in text) else _SCALES[:1]
    return any(_has_figure(one, size / scale) for one in (plain, plain.translate(_SWAPPED)) for scale in scales)


def _says_passed(text: str, days: float) -> bool:
    """Whether the text is the time that has passed: hours, minutes and seconds, or the last of these, the first of them
    as many as there are."""
    found = re.fullmatch(r"(\d+)(:\d\d)?(:\d\d)?", text)
    if found is None:
        return False
    parts = [int(one) for one in text.split(":")]
    for units in ((3600, 60, 1)[at : at + len(parts)] for at in range(4 - len(parts))):
        said = sum(part * unit for part, unit in zip(parts, units, strict=True))
        if said - 0.5 <= days * _SECONDS < said + units[-1] + 0.5 and days:
            return True
    return False


def _says_in_pieces(text: str, value: float) -> bool:
    """Whether the figures of the text, one behind the other, are the whole number: (555) 123-4567; a dash is 0."""
    figures = re.findall(r"\d+", text)
    if not figures:
        return value == 0 and re.fullmatch(r"[^\w]*[-\u2013\u2014][^\w]*", text) is not None
    return len(figures) > 1 and "." not in text and "," not in text and int("".join(figures)) == round(value)


def _has_figure(text: str, size: float) -> bool:
    for found in _FIGURES.finditer(text):
        said = found[0].replace(",", "").upper()
        mantissa, _, power = said.partition("E")
        half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
        if abs(float(said) - size) <= half * (1 + 1e-9) + size * _PRECISION:
            return True
    return False


def _says_duration(text: str, value: str) -> bool:
    """Whether the text shows a duration of more than a day, which comes as ISO 8601 has it: PT25H30M00S. A format of a
    time of day shows the hours without whole days."""
    if re.fullmatch(r"-?P(?:\d+D)?T[\dHMS.,]+", value) is None:
        return False
    there = [int(figure) for figure in re.findall(r"\d+", value)]
    said = [int(figure) for figure in re.findall(r"\d+", text)]
    return bool(said) and said in (there[: len(said)], [there[0] % 24, *there[1:]][: len(said)])


def _says_part(text: str, value: time) -> bool:
    """Whether the text is a number of days with this time of a day."""
    seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    found = re.fullmatch(r"-?\d+(?:\.\d+)?", text)
    return found is not None and abs(float(text) * _SECONDS % _SECONDS - seconds) < 1


def _says_date(text: str, epoch: datetime, days: float) -> bool:
    try:
        return _says_moment(text, epoch + timedelta(days=days))
    except OverflowError:
        return False


def _says_moment(text: str, value: datetime) -> bool:
    """Whether every figure of the text is one of the date's or the time's."""
    near = (value, value + timedelta(microseconds=500_000))
    fields = {
        field
        for one in near
        for field in (
            one.year, one.year % 100, one.month, one.day, one.hour, (one.hour + 11) % 12 + 1, one.minute, one.second,
            round(one.microsecond / 1000), round(one.microsecond / 10_000), round(one.microsecond / 100_000) % 10,
        )
    }  # fmt: skip
    figures = re.findall(r"\d+", text)
    if text == value.strftime("%B")[0]:
        return True
    named = value.strftime("%b").lower() in text.lower() or value.strftime("%a").lower() in text.lower()
    return (bool(figures) or named) and all(_made_of(figure, fields) for figure in figures)


def _made_of(figure: str, fields: set[int]) -> bool:
    """Whether a figure is a field, or fields one behind the other: 20240229."""
    if not figure or int(figure) in fields:
        return True
    sizes = [size for size in (4, 2) if len(figure) > size]
    return any(int(figure[:size]) in fields and _made_of(figure[size:], fields) for size in sizes)
