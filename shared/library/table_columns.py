"""What the columns of a table are: number, date, text …, and in which unit, from what is printed in them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple, cast

from shared.domain.datasets import NUMERIC, Cell, ColumnType, DatasetColumn
from shared.extraction.tables.rows import is_figure
from shared.values.dates import month_first, whole_date
from shared.values.headers import SCALES, counts_something, read_header
from shared.values.numbers import GROUP, Style, parse_number, style_of
from shared.values.quantities import NumberReading, find_quantities
from shared.values.short_dates import short_dates
from shared.values.units import ucum_unit

EMPTY: Final = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "null", "none"})
TRUTHS: Final = {"yes": True, "true": True, "✓": True, "✔": True, "no": False, "false": False, "✗": False, "✘": False}
# What may stand around the digits of a figure.
_AROUND: Final = " \u00a0$€£¥%*"
_PLAIN = re.compile(r"-?(?:\d{1,15}(?:\.\d{1,17})?|\.\d{1,17})(?:[eE][+-]?\d{1,2})?")
_WHOLE = re.compile(r"[-−–+(]?\d[\d,.\s]*\)?")
# An identifier, which loses its zeros as a number.
_CODE = re.compile(r"-?0\d+")
# Digits in groups by spaces, which are no sign of two numbers where all groups but the first have three.
_SPACED = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[ {GROUP}]\d{{3}})+(?!\d)")
# A measure of spread behind a number: `12.3 (0.4)`, `12.3 (±0.4)`, `12 (40 %)`.
_BRACKET = re.compile(r"([^()]*[^()\s])\s?\(±?\s?[\d.,]{1,20}\s?%?\)")
_GROUPED = re.compile(r"\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[ \u00a0]\d{3})+")
_SPREAD = re.compile(r"(?<=[\d%)])\s?(?:±|\()")
# A number with a letter that scales it: `110M`.
_SUFFIXED = re.compile(r"(.*\d)\s?([kKMBGT]|bn|mn)")
# A unit that only some cells have is guessed for the others.
GUESSED: Final = 0.9
_SAMPLE: Final = 2_000
# Whole numbers below a head that says "year" are years of the calendar, and no durations, where all lie in here.
YEAR: Final = "a"
CALENDAR: Final = range(1000, 2101)
# Whole numbers of more than 64 bits stay texts: no column holds them exactly.
LARGEST: Final = 2**63
DIGITS_MAX: Final = 40
_NUMERAL = re.compile(rf"[.,]?\d(?:[.,'’ {GROUP}]?\d)*")
# In place of a number of decimals.
UNPRINTED: Final = -1
UNEVEN: Final = -2


class CellNumber(NamedTuple):
    """A number as printed: `unit` UCUM or ISO 4217; `exact` without a tolerance behind it. A whole one is an int where
    a float would round it."""

    value: int | float
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
    found = _as_numbers(label, counted, _read_all(label, [*counted]), least)
    if found is not None:
        return found
    months = month_first(" ".join([*counted][:_SAMPLE]))
    dates = sum(times for cell, times in counted.items() if whole_date(cell, months) is not None)
    if dates >= least * len(printed):
        return DatasetColumn(label=label, type="date", confidence=round(dates / len(printed), 3))
    if short_dates([*counted]):
        return DatasetColumn(label=label, type="date")
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
    header = read_header(label, [float(number.value) for number in read.values()])
    hint = header.hint
    own = hint.unit.code if hint.unit else hint.currency
    if own == YEAR and not units and all(number.value in CALENDAR for number in read.values()):
        own = None
    unit = next(iter(units), own)
    if own and unit != own and units.total() < kept:
        # Bare cells are in the header's unit; cells with one of their own are converted to it.
        if _convert(1.0, cast(str, unit), own) is None:
            return None
        unit = own
    guessed = unit is not None and (unit != own if own else units[unit] < len(read) and units.total() < kept)
    confidence = kept / total * (GUESSED if guessed else header.confidence)
    whole = all(_WHOLE.fullmatch(cell) and _is_whole(number.value) for cell, number in read.items())
    if whole and any(abs(number.value) >= LARGEST for number in read.values()):
        return None
    # Cells that say their own scale need none of the header.
    scale = 1.0 if any(_is_scaled(cell, number) for cell, number in read.items()) else hint.scale
    kind: ColumnType = "quantity" if unit else "integer" if whole and scale == 1 else "number"
    return DatasetColumn(label=label, type=kind, unit=unit, scale=scale, confidence=round(confidence, 3))


def _read_all(label: str, cells: Sequence[str]) -> dict[str, CellNumber | None]:
    """Letters behind numbers are scales (`110M`) below a header that says what is counted, and where they differ."""
    style = _style(cells)
    found = {cell: read_number(cell, style) for cell in cells}
    letters = {suffix[2] for suffix in map(_SUFFIXED.fullmatch, cells) if suffix}
    if letters and (len(letters) > 1 or counts_something(label)):
        return {cell: read_number(cell, style, scaled=True) for cell in cells}
    return found


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _is_scaled(cell: str, number: CellNumber) -> bool:
    return number.unit is None and _SUFFIXED.fullmatch(cell) is not None


def read_cells(column: DatasetColumn, cells: Sequence[str]) -> list[Cell]:
    """The cells as the column's type; dates as ISO text. None for what is empty, or does not read so."""
    known = read_distinct(column, cells)
    return [known[cell] for cell in cells]


def read_distinct(column: DatasetColumn, cells: Sequence[str]) -> dict[str, Cell]:
    """As `read_cells`, each text once, in the order in which they come first."""
    if column.type == "text":
        return {cell: cell or None for cell in cells}
    distinct = dict.fromkeys(cells)
    if column.type == "boolean":
        return {cell: TRUTHS.get(cell.casefold()) for cell in distinct}
    printed = [cell for cell in distinct if not is_empty(cell)]
    values = _numbers(column, printed) if column.type in NUMERIC else _days(printed)
    return distinct | values


def read_spreads(column: DatasetColumn, cells: Iterable[str]) -> dict[str, float | None]:
    """Of each text the spread that is printed behind its number (`0.91 ± 0.02`, `0.91 (0.02)`), in the column's unit;
    None where there is none, or one in another unit."""
    distinct = [*dict.fromkeys(cells)]
    style = _style([cell for cell in distinct if not is_empty(cell)])
    return {cell: _spread_of(cell, style, column) for cell in distinct}


def _spread_of(cell: str, style: Style, column: DatasetColumn) -> float | None:
    parts = _SPREAD.split(cell, maxsplit=1)
    if len(parts) < 2 or read_number(parts[0], style) is None:
        return None
    found = read_number(parts[1].strip().strip("±()").strip(), style)
    return None if found is None or found.unit not in (None, column.unit) else abs(float(found.value))


def has_spread(cell: str) -> bool:
    """Whether a number has another one behind it that it is without in a column."""
    return len(_SPREAD.split(cell, maxsplit=1)) > 1


def printed_decimals(known: Mapping[str, Cell]) -> list[int]:
    """With how many decimals the number of each text is printed, as `read_distinct` gave it; UNPRINTED where it is no
    number, UNEVEN where its digits are not the number's (`110M`, `1.5e3`)."""
    return [
        UNPRINTED if value is None or isinstance(value, str | bool) else _decimals(cell, value)
        for cell, value in known.items()
    ]


def _decimals(cell: str, value: float) -> int:
    """A whole number may be printed with some too: 68.0."""
    whole, point, behind = cell.partition(".")
    if whole.isdecimal() and (behind.isdecimal() or not point) and float(cell) == value:
        return len(behind)
    numeral, digits = cell, cell.replace(".", "").replace(",", "")
    if not digits.isdecimal():
        found = _NUMERAL.search(cell)
        if found is None:
            return UNEVEN
        numeral, digits = found[0], re.sub(r"\D", "", found[0])
    # Whichever sign the document has before decimals: what stands behind the last one, where that is the number.
    sign = max(numeral.rfind("."), numeral.rfind(","))
    decimals = len(numeral) - 1 - sign if sign >= 0 else 0
    return next((one for one in (decimals, 0) if float(f"{digits}e-{one}") == abs(value)), UNEVEN)


def with_decimals(column: DatasetColumn, decimals: Iterable[int]) -> DatasetColumn:
    """The column with those of all its numbers, where they have the same; whole numbers have none as a rule."""
    common = common_decimals(decimals)
    return column.model_copy(update={"decimals": None if column.type == "integer" and common == 0 else common})


def common_decimals(decimals: Iterable[int]) -> int | None:
    """Those of all numbers of a column, where they have the same."""
    found = {*decimals} - {UNPRINTED}
    return found.pop() if len(found) == 1 and UNEVEN not in found else None


def are_mixed(decimals: Iterable[int]) -> bool:
    """Whether numbers of a column are printed with different decimals, which each cell then has of its own."""
    found = {*decimals}
    return common_decimals(found) is None and max(found, default=UNPRINTED) > 0


def _numbers(column: DatasetColumn, printed: Sequence[str]) -> dict[str, Cell]:
    style = _style(printed)
    read = {cell: read_number(cell, style, scaled=column.unit is None) for cell in printed}
    found = {cell: _in_unit(number, column) for cell, number in read.items() if number is not None}
    if column.type == "integer":
        return {cell: int(value) for cell, value in found.items() if _is_whole(value) and abs(value) < LARGEST}
    return {cell: float(value) for cell, value in found.items()}


def _in_unit(number: CellNumber, column: DatasetColumn) -> int | float:
    """What the cell says in the column's unit, where it has another one of its own that measures the same."""
    if number.unit is None or column.unit is None or number.unit == column.unit:
        return number.value
    converted = _convert(number.value, number.unit, column.unit)
    return number.value if converted is None else converted / column.scale


def _convert(value: float, source: str, target: str) -> float | None:
    """None where the units measure different things, or one is none that is known, as a currency is."""
    of, to = ucum_unit(source), ucum_unit(target)
    conversion = of.conversion(to) if of and to else None
    return float(f"{value * conversion[0] + conversion[1]:.15g}") if conversion else None


def _days(printed: Sequence[str]) -> dict[str, Cell]:
    months = month_first(" ".join(printed[:_SAMPLE]))
    days = {cell: whole_date(cell, months) for cell in printed}
    found = {cell: day for cell, day in days.items() if day is not None} or short_dates([*dict.fromkeys(printed)])
    return {cell: date(day.year, day.month, day.day).isoformat() for cell, day in found.items()}


def is_empty(cell: str) -> bool:
    return not cell or (len(cell) <= 4 and cell.casefold() in EMPTY)


def read_number(cell: str, style: Style, *, scaled: bool = False) -> CellNumber | None:
    """One number, bare or with its unit; None for anything else, as for a range. `scaled`: a letter behind it is a
    scale (`110M`), no unit."""
    if style is not Style.COMMA and _PLAIN.fullmatch(cell):
        return CellNumber(float(cell))
    cell = _SPACED.sub(lambda found: re.sub(r"\D", "\u00a0", found.group()), cell)
    spread = _BRACKET.fullmatch(cell) if "(" in cell else None
    central = read_number(spread[1], style, scaled=scaled) if spread else None
    if central is not None:
        return central._replace(exact=False)
    suffix = _SUFFIXED.fullmatch(cell) if scaled else None
    if suffix is not None:
        return _scaled(read_number(suffix[1], style), SCALES[suffix[2]])
    return _exact(cell) or _measured(cell, style)


def _scaled(number: CellNumber | None, scale: float) -> CellNumber | None:
    return number and number._replace(value=float(f"{number.value * scale:.15g}"))


def _exact(cell: str) -> CellNumber | None:
    """A whole number that has more digits than a float keeps."""
    body = cell.lstrip("-−–+")
    digits = re.sub(r"\D", "", body)
    if not 15 < len(digits) <= DIGITS_MAX or _GROUPED.fullmatch(body) is None:
        return None
    return CellNumber(-int(digits) if cell[0] in "-−–" else int(digits))


def _measured(cell: str, style: Style) -> CellNumber | None:
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
    """Of the numbers themselves, without a tolerance or a spread behind them."""
    return style_of(_without_spread(cell).strip(_AROUND) for cell in printed)


def _without_spread(cell: str) -> str:
    return _SPREAD.split(cell, maxsplit=1)[0] if "(" in cell or "±" in cell else cell
