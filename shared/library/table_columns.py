"""What the columns of a table are: number, date, text …, and in which unit, from what is printed in them."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from shared.domain.datasets import NUMERIC, Cell, ColumnType, DatasetColumn
from shared.extraction.tables.rows import is_figure
from shared.values.dates import month_first, whole_date
from shared.values.names import NO_HINT, read_label
from shared.values.numbers import Style, parse_number, style_of
from shared.values.quantities import NumberReading, find_quantities

EMPTY: Final = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "null", "none"})
TRUTHS: Final = {"yes": True, "true": True, "✓": True, "✔": True, "no": False, "false": False, "✗": False, "✘": False}
# What may stand around the digits of a figure.
_AROUND: Final = " \u00a0$€£¥%*"
_PLAIN = re.compile(r"-?(?:\d{1,15}(?:\.\d{1,17})?|\.\d{1,17})(?:[eE][+-]?\d{1,2})?")
_WHOLE = re.compile(r"[-−–+(]?\d[\d,.\s]*\)?")
# An identifier, which loses its zeros as a number.
_CODE = re.compile(r"-?0\d+")
# A unit that only some cells have is guessed for the others.
GUESSED: Final = 0.9
_SAMPLE: Final = 2_000
# Whole numbers below a head that says "year" are years of the calendar, and no durations, where all lie in here.
YEAR: Final = "a"
CALENDAR: Final = range(1000, 2101)


class CellNumber(NamedTuple):
    """A number as printed: `unit` UCUM or ISO 4217; `exact` without a tolerance behind it."""

    value: float
    unit: str | None = None
    exact: bool = True


def infer_column(label: str, cells: Sequence[str], least: float = 1.0) -> DatasetColumn:
    """What the column is, where a share of `least` of the cells that are not empty reads so; else text. A tolerance
    (`0.91 ± 0.02`) leaves the number before it. Cells that do not read as the type are missing in it."""
    printed = [cell for cell in cells if not is_empty(cell)]
    if not printed:
        return DatasetColumn(label=label, type="text", confidence=0.5)
    counted = Counter(printed)
    if sum(times for cell, times in counted.items() if cell.casefold() in TRUTHS) == len(printed):
        return DatasetColumn(label=label, type="boolean")
    style = _style(printed)
    numbers = {cell: read_number(cell, style) for cell in counted}
    found = _as_numbers(label, counted, numbers, least)
    if found is not None:
        return found
    months = month_first(" ".join([*counted][:_SAMPLE]))
    dates = sum(times for cell, times in counted.items() if whole_date(cell, months) is not None)
    if dates >= least * len(printed):
        return DatasetColumn(label=label, type="date", confidence=round(dates / len(printed), 3))
    return DatasetColumn(label=label, type="text")


def _as_numbers(
    label: str, counted: Counter[str], numbers: dict[str, CellNumber | None], least: float
) -> DatasetColumn | None:
    total = counted.total()
    read = {cell: number for cell, number in numbers.items() if number is not None}
    # Where a tolerance is lost the column is one of text to those who want every cell.
    kept = sum(counted[cell] for cell, number in read.items() if number.exact or least < 1)
    units = Counter[str]()
    for cell, number in read.items():
        if number.unit:
            units[number.unit] += counted[cell]
    if not read or kept < least * total or len(units) > 1 or any(_CODE.fullmatch(cell) for cell in counted):
        return None
    hint = read_label(label)[1] if label else NO_HINT
    own = hint.unit.code if hint.unit else hint.currency
    if own == YEAR and not units and all(number.value in CALENDAR for number in read.values()):
        own = None
    unit = next(iter(units), own)
    guessed = unit is not None and (unit != own if own else units[unit] < len(read) and units.total() < kept)
    confidence = kept / total * (GUESSED if guessed else 1)
    whole = all(_WHOLE.fullmatch(cell) and number.value.is_integer() for cell, number in read.items())
    whole = whole and all(abs(number.value) < 2**53 for number in read.values())
    kind: ColumnType = "quantity" if unit else "integer" if whole and hint.scale == 1 else "number"
    return DatasetColumn(label=label, type=kind, unit=unit, scale=hint.scale, confidence=round(confidence, 3))


def read_cells(column: DatasetColumn, cells: Sequence[str]) -> list[Cell]:
    """The cells as the column's type; dates as ISO text. None for what is empty, or does not read so."""
    if column.type == "text":
        return [cell or None for cell in cells]
    if column.type == "boolean":
        return [TRUTHS.get(cell.casefold()) for cell in cells]
    distinct = dict.fromkeys(cells)
    printed = [cell for cell in distinct if not is_empty(cell)]
    values = _numbers(column.type, printed) if column.type in NUMERIC else _days(printed)
    return [values.get(cell) for cell in cells]


def _numbers(kind: ColumnType, printed: Sequence[str]) -> dict[str, Cell]:
    style = _style(printed)
    read = {cell: read_number(cell, style) for cell in printed}
    found = {cell: number.value for cell, number in read.items() if number is not None}
    if kind == "integer":
        return {cell: int(value) for cell, value in found.items() if value.is_integer()}
    return {**found}


def _days(printed: Sequence[str]) -> dict[str, Cell]:
    months = month_first(" ".join(printed[:_SAMPLE]))
    days = {cell: whole_date(cell, months) for cell in printed}
    return {cell: date(day.year, day.month, day.day).isoformat() for cell, day in days.items() if day is not None}


def is_empty(cell: str) -> bool:
    return not cell or (len(cell) <= 4 and cell.casefold() in EMPTY)


def read_number(cell: str, style: Style) -> CellNumber | None:
    """One number, bare or with its unit; None for anything else, as for a range."""
    if style is not Style.COMMA and _PLAIN.fullmatch(cell):
        return CellNumber(float(cell))
    reading = NumberReading(style if style is not Style.UNKNOWN else Style.POINT)
    found = [*find_quantities(cell, reading, prose=False)]
    if len(found) == 1 and not cell[: found[0].start].strip() and not cell[found[0].end :].strip():
        quantity = found[0].quantity
        if quantity.upper is not None or quantity.comparator != "=":
            return None
        return CellNumber(quantity.number, quantity.unit, quantity.tolerance is None)
    if not is_figure(cell):
        head, sign, tail = cell.partition("±")
        if not sign or not is_figure(head.strip()) or not is_figure(tail.strip()):
            return None
        central = read_number(head.strip(), style)
        return central._replace(exact=False) if central else None
    plain = cell.strip(_AROUND)
    negative = plain.startswith(("(", "-", "−", "–"))
    value = parse_number(plain.strip("()-−–+").strip(_AROUND), reading.style)
    return None if value is None else CellNumber(-value if negative else value, "%" if "%" in cell else None)


def _style(printed: Sequence[str]) -> Style:
    return style_of(cell.strip(_AROUND) for cell in printed)
