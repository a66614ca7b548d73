"""Which values of rows and statements meet a limit: at least 6 lanes, under 20 kg, before 2000.

No likeness compares 4 with 6. What meets the limit of a question answers, and what does not is no answer beside it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.held import READING
from shared.answering.rows import AnsweringCell
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import terms_in
from shared.values.dates import find_dates
from shared.values.headers import hint_below
from shared.values.money import SCALE, scale_of
from shared.values.numbers import NUMBER, WORDS, Style, parse_number, style_of
from shared.values.quantities import FoundQuantity, find_quantities

ABOVE: Final = "more than|greater than|over|above|exceeding|exceeds?"
AT_LEAST: Final = "at least|no less than|not less than|no fewer than|minimum|min\\.?|≥|>="
BELOW: Final = "less than|fewer than|under|below"
AT_MOST: Final = "at most|no more than|not more than|up to|maximum|max\\.?|≤|<="
YEAR: Final = re.compile(r"(?<![\w.,/-])(1\d{3}|20\d\d)(?![\w/-]|[.,]\d)")
BARE_NUMBER: Final = re.compile(rf"(?P<number>{NUMBER}|\b{WORDS}\b)(?![\w%])", re.I)
# In a statement before a number.
_COMPARED: Final = re.compile(rf"(?<!\w)(?:(?P<above>{ABOVE}|{AT_LEAST})|(?P<below>{BELOW}|{AT_MOST}))\s+$", re.I)
# A number that a cell has beside little else: `~1`, `1550 M`, `525.8 ± 4.0`, `[237]`.
_IN_CELL: Final = re.compile(
    rf"[\[(~≈<>≤≥ ]{{0,2}}(?P<number>[-−]?{NUMBER})(?:\s?±.{{0,12}})?[\])]?\s?(?P<unit>[^\W\d]{{0,3}})"
)
_SCALED: Final = re.compile(rf"(?<=\d){SCALE.pattern}")
WORD: Final = re.compile(r"[^\W\d_][\w-]*")
# Of the cells of a column so many are years, where it is one of years.
YEARS_MIN: Final = 0.8
# So many columns are read for a value of a unit where no header says which is meant; of more none.
UNNAMED_MAX: Final = 30
# A cell with more letters tells more than a value.
CELL_MAX: Final = 500
# So many words behind a number may say what it counts.
COUNTED_MAX: Final = 3
# As long as what compares a number before it.
COMPARED_MAX: Final = 20


class Meeting(NamedTuple):
    """How many `rows` of the `compared` ones of a table are meant, and by what: `berth: North B`, `over 20 m`."""

    rows: int
    compared: int
    said: tuple[str, ...]


class Compared(NamedTuple):
    """Whether a row meets what a question says, and the headers of the columns that tell the limit. `meeting`: of a
    whole table; `whole`: the question says nothing else of it; `table`: which all rows of one have;
    `far`: how many titles above it what is asked for is named, 0 in its headers."""

    met: bool
    labels: tuple[str, ...]
    meeting: Meeting | None = None
    whole: bool = False
    table: UUID | None = None
    far: int = 0


class _Span(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Limit:
    """What a value is to be: from `low` to `high`, neither of them where it is `open`, in the base `unit` of what it
    measures; "" for a number of things, "date" for years. `counted`: terms behind the number, which say what it counts;
    `beside`: the question's others, which may name it; `terms`: those that the limit is made of; `written`: as the
    question has it; `said_unit`: the terms of its unit as it is written; `other`: what has no such value is meant."""

    low: float
    high: float
    open: bool
    unit: str
    counted: tuple[str, ...]
    beside: frozenset[str]
    terms: frozenset[str]
    properties: Mapping[str, frozenset[str]]
    written: str
    said_unit: frozenset[str] = frozenset()
    other: bool = False

    def is_met_in(self, text: str) -> bool | None:
        """Whether a statement in words has such a value; None where it has none to compare."""
        if self.unit == "date":
            return self._any(_dates(text))
        return self._any(self._measures(text) if self.unit else self._counts(text))

    def compare(self, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> dict[UUID, Compared]:
        """Of a table's rows those that state a value in the column that the limit is of; none where no column is, or
        none for certain."""
        labels = dict.fromkeys(cell.label for cells in rows.values() for cell in cells if cell.label)
        named = {label: self._named(label) for label in labels}
        most, stated = 0.0, dict[str, dict[UUID, bool]]()
        style = _style_of(cell.value for cells in rows.values() for cell in cells)
        for most in sorted({*named.values()}, reverse=True):
            best = [label for label in labels if named[label] == most and (most or self.unit)]
            if not most and len(best) > UNNAMED_MAX:
                return {}
            if stated := {label: column for label in best if (column := self._column(label, rows, style))}:
                break
        own = self._in_own_unit([*stated], rows) if len(stated) > 1 else []
        stated = {own[0]: stated[own[0]]} if len(own) == 1 else stated
        if not stated or (not most and len(stated) > 1):
            return {}
        met = {row: {column[row] for column in stated.values() if row in column} for row in rows}
        return {row: Compared(told.pop(), (next(iter(stated)),)) for row, told in met.items() if len(told) == 1}

    def _in_own_unit(self, labels: Sequence[str], rows: Mapping[UUID, Sequence[AnsweringCell]]) -> list[str]:
        """Of the columns those that write the question's unit, in their header or a cell: of kW and hp the one in
        kW."""
        texts = {label: [label] for label in labels}
        for cell in (cell for cells in rows.values() for cell in cells if cell.label in texts):
            texts[cell.label].append(cell.value[:CELL_MAX])
        said = {label: tokenize("\n".join(cells)).counts.keys() for label, cells in texts.items()}
        return [label for label in labels if self.said_unit <= said[label]]

    def _named(self, label: str) -> float:
        """How many words of the question a header has; those that are counted are worth more than all others."""
        words = self.beside | frozenset(self.counted)
        told = terms_in(label, dict.fromkeys(words, 1.0), self.properties)
        return len(told) + len(words) * (not told.isdisjoint(self.counted))

    def _column(
        self, label: str, rows: Mapping[UUID, Sequence[AnsweringCell]], of_table: Style
    ) -> dict[UUID, bool]:  # fmt: skip
        """`of_table`: how the numbers of the whole table are written."""
        cells = {
            row: cell.value
            for row, those in rows.items()
            for cell in those
            if cell.label == label and 0 < len(cell.value) <= CELL_MAX
        }
        if self.unit == "date":
            years = [bool(YEAR.fullmatch(value.strip()) or any(find_dates(value))) for value in cells.values()]
            numbers = [value for value in cells.values() if any(letter.isdigit() for letter in value)]
            if not numbers or sum(years) < YEARS_MIN * len(numbers):
                return {}
            read = {row: self._any(_dates(value)) for row, value in cells.items()}
            return {row: met for row, met in read.items() if met is not None}
        style = _style_of(cells.values())
        style = of_table if style is Style.UNKNOWN else style
        if self.unit:
            style = Style.POINT if style is Style.UNKNOWN else style
            read = {row: self._any(self._measures(value, label, style)) for row, value in cells.items()}
        else:
            scale = hint_below(label).scale
            read = {row: self._any(self._number(value, style, scale)) for row, value in cells.items()}
        return {row: met for row, met in read.items() if met is not None}

    def _any(self, spans: Iterator[_Span]) -> bool | None:
        told = [self._meets(span) for span in spans]
        # Of "15 / 18 kW" one is 15: it has not another power than that.
        return (any(told) is not self.other) if told else None

    def _meets(self, span: _Span) -> bool:
        if self.open:
            return span.high > self.low and span.low < self.high
        return span.high >= self.low and span.low <= self.high

    def _measures(self, text: str, label: str = "", style: Style = Style.POINT) -> Iterator[_Span]:
        found = [one for one in find_quantities(text, READING) if self._is_of(one.quantity.canonical_unit)]
        yield from map(span_of, found)
        hint = hint_below(label) if label and not found else None
        match = _IN_CELL.fullmatch(text.strip()) if hint and (hint.unit or hint.currency) else None
        number = parse_number(match["number"], style) if match else None
        if hint is None or number is None:
            return
        if hint.unit and self._is_of(hint.unit.canonical_code):
            yield _Span(hint.unit.canonical(number), hint.unit.canonical(number))
        elif hint.currency == self.unit:
            yield _Span(number * hint.scale, number * hint.scale)

    def _is_of(self, unit: str | None) -> bool:
        """Whether a value in a base unit is one of what is asked for. How loud a thing is is given in dB(A), and asked
        in dB."""
        return unit == self.unit or (self.unit == "dB" and unit == "dB{A}")

    def _number(self, text: str, style: Style, scale: float) -> Iterator[_Span]:
        match = _IN_CELL.fullmatch(_SCALED.sub("", text.strip()))
        own = _SCALED.search(text.strip())
        number = parse_number(match["number"].replace("−", "-").lstrip("-"), style) if match else None
        if match is None or number is None or (match["unit"] and match["unit"].lower() not in self.counted):
            return
        number = (-number if match["number"][0] in "-−" else number) * (scale_of(own["scale"]) if own else scale)
        yield _Span(number, number)

    def _counts(self, text: str) -> Iterator[_Span]:
        for match in BARE_NUMBER.finditer(text):
            behind = WORD.findall(text, match.end(), match.end() + 60)[:COUNTED_MAX]
            said = [term for word in behind for term in tokenize(word).counts]
            number = scaled_number(text, match)[0]
            if number is not None and self.counted and self.counted[0] in said:
                compared = _COMPARED.search(text, max(0, match.start() - COMPARED_MAX), match.start())
                low = -math.inf if compared and compared["below"] else number
                yield _Span(low, math.inf if compared and compared["above"] else number)


@dataclass(frozen=True)
class AskedLimits:
    """What the things that a question asks for are to be: all of `parts`, or `either` of them. `beside`: the question
    with blanks in place of them."""

    parts: tuple[Limit, ...]
    beside: str
    either: bool = False

    @property
    def terms(self) -> frozenset[str]:
        return frozenset().union(*(one.terms for one in self.parts))

    @property
    def written(self) -> str:
        return (" or " if self.either else " and ").join(one.written for one in self.parts)

    @property
    def of_dates(self) -> bool:
        """Whether one of them is of a year."""
        return any(one.unit == "date" for one in self.parts)

    def is_met_in(self, text: str) -> bool | None:
        """Whether a statement in words meets them; None where it tells too little."""
        return self._whole([one.is_met_in(text) for one in self.parts])

    def compare(self, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> dict[UUID, Compared]:
        """Of a table's rows those whose values tell whether they meet them."""
        found = [one.compare(rows) for one in self.parts]
        compared = dict[UUID, Compared]()
        for row in rows:
            told = [one.get(row) for one in found]
            met = self._whole([one.met if one else None for one in told])
            if met is not None:
                labels = (label for one in told if one and one.met is met for label in one.labels)
                compared[row] = Compared(met, tuple(dict.fromkeys(labels)))
        return compared

    def _whole(self, told: Sequence[bool | None]) -> bool | None:
        """What fails one of all fails; what tells nothing of one can meet the others and still not be known."""
        if self.either in told:
            return self.either
        return None if None in told else not self.either


def _style_of(cells: Iterable[str]) -> Style:
    """How the numbers are written of which cells have one and little else."""
    return style_of(match["number"] for value in cells if (match := _IN_CELL.match(value.strip())))


def scaled_number(text: str, match: re.Match[str]) -> tuple[float | None, int]:
    """The number that `BARE_NUMBER` matched, with a million behind it, and where it ends."""
    number = parse_number(match["number"], Style.POINT)
    scale = SCALE.match(text, match.end())
    if number is None or scale is None:
        return number, match.end()
    return number * scale_of(scale["scale"]), scale.end()


def span_of(found: FoundQuantity) -> _Span:
    one = found.quantity
    low = one.canonical_number if one.canonical_number is not None else one.number
    high = one.canonical_upper if one.canonical_upper is not None else low
    if one.comparator in ("<", "<="):
        return _Span(-math.inf, high)
    return _Span(low, math.inf) if one.comparator in (">", ">=") else _Span(low, high)


def _dates(text: str) -> Iterator[_Span]:
    dates = list(find_dates(text))
    for _, _, day in dates:
        at = as_year(day.year, day.timetuple().tm_yday)
        yield _Span(at, at)
    for match in YEAR.finditer(text):
        if not any(start <= match.start() < end for start, end, _ in dates):
            # The middle of the year, so that a year is before the next and after the last one.
            yield _Span(float(match[1]) + 0.5, float(match[1]) + 0.5)


def as_year(year: int, day: int) -> float:
    return year + (day - 0.5) / 366
