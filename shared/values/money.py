"""Currencies as printed (signs and ISO 4217 codes), and words such as million that scale an amount."""

import re
from typing import Final

_CODES = (
    "USD EUR GBP JPY CNY CHF CAD AUD NZD SEK NOK DKK INR KRW BRL MXN ZAR SGD HKD PLN CZK HUF ILS AED SAR TRY TWD THB"
)
_SIGNS: Final = {
    "US$": "USD", "U.S.$": "USD", "C$": "CAD", "CA$": "CAD", "CAN$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD",
    "HK$": "HKD", "S$": "SGD", "R$": "BRL", "NT$": "TWD", "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "₪": "ILS",
    "$": "USD",
}  # fmt: skip
_WORDS: Final = {
    "U.S. dollars": "USD", "US dollars": "USD", "euros": "EUR", "euro": "EUR", "pounds sterling": "GBP",
    "dollars": "USD", "Euro": "EUR", "Swiss francs": "CHF",
}  # fmt: skip
_ALL: Final = {**_SIGNS, **_WORDS, **{code: code for code in _CODES.split()}}
_PRINTED_BEFORE = "|".join(re.escape(s) for s in sorted([*_SIGNS, *_CODES.split()], key=len, reverse=True))
_PRINTED_AFTER = "|".join(
    re.escape(s) for s in sorted(["€", "£", "$", *_WORDS, *_CODES.split()], key=len, reverse=True)
)
BEFORE: Final = rf"(?<![\w$])(?P<before>{_PRINTED_BEFORE})"
_SCALES: Final = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "thousands": 1e3, "millions": 1e6,
    "billions": 1e9, "mn": 1e6, "bn": 1e9, "m": 1e6, "M": 1e6, "k": 1e3, "K": 1e3, "B": 1e9,
}  # fmt: skip
_LONG = "thousand|million|billion|trillion"
# A raised digit is that of a note, but for that of m².
_LETTER = "[^\\W⁰¹²³⁴⁵⁶⁷⁸⁹]"
SCALE: Final = re.compile(rf"[ \u00a0-]{{0,3}}(?P<scale>(?:{_LONG}|mn|bn)(?!{_LETTER})|[mMkKB](?!\w))")
AFTER: Final = re.compile(
    rf"(?:[ \u00a0]{{1,3}}(?P<scale>{_LONG}))?[ \u00a0]?(?P<after>{_PRINTED_AFTER})(?!{_LETTER}|\$|\s*\d)"
)
_OTHER_DOLLAR: Final = re.compile(
    r"\b(?:Canadian|Australian|Hong Kong|Singapore|New Zealand) dollars?\b"
    r"|\b(?:C|CA|A|AU|HK|NZ|S)\$|\b(?:CAD|AUD|HKD|SGD|NZD)\b"
)


def currency_of(printed: str, plain_dollar: bool) -> str | None:
    """The ISO 4217 code; None where nothing is printed, or an ambiguous dollar.

    By CLDR, "$" alone is the US dollar and others have a letter; where a document mentions other dollars, none is
    assumed.
    """
    if printed in ("$", "dollars") and not plain_dollar:
        return None
    return _ALL.get(printed)


def scale_of(word: str) -> float:
    return _SCALES.get(word, 1.0)


def has_other_dollars(text: str) -> bool:
    return _OTHER_DOLLAR.search(text) is not None
