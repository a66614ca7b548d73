"""Numbers as a text prints them, with what its separators mean and the unit beside each."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from shared.lexical.languages import ENGLISH, LANGUAGES, function_word_scores
from shared.values.numbers import Style, style_of

_NUMBER: Final = re.compile(r"(?<![\w.])[-−–]?\d(?:[\d.,'’\u00a0\u202f]*\d)?|(?<=[^\W\d_])\d+(?:[.,]\d+)*|[½¼¾]")
_UNIT: Final = re.compile(r"\s?(%|‰|°\s?[CF]?|[€$£¥]|[^\W\d_]+(?:/[^\W\d_]+)?[²³]?)")
_MONEY: Final = re.compile(r"[€$£¥]\s?$")
WORD: Final = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")
_COUNTED: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
NUMBER_WORDS: Final = {
    **{word: str(value) for value, word in enumerate(_COUNTED, start=2)},
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000",
}  # fmt: skip
# What a unit is also written as.
_SAME_UNIT: Final = {
    "percent": "%", "per": "", "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "centimeter": "cm",
    "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "gram": "g", "kilogram": "kg", "kilo": "kg",
    "tonne": "t", "second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h", "euro": "€", "eur": "€",
    "dollar": "$", "usd": "$", "pound": "£", "gbp": "£", "volt": "v", "watt": "w", "kilowatt": "kw", "litre": "l",
    "liter": "l", "celsius": "°c", "degree": "°", "horsepower": "hp", "inch": "in", "foot": "ft", "feet": "ft",
}  # fmt: skip
# A number whose one separator may be of thousands or of decimals.
_AMBIGUOUS: Final = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")


@dataclass(frozen=True)
class PrintedNumber:
    """A number as it is written, and the values that it may have: two for `1,125` in a text whose separators are not
    known."""

    written: str
    values: frozenset[str]

    def is_same(self, other: "PrintedNumber") -> bool:
        """Of which nobody can tell the value, only what is written the same is the same."""
        if self.written == other.written:
            return True
        unknown = len(self.values) + len(other.values) > 2
        if unknown and _AMBIGUOUS.fullmatch(self.written) and _AMBIGUOUS.fullmatch(other.written):
            return False
        return not self.values.isdisjoint(other.values)


def read_numbers(text: str, context: str) -> Iterator[tuple[int, int, PrintedNumber, str]]:
    """Start, end, number and the unit behind it (or the currency before), "" for none; separators mean what they do
    in `context`."""
    style = style_in(context)
    for match in _NUMBER.finditer(text):
        unit = _UNIT.match(text, match.end())
        before = _MONEY.search(text, 0, match.start())
        number = _number(match.group(), style)
        yield match.start(), match.end(), number, unit_named(before.group() if before else unit[1] if unit else "")
    for match in WORD.finditer(text):
        if value := NUMBER_WORDS.get(match.group().casefold()):
            unit = _UNIT.match(text, match.end())
            number = PrintedNumber(value, frozenset({value}))
            yield match.start(), match.end(), number, unit_named(unit[1] if unit else "")


def _number(printed: str, style: Style) -> PrintedNumber:
    """`1,050.50`, `1.050,5` and `1 050.5` are one number. A single comma or point before three digits groups them or
    separates decimals, as the style has it."""
    sign = "-" if printed[0] in "-−" else ""
    written = sign + re.sub(r"[\s'’]", "", printed.lstrip("-−–"))
    digits = written.removeprefix("-")
    if not _AMBIGUOUS.fullmatch(written):
        return PrintedNumber(written, frozenset({sign + _value(digits)}))
    grouped, decimal = re.sub(r"[.,]", "", digits), digits.replace(",", ".").rstrip("0").rstrip(".")
    separates = style.value and style.value in digits
    values = {decimal} if separates else {grouped} if style is not Style.UNKNOWN else {grouped, decimal}
    return PrintedNumber(written, frozenset(sign + value for value in values))


def _value(digits: str) -> str:
    last = max(digits.rfind("."), digits.rfind(","))
    whole = digits if last < 0 or digits.count(digits[last]) > 1 else digits[:last]
    rest = "" if whole == digits else digits[last + 1 :].rstrip("0")
    plain = re.sub(r"[.,]", "", whole).lstrip("0") or "0"
    return plain + (f".{rest}" if rest else "")


@lru_cache(maxsize=256)
def style_in(text: str) -> Style:
    """Which sign separates decimals: by the measures in the text that leave no doubt, as a bare number may be a
    section's; else by its language, where its words tell it."""
    measured = (match for match in _NUMBER.finditer(text) if _has_unit(text, match))
    style = style_of(re.sub(r"[\s'’]", "", match.group().lstrip("-−–")) for match in measured)
    if style is not Style.UNKNOWN:
        return style
    scores = function_word_scores(Counter(word.casefold() for word in WORD.findall(text)))
    first, second = sorted(LANGUAGES, key=lambda one: -scores[one])[:2]
    if scores[first] <= scores[second]:
        return Style.UNKNOWN
    return Style.POINT if first == ENGLISH else Style.COMMA


def _has_unit(text: str, number: re.Match[str]) -> bool:
    unit = _UNIT.match(text, number.end())
    return bool(_MONEY.search(text, 0, number.start()) or (unit and unit_named(unit[1]) in KNOWN_UNITS))


def unit_named(printed: str) -> str:
    plain = re.sub(r"\s", "", printed).casefold()
    single = plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain
    return _SAME_UNIT.get(plain, _SAME_UNIT.get(single, plain))


KNOWN_UNITS: Final = frozenset({*_SAME_UNIT.values(), "mm²", "m²", "m³", "mw", "mg", "ml", "bar", "psi", "kpa", "mpa",
    "pa", "nm", "n", "kn", "db", "hz", "khz", "mhz", "ghz", "rpm", "a", "ma", "mv", "kv", "kwh", "wh", "km/h", "m/s",
    "mph", "lb", "lbs", "oz", "°f", "¥", "chf", "cfm", "day", "days", "week", "weeks", "month", "months", "year",
    "years", "hour", "‰", "gb", "mb", "kb", "tb", "ms", "µm", "um"} - {""})  # fmt: skip


def is_measured(word: str) -> bool:
    """Whether numbers are checked with this word: their units, and what is written out."""
    return word in NUMBER_WORDS or unit_named(word) in KNOWN_UNITS
