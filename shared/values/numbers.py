"""Parses printed numbers: grouping and decimals of either style, signs, powers of ten, fractions. None if ambiguous."""

import re
from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Final

GROUP: Final = "\u00a0\u202f\u2009\u2007'’"
_DIGITS = (
    rf"(?:\d{{1,3}}(?:[{GROUP}]\d{{3}})+(?:[.,]\d+)?|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}\.\d{3},\d+|\d+[.,]\d+|\d+|[.·]\d+)"
)
_POWER = r"(?:\s?[×x·⋅]\s?10(?:\^?\s?[-−–]\s?\d{1,2}|\^\d{1,2}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+−]?\d{1,2})"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
# A number in words, up to ninety-nine; "one day" is often none.
WORDS: Final = rf"(?:(?:{_TENS})(?:-(?:{_ONES}))?|{_TEENS}|{_ONES.removeprefix('one|')})"
IN_WORDS = {
    **{word: at for at, word in enumerate(f"{_ONES}|{_TEENS}".split("|"), 1)},
    **{word: 10 * at for at, word in enumerate(_TENS.split("|"), 2)},
}
# One number without its sign.
NUMBER: Final = rf"(?:\d+\s?[½¼¾]|[½¼¾]|(?:\d+\s)?\d{{1,2}}/\d{{1,2}}(?![\d/])|{_DIGITS}{_POWER}?)"
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--")
_FRACTION = re.compile(r"(?:(\d+)\s)?(\d{1,2})/(\d{1,2})$")
_MANTISSA = re.compile(rf"({_DIGITS})({_POWER})?$")
# Larger exponents are no quantity; endless lines of digits are excluded this way.
LARGEST: Final = 1e50
LONGEST: Final = 80
LARGEST_EXPONENT: Final = 99
# Least share of the unambiguous numbers for their style to be the document's.
DOMINANT: Final = 0.9


class Style(Enum):
    """Which sign separates decimals in a document."""

    POINT = "."
    COMMA = ","
    UNKNOWN = ""


def style_of(numbers: Iterable[str]) -> Style:
    """The style that the unambiguous ones among `numbers` agree on."""
    points = commas = 0
    for number in numbers:
        last = max(number.rfind("."), number.rfind(","))
        if last < 0 or not number[last + 1 :].isdigit():
            continue
        other = "," if number[last] == "." else "."
        certain = other in number[:last] or len(number) - last - 1 != 3 or number.startswith("0")
        repeated = number.count(number[last]) > 1
        if certain or repeated:
            is_point = (number[last] == ".") != repeated
            points, commas = points + is_point, commas + (not is_point)
    total = points + commas
    if total and points >= DOMINANT * total:
        return Style.POINT
    return Style.COMMA if total and commas >= DOMINANT * total else Style.UNKNOWN


@lru_cache(maxsize=4096)
def parse_number(text: str, style: Style) -> float | None:
    """The value of a text that matches `NUMBER`; None where a separator is ambiguous, and for numbers out of range."""
    stripped = text.strip()
    value = _parse(stripped, style) if len(stripped) <= LONGEST else None
    return value if value is None or value <= LARGEST else None


def _parse(stripped: str, style: Style) -> float | None:
    if stripped[:1].isalpha():
        return float(sum(IN_WORDS[word] for word in stripped.lower().split("-")))
    if stripped and stripped[-1] in _VULGAR:
        return float(stripped[:-1] or 0) + _VULGAR[stripped[-1]]
    fraction = _FRACTION.match(stripped)
    if fraction:
        whole, over, under = (int(part or 0) for part in fraction.groups())
        return whole + over / under if 0 < over < under else None
    matched = _MANTISSA.match(stripped)
    mantissa = _mantissa(matched[1], style) if matched else None
    if matched is None or mantissa is None:
        return None
    exponent = _exponent(matched[2] or "")
    return float(Decimal(repr(mantissa)).scaleb(exponent)) if abs(exponent) <= LARGEST_EXPONENT else None


def _exponent(power: str) -> int:
    found = re.search(r"^(?s:(?>.*?(?:10\^?|[eE])))\s?([-+]?)\s?(\d+)$", power.translate(_SUPERSCRIPT))
    return int(found[1] + found[2]) if found else 0


def _mantissa(text: str, style: Style) -> float | None:
    plain = re.sub(rf"[{GROUP}]", "", text)
    if plain[:1] in ".·":
        return float("0." + plain[1:]) if style is not Style.COMMA else None
    kinds = {sign for sign in ".," if sign in plain}
    if not kinds:
        return float(plain)
    if len(kinds) == 2 or plain != text:
        decimal = max(kinds, key=plain.rfind)
    elif plain.count(next(iter(kinds))) > 1:
        return float(re.sub("[.,]", "", plain))
    else:
        decimal = _decimal_sign(plain, next(iter(kinds)), style)
    if decimal is None:
        return None
    return float(re.sub("[.,]", lambda m: "." if m.group() == decimal else "", plain))


def _decimal_sign(plain: str, sign: str, style: Style) -> str | None:
    """The decimal sign of a number with a single separator: "x" if the separator is for grouping; None if unclear."""
    head, tail = plain.split(sign)
    may_group = len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
    if not may_group:
        return None if style is not Style.UNKNOWN and style.value != sign else sign
    if style is Style.UNKNOWN:
        return None
    return sign if style.value == sign else "x"
