"""What a question asks the measure of: "how wide" asks for a width, in whatever words the documents state it.

Questions name a property by its adjective or verb, documents by its noun: "how loud may a car be" is answered by "the
sound level must not exceed 98 dB(A)". English only.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_NOUNS: Final[Mapping[str, str]] = MappingProxyType({
    "wide": "width span breadth",
    "long": "length duration period",
    "tall": "height",
    "high": "height",
    "deep": "depth",
    "thick": "thickness",
    "heavy": "weight mass",
    "loud": "sound noise",
    "noisy": "sound noise",
    "quiet": "sound noise",
    "fast": "speed velocity",
    "old": "age",
    "hot": "temperature",
    "cold": "temperature",
    "warm": "temperature",
    "far": "distance",
    "big": "size dimensions",
    "large": "size dimensions",
    "often": "frequency interval",
    "strong": "strength",
    "powerful": "power",
    "expensive": "price",
    "cost": "price",
    "weigh": "weight mass",
})  # fmt: skip
_VERBS: Final = ("cost", "weigh")
_HOW: Final = re.compile(rf"\bhow ({'|'.join(word for word in _NOUNS if word not in _VERBS)})\b", re.IGNORECASE)
_DOES: Final = re.compile(rf"\b(?:do|does|did|will|would|may|must|can)\b.*\b({'|'.join(_VERBS)})\b", re.IGNORECASE)


def asked_properties(question: str) -> dict[str, list[str]]:
    """The words of a question that ask for a property, in lower case, each with the nouns that state it."""
    asked = [*_HOW.findall(question), *_DOES.findall(question)]
    return {word.lower(): _NOUNS[word.lower()].split() for word in asked}
