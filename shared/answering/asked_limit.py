"""The limit that a question says: "at least 6 lanes", "under 20 kg", "opened before 2000".

Of questions that ask which things there are, in English; what is allowed above some value, or happens then, is another
question.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Final, NamedTuple

from shared.answering.asked import asked_kinds
from shared.answering.held import READING
from shared.answering.limits import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BARE_NUMBER,
    BELOW,
    WORD,
    YEAR,
    AskedLimits,
    Limit,
    as_year,
    scaled_number,
    span_of,
)
from shared.lexical.properties import MEASURE_NOUNS, nouns_of_measure
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import properties_of
from shared.values.dates import MONTH, find_dates
from shared.values.numbers import NUMBER, WORDS, Style, parse_number
from shared.values.quantities import FoundQuantity, find_quantities

# Of what stands in rows: of a year one column of a row is meant.
_NO_THING: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|had|(?:years?|quarters?|months?|weeks?|days?|periods?|dates?))"
)
_SELECTS: Final = re.compile(
    rf"\W*(?:(?:in|on|at|for|of|from|with|by) )?(?:(?:what|which) (?!{_NO_THING}\b)"
    r"|who\b|whose\b|how many\b|name\b|list\b|show\b)",
    re.I,
)
# Above which value something may be done, or happens.
_CONDITIONAL: Final = re.compile(
    r"\b(?:if|when|whenever|unless|whether|may|must|shall|should|can|could|would|allowed|required?|happens?|need to"
    r"|needed|appl(?:y|ies|ied)|due|charged|payable)\b"
)
# By an adjective the word that asks for its measure, and whether it is more of it.
_THAN: Final[Mapping[str, tuple[str, bool]]] = {
    "heavier": ("heavy", True), "lighter": ("heavy", False), "faster": ("fast", True), "slower": ("fast", False),
    "longer": ("long", True), "shorter": ("long", False), "wider": ("wide", True), "narrower": ("wide", False),
    "taller": ("tall", True), "higher": ("high", True), "lower": ("high", False), "deeper": ("deep", True),
    "thicker": ("thick", True), "thinner": ("thick", False), "louder": ("loud", True), "quieter": ("loud", False),
    "hotter": ("hot", True), "warmer": ("hot", True), "colder": ("hot", False), "older": ("old", True),
    "younger": ("old", False), "larger": ("large", True), "bigger": ("big", True), "smaller": ("big", False),
    "more expensive": ("expensive", True), "cheaper": ("expensive", False), "less expensive": ("expensive", False),
}  # fmt: skip
_LIMIT: Final = re.compile(
    rf"(?<!\w)(?:(?P<above>{ABOVE})|(?P<least>{AT_LEAST})|(?P<below>{BELOW})|(?P<most>{AT_MOST})"
    rf"|(?P<adjective>{'|'.join(_THAN)}) than)\s+(?P<value>.*)",
    re.I | re.S,
)
# Of "not over", "no later than", "do not exceed" the opposite is meant.
_NEGATED: Final = re.compile(
    r"(?:\bno|(?:\b(?:not|never|cannot)|n['\u2019]t)(?:\s+(?!(?:and|but|or)\b)\w+){0,2})\s+$", re.I
)
_BETWEEN: Final = re.compile(
    rf"\b(?:between\s+(?P<before>[^\d\s]{{0,3}}\s?)(?P<low>{NUMBER})(?P<unit>(?:\s[^\W\d]{{1,10}})?)\s+and"
    rf"|from\s+(?P<first>{NUMBER})\s+(?:to|until|till))\s+(?P<value>.*)",
    re.I | re.S,
)
# What is counted behind a number that could be a year.
_COUNTED: Final = re.compile(r"\s+(?:people|men|women|children|[^\W\d_]{3,}[^\W\d_s]s)\b", re.I)
_DATED: Final = re.compile(
    r"\b(?:(?P<before>before|prior to|earlier than)|(?P<after>after|later than)"
    r"|(?P<since>since|from(?=\s+(?:\S+\s+){1,3}on(?:wards?)?\b))"
    # Not by whom.
    rf"|(?P<until>until|till|up to|by(?=\s+(?:the (?:year|end of) )?(?:\d{{4}}\b|\d+\.\d|(?:\d+\S*\s)?{MONTH}\s))))"
    r"\s+(?:the (?:year|end of) )?(?P<value>.*)",
    re.I | re.S,
)
_MORE: Final = "more|over|above|higher|up|older|later|after|newer|larger|bigger|longer|heavier|greater|taller|wider"
_LESS: Final = "less|fewer|under|below|lower|younger|earlier|before|smaller|shorter|lighter|narrower|cheaper"
_OR_MORE: Final = re.compile(
    rf"(?<![\w.,])(?P<value>(?:[^\W\d_]{{3}}\s|[$€£¥]\s?)?(?:{NUMBER}|\b{WORDS}\b)(?:\s?[^\W\d_]{{1,12}})?)"
    rf"\s+(?:or|and)\s+(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\b(?!\s+than\b|\s+\S{{0,3}}\s?\d)",
    re.I,
)
_IN_TIME: Final = re.compile("later|after|newer|earlier|before", re.I)
# What begins a further thing that is said of what is asked for.
_JOINT: Final = re.compile(r"(?:,\s*)?\b(?:and|or|but|yet|with|that|which|who|whose)\b|,", re.I)
# "Which pumps have 15 kW": a value with a unit that a thing is said to have.
_HAVING: Final = re.compile(
    r"\b(?:ha(?:s|ve|ving|d)|with|weigh(?:s|ed|ing)?|costs?|costing|exactly|measur(?:es?|ed|ing))\s+(?:exactly\s+)?"
    r"(?P<value>.*)",
    re.I | re.S,
)
# "20 kg more than the P-20 does".
_THAN_OTHER: Final = re.compile(r"\s+(?:[\w-]+\s+){0,2}?than\b", re.I)
_DIGIT: Final = re.compile(r"\d")
# Numbers of several words are not read.
_MULTIPLIED: Final = re.compile(rf"[ -](?:hundred|dozen|score|{WORDS})\b", re.I)

# Of more limits none is read.
LIMITS_MAX: Final = 4


class _Read(NamedTuple):
    """A limit, and from where up to where it stands."""

    limit: Limit
    span: tuple[int, int]


def asked_limits(question: str) -> AskedLimits | None:
    """The limits of a question that asks which things there are; None for any other, and where some are joined by "and"
    and some by "or"."""
    if not _SELECTS.match(question) or _CONDITIONAL.search(question):
        return None
    first = _read(question)
    if first is None:
        return None
    spans, left = [first.span], _without(question, first.span)
    while further := _read(left):
        if len(spans) == LIMITS_MAX:
            return None
        spans.append(further.span)
        left = _without(left, further.span)
    if len(spans) == 1:
        return AskedLimits((first.limit,), left)
    clauses, joints = _clauses(question, sorted(spans))
    read = [found.limit for clause in clauses if (found := _read(clause))]
    alternative = {joint == "or" for joint in joints}
    if len(read) < len(spans) or len(alternative) > 1:
        return None
    return AskedLimits(tuple(_completed(read)), left, either=alternative.pop())


def _without(question: str, span: tuple[int, int]) -> str:
    start, end = span
    return f"{question[:start]}{' ' * (end - start)}{question[end:]}"


def _clauses(question: str, spans: Sequence[tuple[int, int]]) -> tuple[list[str], list[str]]:
    """The parts of a question that say one limit each, and what joins them: "" where no word does."""
    clauses, joints, begins = list[str](), list[str](), 0
    for (_, end), (start, _) in pairwise(spans):
        joint = next(reversed([*_JOINT.finditer(question, end, start)]), None)
        clauses.append(question[begins : joint.start() if joint else start])
        joints.append(joint.group().strip(", ").lower() if joint else "")
        begins = joint.end() if joint else start
    return [*clauses, question[begins:]], joints


def _completed(limits: Sequence[Limit]) -> Iterator[Limit]:
    """With what is said once: "over 20 kg and under 30 kg" of one column, "more than 4 and fewer than 8 lanes"."""
    for before, one, behind in zip([limits[0], *limits], limits, [*limits[1:], limits[-1]], strict=False):
        shared = not one.unit and not one.counted and not behind.unit and behind.beside <= frozenset(behind.counted)
        alone = not one.beside and not one.counted
        yield replace(
            one, beside=before.beside if alone else one.beside, counted=behind.counted if shared else one.counted
        )


def _read(question: str) -> _Read | None:
    """A limit that it says."""
    readers = (_read_between, _read_dated, _read_behind, _read_compared, _read_equal)
    return next((found for read in readers if (found := read(question))), None)


def _read_between(question: str) -> _Read | None:
    match = _BETWEEN.search(question)
    upper = _value_at(match["value"]) if match else None
    if match is None or upper is None or _date_at(match["value"]):
        return None
    high, unit, rest = upper
    written = match["low"] or match["first"]
    end = len(question) - len(rest)
    if YEAR.match(match["value"]) and YEAR.fullmatch(written) and not unit and not _COUNTED.match(rest):
        return _limit(question, match.start(), end, (float(written), high + 1), "date", rest)
    printed = match["value"][: len(match["value"]) - len(rest)].removeprefix("~")
    number = BARE_NUMBER.search(printed)
    low = parse_number(written, Style.POINT)
    if unit and number:
        # The unit of the second number is that of the first.
        first = _value_at(f"{printed[: number.start()]}{written}{printed[number.end() :]}")
        low = first[0] if first and first[1] == unit else None
    return None if low is None else _limit(question, match.start(), end, (low, high), unit, rest)


def _read_dated(question: str) -> _Read | None:
    match = _DATED.search(question)
    if match is None:
        return None
    day = _date_at(match["value"])
    year = None if day else YEAR.match(match["value"])
    if year and (_is_measured(match["value"]) or (match["until"] and _COUNTED.match(match["value"], year.end()))):
        return None
    if day:
        at = as_year(day[2].year, day[2].timetuple().tm_yday)
        begins, ends, end = at, at, day[1]
    elif year:
        begins, ends, end = float(year[1]), float(year[1]) + 1, year.end()
    else:
        return None
    low = ends if match["after"] else begins if match["since"] else -math.inf
    high = begins if match["before"] else ends if match["until"] else math.inf
    is_open = bool(match["before"] or match["after"])
    negated = _NEGATED.search(question[: match.start()])
    if negated:
        low, high, is_open = (-math.inf, low, not is_open) if high == math.inf else (high, math.inf, not is_open)
    value = match.start("value")
    start = (negated or match).start()
    return _limit(question, start, value + end, (low, high), "date", match["value"][end:], is_open=is_open)


def _read_behind(question: str) -> _Read | None:
    """ "6 or more lanes", "20 kg or less", "in 2000 or later"."""
    match = _OR_MORE.search(question)
    read = _value_at(match["value"]) if match else None
    if match is None or read is None:
        return None
    number, unit, counted = read
    year = YEAR.fullmatch(match["value"]) if _IN_TIME.fullmatch(match["more"] or match["less"]) else None
    if year:
        number, unit = float(year[1]) + bool(match["less"]), "date"
    span = (number, math.inf) if match["more"] else (-math.inf, number)
    behind = question[match.end() :]
    return _limit(question, match.start(), match.end(), span, unit, behind, counted=counted)


def _read_compared(question: str) -> _Read | None:
    match = _LIMIT.search(question)
    read = _value_at(match["value"]) if match else None
    if match is None or read is None:
        return None
    number, unit, rest = read
    if unit == "s" and match["above"] and match["above"].lower() == "over":
        # What was done over three years took as long.
        return None
    noun = ""
    if match["adjective"]:
        noun, more = _THAN[match["adjective"].lower()]
    else:
        more = bool(match["above"] or match["least"])
    is_open = not (match["least"] or match["most"])
    negated = _NEGATED.search(question[: match.start()])
    if negated:
        more, is_open = not more, not is_open
    span = (number, math.inf) if more else (-math.inf, number)
    start = (negated or match).start()
    return _limit(question, start, len(question) - len(rest), span, unit, rest, is_open=is_open, asking=noun)


def _read_equal(question: str) -> _Read | None:
    """A number of things alone is a cell of which a question says the whole."""
    match = _HAVING.search(question)
    value = _quantity_at(match["value"]) if match else None
    rest = match["value"][value.end :] if match and value else ""
    if match is None or value is None or value.quantity.comparator != "=" or _THAN_OTHER.match(rest):
        return None
    negated = _NEGATED.search(question[: match.start()])
    start, unit = (negated or match).start(), value.quantity.canonical_unit or ""
    found = _limit(question, start, len(question) - len(rest), span_of(value), unit, "")
    return found._replace(limit=replace(found.limit, other=negated is not None))


def _limit(
    question: str, start: int, end: int, span: tuple[float, float], unit: str, rest: str, *, is_open: bool = False,
    asking: str = "", counted: str = "",
) -> _Read:  # fmt: skip
    """`start` and `end`: where it is told; `rest`: what is behind; `counted`: what stands in it behind its number."""
    behind = re.match(r"(?:\s*[^\W\d_][\w-]*){0,3}", rest)
    said = counted or (behind[0] if behind else "")
    things = [term for word in WORD.findall(said) for term in tokenize(word).counts]
    nouns = [MEASURE_NOUNS.get(kind, "") for kind in asked_kinds(question)]
    nouns += [nouns_of_measure(asking)] if asking else []
    beside = tokenize(" ".join([question[:start], question[end:], *nouns])).counts
    written = question[start : end + (len(behind[0]) if behind and not counted else 0)]
    found = Limit(
        *span, is_open, unit, tuple(dict.fromkeys(things)), frozenset(beside),
        frozenset(tokenize(question[start:end]).counts), properties_of(question), " ".join(written.split()),
        frozenset(tokenize(_DIGIT.split(question[start:end])[-1]).counts) if unit else frozenset(),
    )  # fmt: skip
    return _Read(found, (start, end))


def _date_at(text: str) -> tuple[int, int, date] | None:
    """The date that a text begins with, and where."""
    return next((one for one in find_dates(text) if one[0] == 0), None)


def _is_measured(text: str) -> bool:
    read = _value_at(text)
    return read is not None and read[1] != ""


def _quantity_at(text: str) -> FoundQuantity | None:
    return next((one for one in find_quantities(text, READING) if one.start == 0), None)


def _value_at(text: str) -> tuple[float, str, str] | None:
    """The value that a text begins with: its number, in the base unit of what it measures, that unit ("" for a number
    alone), and what is behind it."""
    quantity = _quantity_at(text)
    if quantity:
        return quantity.quantity.canonical_number or 0.0, quantity.quantity.canonical_unit or "", text[quantity.end :]
    match = BARE_NUMBER.match(text)
    number, end = scaled_number(text, match) if match else (None, 0)
    return None if number is None or _MULTIPLIED.match(text, end) else (number, "", text[end:])
