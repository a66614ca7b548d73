"""Where a text holds a value of a kind, as `shared.answering.asked` names them."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from shared.values.dates import find_dates, find_months
from shared.values.headers import hint_below
from shared.values.names import NO_HINT
from shared.values.quantities import NumberReading, find_quantities

Span = tuple[int, int]
READING: Final = NumberReading()

_NUMBER_WORDS: Final = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    r"hundred|thousand"
)  # fmt: skip
# With raised digits: of 2⁶⁴ the power, of 109¹ a note.
_NUMBER: Final = re.compile(rf"(?<![\w.])\d[\d,.]*[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*(?!\w)|\b(?:{_NUMBER_WORDS})\b", re.I)
# How long a text is.
_OF_TEXT: Final = re.compile(
    rf"(?:(?<![\w.,])\d[\d,.]{{0,11}}|\b(?:{_NUMBER_WORDS}))(?:\s[a-z]{{1,20}})?[\s-]"
    r"(?:characters?|letters?|digits?|words?|lines?|sentences?|paragraphs?|pages?)\b",
    re.I,
)
_ADDRESS: Final = re.compile(r"\d{1,2}(?:\.\d{1,2}){2,}\.?")
_PERSON: Final = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]+\.? ){1,3}[A-Z][a-z]+|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? [A-Z]\w+")
# A field of a form is filled with a name and nothing else.
_NAME: Final = re.compile(r"[A-Z][\w'’&.-]*(?:,? [A-Z][\w'’&.-]*){1,5}")
_PLACE_LABEL: Final = re.compile(
    r"\b(?:locat(?:ion|ed)|place|site|address|city|town|country|region|venue|airport|destination|origin|departure point"
    r"|headquarters?|offices?)\b", re.I
)  # fmt: skip
# "Conditions at the site" are conditions.
_OF: Final = re.compile(r"\s(?:at|of|in|from|to|for|by|on)\b", re.I)
_PARTS_OF_TEXT: Final = "Section|Chapter|Table|Figure|Article|Appendix|Annex|Part|Page|Note|Item|Exhibit|Rule|Schedule"
MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_PLACE: Final = re.compile(
    r"(?:(?<=\b(?:in|at|to) )|(?<=\b(?:near|from) ))"
    rf"(?!(?:{_PARTS_OF_TEXT}|{MONTHS})\b)[A-Z][\w'’-]+(?:,? [A-Z][\w'’-]+)*"
)  # fmt: skip
# Numbers that count nothing: of a part, a day, a year, an item, a form (10-K), a telephone.
_NUMBERING: Final = re.compile(
    rf"\b(?:{_PARTS_OF_TEXT}|{MONTHS}|Form|No)\.?\s+\d[\w.-]*|[^\W\d_]-\d+|(?<!\d)\d++-[A-Z]|\A\s*\(?\d{{1,3}}[.)]\s"
    r"|(?<![\d,.$€£])(?:19|20)\d\d(?!\d|[,.]\d)|(?<!\d)\d++(?:-\d++){2,}|[^\W\d_®™]\s?[®™]?\s?\(\d{1,2}\)"
    r"|(?<=[a-z,] )(?=\w*[A-Z])\w++ \d{1,4} (?=[A-Z])"
)


def kinds_in(text: str, label: str = "") -> frozenset[str]:
    """What the quantities of `text` measure; `label` as in `held`."""
    found = frozenset(one.name for one in find_quantities(text, READING) if one.name)
    hint = hint_below(label) if label and not found and any(letter.isdigit() for letter in text) else None
    told = "money" if hint and hint.currency else hint.unit.name if hint and hint.unit else None
    return found | {told} if told else found


def held(kinds: frozenset[str], text: str, label: str = "") -> list[Span]:
    """Where `text` holds a value of one of `kinds`; `label` is the header above it, which may state the unit."""
    if not kinds:
        return []
    return sorted({span for kind in kinds for span in _FINDERS.get(kind, _quantities(kind))(text, label)})


# A year alone is a date where it says when.
_IN_YEAR: Final = re.compile(
    r"\b(?:in|since|until|till|by|of|from|before|after|around|year) ((?:1[5-9]|20)\d\d)(?![\w,.]\d|\w)"
)


def _dates(text: str, _: str) -> Iterator[Span]:
    for find in (find_dates, find_months):
        yield from ((start, end) for start, end, _when in find(text))
    yield from (match.span(1) for match in _IN_YEAR.finditer(text))


def _quantities(kind: str) -> Callable[[str, str], Iterator[Span]]:
    def find(text: str, label: str) -> Iterator[Span]:
        for found in find_quantities(text, READING):
            if found.name == kind:
                yield found.start, found.end
        hint = hint_below(label) if label else None
        told = "money" if hint and hint.currency else hint.unit.name if hint and hint.unit else None
        if told == kind:
            yield from (match.span() for match in re.finditer(r"\d[\d,.]*", text))

    return find


# "Population (m)": as likely in millions as in metres.
_IN_MILLIONS: Final = re.compile(r"[(\[](?:k|m|mn|bn|b)[)\]]\s{0,3}\Z", re.I)


def _counts(text: str, label: str) -> Iterator[Span]:
    """Numbers without a unit that number no section (5.2.2) and are of no date; a cell may be any number, unless the
    header above it states a unit or a currency."""
    hint = hint_below(label) if label and not _IN_MILLIONS.search(label) else NO_HINT
    if hint.unit or hint.currency:
        return
    taken = [(found.start, found.end) for found in find_quantities(text, READING)]
    if not _NUMBER.fullmatch(text.strip()):
        taken += [*_dates(text, ""), *(match.span() for match in _NUMBERING.finditer(text))]
    for match in _NUMBER.finditer(text):
        if not _ADDRESS.fullmatch(match.group()) and not any(
            start < match.end() and match.start() < end for start, end in taken
        ):
            yield match.span()


def _numbers(text: str, _: str) -> Iterator[Span]:
    yield from (match.span() for match in _NUMBER.finditer(text))


def _lengths(text: str, label: str) -> Iterator[Span]:
    yield from _quantities("length")(text, label)
    yield from (match.span() for match in _OF_TEXT.finditer(text))


_RECURRING: Final = re.compile(
    rf"\b(?:once|twice|thrice|(?:\d{{1,3}}|{_NUMBER_WORDS}) times)(?: (?:a|an|per|every|each) [a-z]+|/[a-z]+)"
    r"|\b(?:hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annually)\b"
    rf"|\b(?:every|each) (?:(?:other|second|third|few|\d{{1,3}}|{_NUMBER_WORDS}) )?"
    r"(?:seconds?|minutes?|hours?|days?|nights?|mornings?|weeks?|fortnights?|months?|quarters?|years?|times?)\b",
    re.I,
)


# No number of units in general: "one day" is some day, unless it says how long something takes.
_ONE: Final = re.compile(
    r"\bone (?:full |whole |single |calendar |business |working )?(?:second|minute|hour|day|week|month|year)\b"
    r"|\b(?:for|within|after|in|of|takes?|lasts?|is|least|most) an? (?:second|minute|hour|day|week|month|year)\b"
    rf"|\b(?:{_NUMBER_WORDS})-day\b", re.I
)  # fmt: skip


def _durations(text: str, label: str) -> Iterator[Span]:
    yield from _quantities("duration")(text, label)
    yield from (match.span() for match in _ONE.finditer(text))


def _recurrences(text: str, _: str) -> Iterator[Span]:
    yield from (match.span() for match in _RECURRING.finditer(text))


def _people(text: str, label: str) -> Iterator[Span]:
    # What is written under a label in sentences is about it, whomever it mentions.
    if not (label and text.rstrip().endswith(".")):
        yield from (match.span() for match in _PERSON.finditer(text))
    if label and (whole := _NAME.fullmatch(text)):
        yield whole.span()


def _places(text: str, label: str) -> Iterator[Span]:
    yield from (match.span() for match in _PLACE.finditer(text))
    if text and _PLACE_LABEL.search(_OF.split(label)[0] or label):
        yield 0, len(text)


_FINDERS: Final[Mapping[str, Callable[[str, str], Iterator[Span]]]] = MappingProxyType(
    {
        "date": _dates,
        "recurrence": _recurrences,
        "count": _counts,
        "length": _lengths,
        "duration": _durations,
        "person": _people,
        "place": _places,
        "number": _numbers,
    }
)
