"""How numbers are written where a language is spoken: the signs of decimals and between thousands, as D3's locales
have them, which draw the axes beside them (of Polish Unicode's CLDR)."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class NumberSigns:
    """`decimal` stands before decimals, `group` between thousands."""

    decimal: str
    group: str

    def write(self, english: str) -> str:
        """A number that is written `1,234.5` with these signs."""
        return english.translate(str.maketrans({".": self.decimal, ",": self.group}))


ENGLISH: Final = NumberSigns(".", ",")
_POINTS: Final = NumberSigns(",", ".")
_SPACES: Final = NumberSigns(",", "\N{NO-BREAK SPACE}")
# By the language, or by language and region where they write otherwise.
_SIGNS: Final = {
    **dict.fromkeys(("en", "ja", "zh", "ko", "es-MX"), ENGLISH),
    **dict.fromkeys(("de", "es", "it", "nl", "da", "pt-BR"), _POINTS),
    **dict.fromkeys(("fr", "pt", "sv", "fi", "pl", "cs", "hu", "ru", "uk"), _SPACES),
    "de-CH": NumberSigns(",", "'"),
}

LANGUAGES: Final = sorted({tag.partition("-")[0] for tag in _SIGNS})


def is_locale(tag: str) -> bool:
    """Whether it is known how numbers are written there."""
    return tag.partition("-")[0] in LANGUAGES


def signs_of(locale: str | None) -> NumberSigns:
    """Of a tag as `de` or `pt-BR`; English for None, and for one that is not known."""
    tag = locale or "en"
    return _SIGNS.get(tag) or _SIGNS.get(tag.partition("-")[0]) or ENGLISH


def preferred_locale(accepted: str) -> str | None:
    """The first tag of an Accept-Language header (RFC 9110, 12.5.4) that is known, those of more weight first."""
    weighed: list[tuple[float, str]] = []
    for part in accepted[:500].split(","):
        tag, _, weight = part.strip().partition(";q=")
        language, _, region = tag.strip().partition("-")
        named = "-".join(filter(None, (language.lower(), region.upper())))
        if is_locale(named):
            weighed.append((_weight(weight), named))
    found = max(weighed, key=lambda one: one[0], default=(0.0, None))
    return found[1] if found[0] > 0 else None


def _weight(text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0
