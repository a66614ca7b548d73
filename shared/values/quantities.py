"""Finds quantities in text, with positions: a number with its unit, percent or currency, ranges, tolerances, bounds."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from shared.domain.attributes import Comparator, Quantity
from shared.values.money import AFTER, BEFORE, SCALE, currency_of, scale_of
from shared.values.numbers import NUMBER, WORDS, Style, parse_number
from shared.values.units import Unit, match_unit
from shared.values.units_table import AMBIGUOUS

_COMPARATORS: Final[dict[str, Comparator]] = {
    "<": "<", ">": ">", "≤": "<=", "≥": ">=", "<=": "<=", ">=": ">=", "≲": "<=", "≳": ">=", "~": "~", "∼": "~",
    "≈": "~", "≃": "~", "about": "~", "approximately": "~", "approx.": "~", "around": "~", "roughly": "~",
    "nearly": "~",
    "ca.": "~", "c.": "~", "circa": "~", "up to": "<=", "at most": "<=", "at least": ">=", "more than": ">",
    "less than": "<", "greater than": ">", "over": ">", "above": ">", "below": "<", "under": "<", "fewer than": "<",
    "exceeding": ">", "max.": "<=", "min.": ">=", "maximum": "<=", "minimum": ">=", "no more than": "<=",
    "not more than": "<=", "no less than": ">=",
}  # fmt: skip
# Comparing words, also at the start of a sentence; "C." is a numbering.
_PRINTED = {*_COMPARATORS, *(word.capitalize() for word in _COMPARATORS if len(word) > 2)}
_WORDS = "|".join(re.escape(word) for word in sorted(_PRINTED, key=len, reverse=True))
# A number does not begin inside a word, number, address or code.
_START = r"(?<![\w.,:/#§@])(?<![^\s(\[]-)(?<![^\W_][−–])(?<!\d-)(?<![\d°%] [-−–])"
_FIND = re.compile(
    rf"(?:(?<!\w)(?P<comparator>{_WORDS})\s?)?(?:{BEFORE}\s{{0,12}})?{_START}(?P<sign>[-−–+])?"
    rf"(?P<number>{NUMBER}|(?<!-)\b(?i:{WORDS})(?=[ -][a-zA-Z]))"
)
_UPPER = re.compile(
    rf"(?:\s?(?P<range>[-−–—]|\bto\b|\.\.\.|…)\s?|\s?(?P<tolerance>±|\+/-|\+/−)\s?)(?:{BEFORE})?(?P<number>{NUMBER})(?![\d/])"
)
# After the first of several letters that are no units.
_MORE_LETTERS = re.compile(r"\s?(?:and|or|&|,|[-–])\s?[A-Z]\b")
_ONE_GROUP = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_PER = re.compile(r"\s?(?:/|per\b|pro\b|je\b|a\b)|\s?[-–]")
_TORQUE = re.compile(r"[mkM]?N\.[cm]?m|\[(?:ft|in)_i\]\.\[lbf_av\]")
_SPACES = re.compile(r"[ \u00a0\u202f\u2009]?")
# How many characters before a number are searched for words that decide about it; searching the whole paragraph for
# each number would take quadratic time.
REACH: Final = 48
# A number after one of these words is a label.
_LABEL = re.compile(
    r"\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|sections?|sect|chapters?|parts?|pages?|pp?|no|nos|vol|steps?|types?|"
    r"class|grade|levels?|groups?|phase|stages?|version|rev|cases?|samples?|items?|rules?|articles?|note|appendix|"
    r"annex|line|model|iso|en|din|series|schedule|exhibit|form|topic|asu|refs?|sol|orbit|site|core|hole|unit|days?|week|year)\.?\s*$",
    re.I,
)

_BETWEEN = re.compile(rf"\bbetween\s({NUMBER})(?:\s[^\W\d]{{1,10}})?\sand\s({NUMBER})", re.I)


class FoundQuantity(NamedTuple):
    """A quantity in a text, from `start` to `end`; `number_start` is behind a comparing word."""

    start: int
    end: int
    quantity: Quantity
    name: str | None


@dataclass(frozen=True)
class NumberReading:
    """How values are read in this document: the style of its numbers, whether "$" can only be the US dollar, units that
    it uses in another sense, whether 3/4/2026 has the month first, and what days its columns of short dates have, by
    the column's label and the cell's text."""

    style: Style = Style.POINT
    plain_dollar: bool = True
    not_units: frozenset[str] = frozenset()
    month_first: bool | None = None
    days: Mapping[str, Mapping[str, datetime]] = field(default_factory=dict[str, Mapping[str, datetime]])


def find_quantities(text: str, reading: NumberReading, prose: bool = True) -> Iterator[FoundQuantity]:
    """Every number with a unit or a currency, from left to right, without overlap."""
    end = 0
    while match := _FIND.search(text, end):
        found = _read(text, match, reading, prose)
        yield from [found] if found else []
        end = found.end if found else _behind(match)


def find_limits(text: str) -> list[str]:
    """The numbers, with a unit or without, that something is to be above or below, or between."""
    bound = [
        match for match in _FIND.finditer(text) if _COMPARATORS.get((match["comparator"] or "").lower(), "~") != "~"
    ]
    between = [one for match in _BETWEEN.finditer(text) for one in match.groups()]
    return [*(match["number"] for match in bound), *between]


def before(text: str, position: int) -> str:
    """The words right before a position of `text`."""
    return text[max(0, position - REACH) : position]


def _behind(match: re.Match[str]) -> int:
    return max(match.end(), match.start() + 1)


def _read(text: str, match: re.Match[str], reading: NumberReading, prose: bool) -> FoundQuantity | None:
    first, currency = match, match["before"]
    low, end = _value(match["number"], match["sign"], reading), match.end()
    if low is None and currency and not _PER.match(text, end):
        # Of money three decimals are the price of a litre or a kilowatt-hour, and say so.
        low = _grouped(match["number"], match["sign"])
    if low is None or (prose and _LABEL.search(before(text, match.start("number")).rstrip(" -−–"))):
        return None
    spelled = first["number"][:1].isalpha()
    unit = None if currency else _unit_at(text, end, reading, prose, spelled)
    after = None if currency or unit else AFTER.match(text, end)
    second = _UPPER.match(text, (unit[1] if unit else end))
    upper = tolerance = None
    if second and (extra := _second(text, second, first, unit, currency, reading, prose)):
        value, unit, after, end = extra
        tolerance = value if second["tolerance"] else None
        upper = value if second["range"] else None
        if upper is not None and (upper <= low or (first["number"] == "10" and second["range"] == "−")):
            return None
    elif second and not unit and not currency and not after:
        return None
    comparator = _COMPARATORS.get((match["comparator"] or "=").lower(), "=")
    if unit:
        quantity = _quantity(low, upper, tolerance, comparator, unit[0])
        return FoundQuantity(match.start(), unit[1], quantity, _name(unit[0]))
    code = currency_of(currency or (after["after"] if after else ""), reading.plain_dollar)
    if code is None:
        return None
    end = after.end() if after else end
    scale = SCALE.match(text, end)
    factor = scale_of(scale["scale"]) if scale else scale_of(after["scale"] or "") if after else 1.0
    return FoundQuantity(
        match.start(), scale.end() if scale else end,
        _money(low, upper, tolerance, comparator, code, factor), "money",
    )  # fmt: skip


def _second(
    text: str, second: re.Match[str], first: re.Match[str], unit: tuple[Unit, int] | None, currency: str | None,
    reading: NumberReading, prose: bool,
) -> tuple[float, tuple[Unit, int] | None, re.Match[str] | None, int] | None:  # fmt: skip
    """The second number of a range or a tolerance: its value, its unit, the currency after it, its end."""
    value = _value(second["number"], None, reading)
    if value is None:
        return None
    if currency:
        return (value, None, None, second.end()) if second["before"] in (currency, None) else None
    own, after = _unit_at(text, second.end(), reading, prose), AFTER.match(text, second.end())
    if unit:
        return (value, own, None, own[1]) if own and own[0] == unit[0] else None
    return (value, own, after, second.end()) if own or after else None


def _value(number: str, sign: str | None, reading: NumberReading) -> float | None:
    value = parse_number(number, reading.style)
    return -value if value is not None and sign and sign in "-−–" else value


def _grouped(number: str, sign: str | None) -> float | None:
    """An amount that is ambiguous alone, `12,450`: its separator is one of thousands."""
    style = Style.POINT if "," in number else Style.COMMA
    return _value(number, sign, NumberReading(style=style)) if _ONE_GROUP.fullmatch(number) else None


def _unit_at(
    text: str, end: int, reading: NumberReading, prose: bool, spelled: bool = False
) -> tuple[Unit, int] | None:
    """The unit after a number: after a space, or directly after it and then not a single letter."""
    bracket = 1 if text[end : end + 1] == ")" else 0
    space = _SPACES.match(text, end + bracket)
    start = space.end() if space else end + bracket
    hyphen = text[start : start + 1] == "-" and start == end
    found = match_unit(text, start + hyphen, prose)
    if found is None:
        return None
    printed = text[start + hyphen : found[1]]
    if spelled and not (len(printed) > 3 and printed.replace(" ", "").isalpha()):
        return None
    if len(printed) == 1 and printed.isalpha() and (hyphen or (prose and start == end)):
        return None  # 4711-A is an article
    if prose and len(printed) == 1 and printed.isupper() and _MORE_LETTERS.match(text, found[1]):
        return None
    return None if printed in reading.not_units else found


def _name(unit: Unit) -> str | None:
    """What a value in this unit is one of. Energy is not given in newton metres or foot-pounds; a torque is."""
    return "torque" if _TORQUE.fullmatch(unit.code) else unit.name


def _quantity(low: float, upper: float | None, tolerance: float | None, comparator: Comparator, unit: Unit) -> Quantity:
    return Quantity(
        number=low, upper=upper, tolerance=tolerance, comparator=comparator, unit=unit.code,
        canonical_number=unit.canonical(low), canonical_upper=None if upper is None else unit.canonical(upper),
        canonical_unit=unit.canonical_code,
    )  # fmt: skip


def _money(
    low: float, upper: float | None, tolerance: float | None, comparator: Comparator, code: str, factor: float
) -> Quantity:
    """An amount; the word million scales all of it."""
    scaled = [None if value is None else float(f"{value * factor:.15g}") for value in (low, upper, tolerance)]
    return Quantity(
        number=scaled[0] or 0.0, upper=scaled[1], tolerance=scaled[2], comparator=comparator, unit=code,
        canonical_number=scaled[0] or 0.0, canonical_upper=scaled[1], canonical_unit=code,
    )  # fmt: skip


def other_senses(text: str) -> frozenset[str]:
    """Ambiguous printed units whose other meaning the `text` uses."""
    return frozenset(unit for unit, other in AMBIGUOUS.items() if re.search(other, text))
