"""What a question asks the measure of: "how wide" asks for a width, in whatever words the documents state it.

Questions name a property by its adjective or verb, documents by its noun: "how loud may a car be" is answered by "the
sound level must not exceed 98 dB(A)", "who owned it" by "Owner: …", "when was she born" by "Date of birth: …". English
only.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# What people call one measure, by the kind of value that it has: a question has one of them, a table's header another.
MEASURE_NOUNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mass": "weight mass",
        "speed": "speed velocity",
        "money": "price cost",
    }
)
_NOUNS: Final[Mapping[str, str]] = MappingProxyType({
    "wide": "width span breadth",
    "long": "length duration period",
    "tall": "height",
    "high": "height",
    "deep": "depth",
    "thick": "thickness",
    "heavy": MEASURE_NOUNS["mass"],
    "loud": "sound noise",
    "noisy": "sound noise",
    "quiet": "sound noise",
    "fast": MEASURE_NOUNS["speed"],
    "old": "age",
    "hot": "temperature",
    "cold": "temperature",
    "warm": "temperature",
    "far": "distance",
    "big": "size dimensions",
    "large": "size dimensions",
    "often": "frequency interval",
    "strong": "strength force speed",
    "powerful": "power",
    "expensive": MEASURE_NOUNS["money"],
    "cost": "price",
    "weigh": MEASURE_NOUNS["mass"],
})  # fmt: skip
_VERBS: Final = ("cost", "weigh")
# Verbs whose noun has another stem; all others share it (inspected, inspection).
_DERIVED: Final[Mapping[str, str]] = MappingProxyType({
    "born": "birth",
    "died": "death",
    "flown": "flight flying",
    "flew": "flight flying",
    "built": "manufacture construction",
    "made": "manufacture manufacturer maker",
    "makes": "manufacturer maker",
    "manufactured": "manufacture manufacturer make",
    "bought": "purchase buyer",
    "sold": "sale seller",
    "paid": "payment payer",
    "sent": "dispatch shipment sender",
    "wrote": "author",
    "written": "author",
    "led": "leader head",
    "depart": "departure",
    "departed": "departure",
    "arrive": "arrival",
    "arrived": "arrival",
    "expire": "expiry expiration",
    "expires": "expiry expiration",
})  # fmt: skip
_CALLED: Final = {noun: nouns.split() for nouns in MEASURE_NOUNS.values() for noun in nouns.split()}
_HOW: Final = re.compile(rf"\bhow ({'|'.join(word for word in _NOUNS if word not in _VERBS)})\b", re.IGNORECASE)
_DOES: Final = re.compile(rf"\b(?:do|does|did|will|would|may|must|can)\b.*\b({'|'.join(_VERBS)})\b", re.IGNORECASE)


_TAKES_PLACE: Final = re.compile(r"\b(?:takes?|took|taken|taking) place\b", re.IGNORECASE)
# "Is said to open" asks whether it opens.
_SAID_TO: Final = re.compile(r"\b(?:said|supposed|meant|believed|thought)(?= to\b)", re.I)
_FIELDS: Final[Mapping[str, str]] = MappingProxyType({"where": "location place site address", "when": "date time"})
_FIELD: Final = re.compile(
    r"\W*(?:(?P<where>where|(?:at|in) (?:which|what) place)|(?P<when>when|on (?:which|what) (?:day|date)))\b",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"\W*(?:who|whom|by whom)\b", re.IGNORECASE)
_OF_WHOM_OR_WHEN: Final = re.compile(r"\W*(?:who|whom|by whom|when|where|how|since when|what|which)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]{3,}")
_DOES_IT: Final = re.compile(r"(?!does|this|these|those)[a-z]{2,}(?:ed|[^s]s)")
_REGULAR: Final = re.compile(r"(?P<stem>[a-z]{2,}?)(?:e?s|ed|e)?")


# German: what "wie hoch ist die Kaution" and "gibt es einen Keller" have beside the thing that is asked for.
_GERMAN_ASKING: Final = re.compile(
    r"\bwie (hoch|gro(?:ß|ss)|lange?|schwer|weit|alt|teuer|oft|häufig|viele?n?|breit|tief|dick|schnell|laut|warm)\b"
    r"|\bwo (liegt|liegen|steht|stehen|befinde[nt]|findet|finden?)\b|\b(gibt) es\b"
    r"|\bwas (steht|bedeutet|hei(?:ß|ss)t)\b"
    r"|\b(wann|wem|wen|wessen|wohin|woher|womit|wof\u00fcr|wieviele?|weshalb|wieso)\b",
    re.IGNORECASE,
)
_GERMAN: Final = re.compile(r"\W*(?:wann|wer|wo|wie|was|warum|welche[mnrs]?|muss|darf|kann|wird|werden|gibt)\b", re.I)
_PARTICIPLE: Final = re.compile(r"\bge([a-z\u00e4\u00f6\u00fc\u00df]{3,20}?)e?t\b")


def asked_fields(question: str) -> dict[str, list[str]]:
    """What a form calls the place or the time that a question begins to ask for, by its question word."""
    match = _FIELD.match(question)
    return {match.lastgroup: _FIELDS[match.lastgroup].split()} if match and match.lastgroup else {}


def nouns_of_measure(word: str) -> str:
    """The nouns of what "how WORD" asks for, apart by spaces: heavy, "weight mass"."""
    return _NOUNS[word]


def asking_words(question: str) -> frozenset[str]:
    """Its words that only ask for the place or the time, or say that something happens or is said to, in lower case."""
    found = [
        match for match in (_FIELD.match(question), _TAKES_PLACE.search(question), _SAID_TO.search(question)) if match
    ]
    german = (word.lower() for words in _GERMAN_ASKING.findall(question) for word in words if word)
    return frozenset(word for match in found for word in _WORD.findall(match[0].lower())) | {*german}


def asked_properties(question: str) -> dict[str, list[str]]:
    """The words of a question that ask for a property, in lower case, each with the nouns that state it."""
    asked = [*_HOW.findall(question), *_DOES.findall(question)]
    found = {word.lower(): _NOUNS[word.lower()].split() for word in asked} | asked_fields(question)
    if _GERMAN.match(question):
        return {**found, **_german_forms(question.lower())}
    if not _OF_WHOM_OR_WHEN.match(question):
        return found
    words = _WORD.findall(question.lower())
    found |= {word: _DERIVED[word].split() for word in words if word in _DERIVED and word not in found}
    measures = {word: noun for word in words if (noun := _singular(word)) in _CALLED and word not in found}
    found |= {word: [one for one in _CALLED[noun] if one != noun] for word, noun in measures.items()}
    if _WHO.match(question):
        found = {word: _agents(word) for word in words if _DOES_IT.fullmatch(word)} | found
    return found


def _german_forms(question: str) -> dict[str, list[str]]:
    """Of its participles the other forms: gezahlt, zahlen, zahlt and Zahlung."""
    participles = [(match[0], match[1]) for match in _PARTICIPLE.finditer(question)]
    return {said: [f"{stem}{ending}" for ending in ("en", "t", "et", "ung")] for said, stem in participles}


def _singular(noun: str) -> str:
    """As a measure is called: masses, mass; velocities, velocity; costs, cost."""
    forms = (noun, noun.removesuffix("s"), noun.removesuffix("es"), re.sub("ies$", "y", noun))
    return next((form for form in forms if form in _CALLED), noun)


def _agents(verb: str) -> list[str]:
    """Who does it: owned, owner; inspects, inspector."""
    match = _REGULAR.fullmatch(verb)
    stem = match["stem"] if match else verb
    return [f"{stem}er", f"{stem}or"]
