"""Reads a whole cell, or all text after a label, as a value: a quantity, a date, a boolean, or a short text."""

import re
from datetime import datetime
from typing import Final, NamedTuple

from shared.domain.attributes import Quantity
from shared.values.dates import whole_date
from shared.values.money import BEFORE, currency_of
from shared.values.names import NO_HINT, Hint
from shared.values.numbers import NUMBER, parse_number
from shared.values.quantities import FoundQuantity, NumberReading, find_quantities
from shared.values.units import unit_of

# A longer text is taken for prose.
MAX_TEXT: Final = 80
_BOOLEANS: Final = {
    "yes": True, "no": False, "true": True, "false": False, "✓": True, "✔": True, "✗": False, "✘": False, "☑": True,
    "☒": True, "☐": False,
}  # fmt: skip
_BARE = re.compile(
    rf"(?P<open>\()?\s?(?P<sign>[-−–+])?\s?(?:{BEFORE}\s{{0,12}})?(?P<open2>\()?(?P<number>{NUMBER})\s?(?P<close>\))?\s?(?P<percent>%)?\s?\)?"
)
# A date with its weekday and its time of day, as the header of a message (RFC 5322) or a calendar has it, and a zone or
# its name (`Europe/Vienna`): the day alone is its value.
_AREAS: Final = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc"
_OFFSET: Final = r"[+-]\d\d:?\d\d"
_ZONE: Final = rf"{_OFFSET}|(?-i:Z|UTC?|MES?Z|MSK|[A-Z]{{1,2}}[SD]?T|(?:{_AREAS})(?:/[\w+-]+)+)"
_MOMENT = re.compile(
    r"(?:[^\W\d_]{2,10}\.?,\s)?(?P<day>.*\d),?\s(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d)?(?:\s?[ap]\.?m\.?)?"
    rf"(?:\s(?:{_ZONE}))?(?:\s\((?:{_ZONE}|(?:GMT|UTC){_OFFSET}|[\w .:+/-]{{0,80}}(?:time|zeit))\))?",
    re.I,
)
# With a name or without, as a header of addresses lists them (RFC 5322): a name may have commas, and no mark of another
# address.
_MAILBOX = re.compile(r"\s*(?P<box>(?:[^<>@;]{1,200}?<)?[^<>@;,\s]{1,64}@[^<>@;,\s]{1,255}>?)\s*(?:[,;]|$)")
_DIGIT = re.compile(r"[\d½¼¾]")
_NOTHING = re.compile(r"[\s\-–—−.·…*/]*|n/?a\.?|n\.a\.|none|nil|tbd|unknown", re.I)
# Digits that are an identifier, not a number: with a leading zero, or twelve and more.
_CODE = re.compile(r"0\d+|\d{12,}")


class ReadValue(NamedTuple):
    """A typed value at offsets `start` to `end`; exactly one of the other four fields is set."""

    start: int
    end: int
    quantity: Quantity | None = None
    text: str | None = None
    time: datetime | None = None
    boolean: bool | None = None

    @property
    def typed(self) -> bool:
        return self.text is None


def is_code(text: str) -> bool:
    """Whether the digits of a text are an identifier: `00042`, `4006381333931`."""
    return _CODE.fullmatch(text) is not None


def is_padded(text: str) -> bool:
    """Whether they begin with a zero: then others beside it are identifiers too."""
    return is_code(text) and text.startswith("0")


def is_nothing(text: str) -> bool:
    """Whether a cell says that it has no value."""
    return _NOTHING.fullmatch(text) is not None


def read_values(text: str, reading: NumberReading, hint: Hint | None = None) -> list[ReadValue]:
    """Returns the values that make up all of `text`: mostly one, two for `10 hp (7.5 kW)`.

    Empty for an empty value, for prose, and for an ambiguous number.
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end or _NOTHING.fullmatch(text[start:end]):
        return []
    numeric = _DIGIT.search(text) is not None
    found = _quantities(text, start, end, reading, hint or NO_HINT) if numeric else []
    if found:
        return found
    bare = _BARE.fullmatch(text[start:end]) if numeric else None
    if bare and is_code(bare[0]):
        return [ReadValue(start, end, text=bare[0])]
    if bare:
        quantity = _bare(bare, reading, hint or NO_HINT)
        return [ReadValue(start, end, quantity=quantity)] if quantity else []
    return _other(text[start:end], start, end, reading)


def _other(inked: str, start: int, end: int, reading: NumberReading) -> list[ReadValue]:
    moment = _MOMENT.fullmatch(inked) if len(inked) <= MAX_TEXT else None
    date = whole_date(moment["day"] if moment else inked, reading.month_first)
    if date:
        return [ReadValue(start, end, time=date)]
    if inked.lower() in _BOOLEANS:
        return [ReadValue(start, end, boolean=_BOOLEANS[inked.lower()])]
    if boxes := _mailboxes(inked):
        return [ReadValue(start + at, start + at + len(said), text=" ".join(said.split())) for at, said in boxes]
    if len(inked) > MAX_TEXT or not any(c.isalnum() for c in inked):
        return []
    return [ReadValue(start, end, text=" ".join(inked.split()))]


def _mailboxes(text: str) -> list[tuple[int, str]]:
    """The mailboxes that make up all of `text` (`Ines Roth <ines@example.org>, paul@example.org`), with where each
    begins; empty for anything else."""
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        box = _MAILBOX.match(text, at)
        if box is None:
            return []
        found.append((box.start("box"), box["box"]))
        at = box.end()
    return found


def _quantities(text: str, start: int, end: int, reading: NumberReading, hint: Hint) -> list[ReadValue]:
    found = list(find_quantities(text, reading, prose=False))
    if not found or found[0].start != start or len(found) > 2:
        return []
    first, last = found[0], found[-1]
    whole = last.end == end if len(found) == 1 else _in_brackets(text, first, last, end)
    return [ReadValue(f.start, f.end, quantity=_scaled(f, hint, text)) for f in found] if whole else []


def _scaled(found: FoundQuantity, hint: Hint, text: str) -> Quantity:
    """The quantity with the header's scale, unless it states one itself."""
    quantity = found.quantity
    if found.name != "money" or hint.scale == 1.0 or re.search(r"[a-z]{2}", text[found.start : found.end]):
        return quantity
    return quantity_of(quantity.number, Hint(currency=quantity.unit, scale=hint.scale))


def _in_brackets(text: str, first: FoundQuantity, second: FoundQuantity, end: int) -> bool:
    """Whether two quantities state one value in two units: `10 hp (7.5 kW)`, `116 psi / 8 bar`."""
    between, behind = text[first.end : second.start], text[second.end : end]
    return (between.strip(), behind.strip()) in (("(", ")"), ("[", "]"), ("/", ""), ("=", ""))


def _bare(match: re.Match[str], reading: NumberReading, hint: Hint) -> Quantity | None:
    """A number without a unit of its own."""
    number = parse_number(match["number"], reading.style)
    if number is None or _CODE.fullmatch(match["number"]) or bool(match["open"] or match["open2"]) != _closed(match):
        return None
    if (match["sign"] and match["sign"] != "+") or match["open"] or match["open2"]:
        number = -number
    if match["before"]:
        currency = currency_of(match["before"], reading.plain_dollar)
        return quantity_of(number, Hint(currency=currency, scale=hint.scale)) if currency else None
    return quantity_of(number, Hint(unit_of("%")) if match["percent"] else hint)


def _closed(match: re.Match[str]) -> bool:
    return match.group().rstrip(" %").endswith(")") or match.group().endswith(")")


def quantity_of(number: float, hint: Hint) -> Quantity:
    """A bare number with the unit and scale of its header."""
    value = float(f"{number * hint.scale:.15g}")
    unit, code = hint.unit, hint.currency
    if unit:
        return Quantity(
            number=value, unit=unit.code, canonical_number=unit.canonical(value), canonical_unit=unit.canonical_code
        )
    return Quantity(number=value, unit=code, canonical_number=value, canonical_unit=code)
