"""Which values are above or below what a question says: "at least 6 lanes", "under 20 kg", "opened before 2000".

No likeness compares 4 with 6. What meets such a limit answers, and what does not is no answer beside it. Questions that
ask which things there are, in English; what is allowed above some value, or happens then, is another question.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.asked import asked_kinds
from shared.answering.rows import AnsweringCell
from shared.lexical.properties import MEASURE_NOUNS, nouns_of_measure
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import properties_of, terms_in
from shared.values.dates import find_dates
from shared.values.money import SCALE, scale_of
from shared.values.names import read_label
from shared.values.numbers import NUMBER, WORDS, Style, parse_number, style_of
from shared.values.quantities import FoundQuantity, NumberReading, find_quantities

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
_ABOVE: Final = "more than|greater than|over|above|exceeding|exceeds?"
_FROM: Final = "at least|no less than|not less than|no fewer than|minimum|min\\.?|≥|>="
_BELOW: Final = "less than|fewer than|under|below"
_TO: Final = "at most|no more than|not more than|up to|maximum|max\\.?|≤|<="
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
    rf"(?<!\w)(?:(?P<above>{_ABOVE})|(?P<least>{_FROM})|(?P<below>{_BELOW})|(?P<most>{_TO})"
    rf"|(?P<adjective>{'|'.join(_THAN)}) than)\s+(?P<value>.*)",
    re.I | re.S,
)
# Of "not over", "no later than", "do not exceed" the opposite is meant.
_NEGATED: Final = re.compile(
    r"(?:\bno|(?:\b(?:not|never|cannot)|n['\u2019]t)(?:\s+(?!(?:and|but|or)\b)\w+){0,2})\s+$", re.I
)
# In a statement before a number.
_COMPARED: Final = re.compile(rf"(?<!\w)(?:(?P<above>{_ABOVE}|{_FROM})|(?P<below>{_BELOW}|{_TO}))\s+$", re.I)
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
    r"|(?P<until>until|till|up to))\s+(?:the (?:year|end of) )?(?P<value>.*)",
    re.I | re.S,
)
_YEAR: Final = re.compile(r"(?<![\w.,/-])(1\d{3}|20\d\d)(?![\w/-]|[.,]\d)")
_BARE: Final = re.compile(rf"(?P<number>{NUMBER}|\b{WORDS}\b)(?![\w%])", re.I)
# A number that a cell has beside little else: `~1`, `1550 M`, `525.8 ± 4.0`, `[237]`.
_IN_CELL: Final = re.compile(
    rf"[\[(~≈<>≤≥ ]{{0,2}}(?P<number>[-−]?{NUMBER})(?:\s?±.{{0,12}})?[\])]?\s?(?P<unit>[^\W\d]{{0,3}})"
)
_SCALED: Final = re.compile(rf"(?<=\d){SCALE.pattern}")
_WORD: Final = re.compile(r"[^\W\d_][\w-]*")
_READING: Final = NumberReading()
# Of the cells of a column so many are years, where it is one of years.
YEARS_MIN: Final = 0.8
# So many words behind a number may say what it counts.
COUNTED_MAX: Final = 3
# As long as what compares a number before it.
COMPARED_MAX: Final = 20
# Numbers of several words are not read.
_MULTIPLIED: Final = re.compile(rf"[ -](?:hundred|dozen|score|{WORDS})\b", re.I)


class Compared(NamedTuple):
    """Whether a row meets a limit, and the header of the column that tells it."""

    met: bool
    label: str


class _Span(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Limit:
    """What a value is to be: from `low` to `high`, neither of them where it is `open`, in the base `unit` of what it
    measures; "" for a number of things, "date" for years. `counted`: terms behind the number, which say what it counts;
    `beside`: the question's others, which may name it; `terms`: those that the limit is made of; `written`: as the
    question has it."""

    low: float
    high: float
    open: bool
    unit: str
    counted: tuple[str, ...]
    beside: frozenset[str]
    terms: frozenset[str]
    properties: Mapping[str, frozenset[str]]
    written: str

    def is_met_in(self, text: str) -> bool | None:
        """Whether a statement in words has such a value; None where it has none to compare."""
        if self.unit == "date":
            return self._any(_dates(text))
        return self._any(self._measures(text) if self.unit else self._counts(text))

    def compare(self, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> dict[UUID, Compared]:
        """Of a table's rows those that state a value in the column that the limit is of; none where no column is, or
        none for certain."""
        labels = dict.fromkeys(cell.label for cells in rows.values() for cell in cells if cell.label)
        columns = {label: self._column(label, rows) for label in labels}
        stated = {label: column for label, column in columns.items() if column}
        named = {label: self._named(label) for label in stated}
        most = max(named.values(), default=0)
        if not stated or (not most and (len(stated) > 1 or not self.unit)):
            return {}
        best = [label for label in stated if named[label] == most]
        met = {row: {stated[label][row] for label in best if row in stated[label]} for row in rows}
        return {row: Compared(told.pop(), best[0]) for row, told in met.items() if len(told) == 1}

    def _named(self, label: str) -> float:
        """How many words of the question a header has; those that are counted are worth more than all others."""
        words = self.beside | frozenset(self.counted)
        told = terms_in(label, dict.fromkeys(words, 1.0), self.properties)
        return len(told) + len(words) * (not told.isdisjoint(self.counted))

    def _column(self, label: str, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> dict[UUID, bool]:
        cells = {row: cell.value for row, those in rows.items() for cell in those if cell.label == label and cell.value}
        if self.unit == "date":
            years = [bool(_YEAR.fullmatch(value.strip()) or any(find_dates(value))) for value in cells.values()]
            numbers = [value for value in cells.values() if any(letter.isdigit() for letter in value)]
            if not numbers or sum(years) < YEARS_MIN * len(numbers):
                return {}
            read = {row: self._any(_dates(value)) for row, value in cells.items()}
        elif self.unit:
            read = {row: self._any(self._measures(value, label)) for row, value in cells.items()}
        else:
            style = style_of(match["number"] for value in cells.values() if (match := _IN_CELL.match(value.strip())))
            scale = read_label(label)[1].scale
            read = {row: self._any(self._number(value, style, scale)) for row, value in cells.items()}
        return {row: met for row, met in read.items() if met is not None}

    def _any(self, spans: Iterator[_Span]) -> bool | None:
        told = [self._meets(span) for span in spans]
        return any(told) if told else None

    def _meets(self, span: _Span) -> bool:
        if self.open:
            return span.high > self.low and span.low < self.high
        return span.high >= self.low and span.low <= self.high

    def _measures(self, text: str, label: str = "") -> Iterator[_Span]:
        found = [one for one in find_quantities(text, _READING) if one.quantity.canonical_unit == self.unit]
        yield from map(_span_of, found)
        hint = read_label(label)[1] if label and not found else None
        match = _IN_CELL.fullmatch(text.strip()) if hint and (hint.unit or hint.currency) else None
        number = parse_number(match["number"], Style.POINT) if match else None
        if hint is None or number is None:
            return
        if hint.unit and hint.unit.canonical_code == self.unit:
            yield _Span(hint.unit.canonical(number), hint.unit.canonical(number))
        elif hint.currency == self.unit:
            yield _Span(number * hint.scale, number * hint.scale)

    def _number(self, text: str, style: Style, scale: float) -> Iterator[_Span]:
        match = _IN_CELL.fullmatch(_SCALED.sub("", text.strip()))
        own = _SCALED.search(text.strip())
        number = parse_number(match["number"].replace("−", "-").lstrip("-"), style) if match else None
        if match is None or number is None or (match["unit"] and match["unit"].lower() not in self.counted):
            return
        number = (-number if match["number"][0] in "-−" else number) * (scale_of(own["scale"]) if own else scale)
        yield _Span(number, number)

    def _counts(self, text: str) -> Iterator[_Span]:
        for match in _BARE.finditer(text):
            behind = _WORD.findall(text, match.end(), match.end() + 60)[:COUNTED_MAX]
            said = [term for word in behind for term in tokenize(word).counts]
            number = _scaled_number(text, match)[0]
            if number is not None and self.counted and self.counted[0] in said:
                compared = _COMPARED.search(text, max(0, match.start() - COMPARED_MAX), match.start())
                low = -math.inf if compared and compared["below"] else number
                yield _Span(low, math.inf if compared and compared["above"] else number)


def asked_limit(question: str) -> Limit | None:
    """The first limit of a question that asks which things there are; None for any other."""
    if not _SELECTS.match(question) or _CONDITIONAL.search(question):
        return None
    return _read_between(question) or _read_dated(question) or _read_compared(question)


def _read_between(question: str) -> Limit | None:
    match = _BETWEEN.search(question)
    upper = _value_at(match["value"]) if match else None
    if match is None or upper is None or _date_at(match["value"]):
        return None
    high, unit, rest = upper
    written = match["low"] or match["first"]
    end = len(question) - len(rest)
    if _YEAR.match(match["value"]) and _YEAR.fullmatch(written) and not unit and not _COUNTED.match(rest):
        return _limit(question, match.start(), end, (float(written), high + 1), "date", rest)
    printed = match["value"][: len(match["value"]) - len(rest)].removeprefix("~")
    number = _BARE.search(printed)
    low = parse_number(written, Style.POINT)
    if unit and number:
        # The unit of the second number is that of the first.
        first = _value_at(f"{printed[: number.start()]}{written}{printed[number.end() :]}")
        low = first[0] if first and first[1] == unit else None
    return None if low is None else _limit(question, match.start(), end, (low, high), unit, rest)


def _read_dated(question: str) -> Limit | None:
    match = _DATED.search(question)
    if match is None:
        return None
    day = _date_at(match["value"])
    year = None if day else _YEAR.match(match["value"])
    if year and (_is_measured(match["value"]) or (match["until"] and _COUNTED.match(match["value"], year.end()))):
        return None
    if day:
        at = _as_year(day[2].year, day[2].timetuple().tm_yday)
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


def _read_compared(question: str) -> Limit | None:
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


def _limit(
    question: str, start: int, end: int, span: tuple[float, float], unit: str, rest: str, *, is_open: bool = False,
    asking: str = "",
) -> Limit:  # fmt: skip
    """`start` and `end`: where it is told; `rest`: what is behind."""
    behind = re.match(r"(?:\s*[^\W\d_][\w-]*){0,3}", rest)
    counted = [term for word in _WORD.findall(behind[0] if behind else "") for term in tokenize(word).counts]
    nouns = [MEASURE_NOUNS.get(kind, "") for kind in asked_kinds(question)]
    nouns += [nouns_of_measure(asking)] if asking else []
    beside = tokenize(" ".join([question[:start], question[end:], *nouns])).counts
    written = question[start : end + (len(behind[0]) if behind else 0)]
    return Limit(
        *span, is_open, unit, tuple(dict.fromkeys(counted)), frozenset(beside),
        frozenset(tokenize(question[start:end]).counts), properties_of(question), " ".join(written.split()),
    )  # fmt: skip


def _date_at(text: str) -> tuple[int, int, date] | None:
    """The date that a text begins with, and where."""
    return next((one for one in find_dates(text) if one[0] == 0), None)


def _is_measured(text: str) -> bool:
    read = _value_at(text)
    return read is not None and read[1] != ""


def _value_at(text: str) -> tuple[float, str, str] | None:
    """The value that a text begins with: its number, in the base unit of what it measures, that unit ("" for a number
    alone), and what is behind it."""
    quantity = next((one for one in find_quantities(text, _READING) if one.start == 0), None)
    if quantity:
        return quantity.quantity.canonical_number or 0.0, quantity.quantity.canonical_unit or "", text[quantity.end :]
    match = _BARE.match(text)
    number, end = _scaled_number(text, match) if match else (None, 0)
    return None if number is None or _MULTIPLIED.match(text, end) else (number, "", text[end:])


def _scaled_number(text: str, match: re.Match[str]) -> tuple[float | None, int]:
    """The number that `_BARE` matched, with a million behind it, and where it ends."""
    number = parse_number(match["number"], Style.POINT)
    scale = SCALE.match(text, match.end())
    if number is None or scale is None:
        return number, match.end()
    return number * scale_of(scale["scale"]), scale.end()


def _span_of(found: FoundQuantity) -> _Span:
    one = found.quantity
    low = one.canonical_number if one.canonical_number is not None else one.number
    high = one.canonical_upper if one.canonical_upper is not None else low
    if one.comparator in ("<", "<="):
        return _Span(-math.inf, high)
    return _Span(low, math.inf) if one.comparator in (">", ">=") else _Span(low, high)


def _dates(text: str) -> Iterator[_Span]:
    dates = list(find_dates(text))
    for _, _, day in dates:
        at = _as_year(day.year, day.timetuple().tm_yday)
        yield _Span(at, at)
    for match in _YEAR.finditer(text):
        if not any(start <= match.start() < end for start, end, _ in dates):
            # The middle of the year, so that a year is before the next and after the last one.
            yield _Span(float(match[1]) + 0.5, float(match[1]) + 0.5)


def _as_year(year: int, day: int) -> float:
    return year + (day - 0.5) / 366
