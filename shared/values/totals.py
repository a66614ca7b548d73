"""Words that say that a number is the sum of others."""

import re
from typing import Final

_ALONE: Final = re.compile(
    r"(?:(?:grand|net|gross|overall)[ -])?(?:sub-?\s?)?(?:totals?|totale|sums?)|(?:sous-)?total(?: général)?|somme|suma"
    r"|(?:zwischen|gesamt|end)?summe|gesamt(?:betrag)?|Σ",
    re.I,
)


def is_total(text: str) -> bool:
    """Whether a text is such a word and nothing else."""
    return _ALONE.fullmatch(text.strip(" :")) is not None
