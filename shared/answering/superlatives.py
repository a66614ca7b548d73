"""Which row of a table has the most or the least of a measure: "What is the heaviest pump?", "Which model has the
highest power?". No likeness compares; the numbers of one column do, where all of them can be compared.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.answering.rows import AnsweringCell, read_cells
from shared.answering.sentences import CELL_SEPARATOR
from shared.lexical.properties import nouns_of_measure
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import Properties, properties_of, terms_in
from shared.values.numbers import Style, parse_number, style_of

# What has the most or the least of what: by superlative the word that asks for its measure ("how heavy").
_OWN: Final[Mapping[str, tuple[str, bool]]] = {
    "heaviest": ("heavy", True), "lightest": ("heavy", False), "fastest": ("fast", True), "slowest": ("fast", False),
    "longest": ("long", True), "shortest": ("long", False), "widest": ("wide", True), "narrowest": ("wide", False),
    "tallest": ("tall", True), "deepest": ("deep", True), "thickest": ("thick", True), "thinnest": ("thick", False),
    "loudest": ("loud", True), "quietest": ("loud", False), "hottest": ("hot", True), "coldest": ("hot", False),
    "most expensive": ("expensive", True), "cheapest": ("expensive", False), "least expensive": ("expensive", False),
    "most powerful": ("powerful", True), "least powerful": ("powerful", False),
}  # fmt: skip
_MOST: Final = frozenset({"highest", "largest", "greatest", "biggest", "most"})
_LEAST: Final = frozenset({"lowest", "smallest", "least", "fewest"})
_ASKS: Final = re.compile(r"\W*(?:what|which|who)\b", re.I)
_SUPERLATIVE: Final = re.compile(
    rf"\b(?:(?:the )?(?P<own>{'|'.join(sorted(_OWN, reverse=True))})"
    rf"|(?:the|has|have|with) (?P<plain>{'|'.join(sorted(_MOST | _LEAST))})"
    r"(?P<measure>(?: (?!(?:of|in|at|for|among|on|to|with|per|is|are|was|does|do)\b)[\w-]+){1,3}))\b",
    re.I,
)
_NUMBER: Final = re.compile(r"\d[\d.,'’\u00a0\u202f\u2009]*")
_VALUE: Final = re.compile(rf"(?P<before>[^\d\s.,]{{0,3}})\s?(?P<number>{_NUMBER.pattern})\s?(?P<behind>\D{{0,12}})")
_SUMS: Final = re.compile(r"\W*(?:grand |sub-?)?(?:totals?|sums?|averages?|means?|all)\b", re.I)
_WORD: Final = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?")
_SIGNS: Final = frozenset("-−–")
# One row has neither the most nor the least.
ROWS_MIN: Final = 2


@dataclass(frozen=True)
class Superlative:
    """`measure`: terms of a header that names it, any of them where `any_of`, else all; `beside`: the question's other
    words, in lower case, which say what is compared."""

    measure: frozenset[str]
    any_of: bool
    most: bool
    beside: frozenset[str]
    properties: Properties

    def names(self, label: str) -> bool:
        """Whether a header names the measure."""
        if self.any_of:
            return not self.measure.isdisjoint(tokenize(label).counts)
        return terms_in(label, dict.fromkeys(self.measure, 1.0), self.properties) == self.measure


@dataclass(frozen=True)
class Extreme:
    """The row of a table that has the most or the least, the header of that column, and how many rows state it."""

    row: UUID
    label: str
    compared: int


def asked_superlative(question: str) -> Superlative | None:
    """What a question that begins with what, which or who asks the most or the least of; None for any other."""
    found = _SUPERLATIVE.search(question) if _ASKS.match(question) else None
    if found is None:
        return None
    beside = _words(f"{question[: found.start()]} {question[found.end() :]}")
    if found["own"]:
        asking, most = _OWN[found["own"].lower()]
        return Superlative(frozenset(tokenize(nouns_of_measure(asking)).counts), True, most, beside, {})
    measure = frozenset(tokenize(found["measure"]).counts)
    return (
        Superlative(measure, False, found["plain"].lower() in _MOST, beside, properties_of(question))
        if measure
        else None
    )


def find_extreme(asked: Superlative, rows: Mapping[UUID, tuple[str, str]], above: str) -> Extreme | None:
    """The one row of a table that has the most, or the least. `rows`: by id as printed, and with each cell after its
    header, as it is indexed; `above`: what stands above the table.

    None where no column, or more than one, is called so; where a number is ambiguous or the units differ; where two
    rows are equal; and where a word of the question is neither above the table, nor in its headers, nor in two of its
    rows, which alone are compared then.
    """
    read = {row: read_cells(text, labelled, frozenset(), {}) for row, (text, labelled) in rows.items()}
    read = {row: cells for row, cells in read.items() if not _SUMS.match(cells[0].value)}
    labels = {cell.label for cells in read.values() for cell in cells if asked.names(cell.label)}
    if len(labels) != 1:
        return None
    (label,) = labels
    headers = " ".join({cell.label for cells in read.values() for cell in cells})
    told = tokenize(f"{above}\n{headers}").counts.keys()
    # A row has the word itself: "oil-free" is not oiled.
    further = {word for word in asked.beside if not tokenize(word).counts.keys() <= told}
    among = {row: cells for row, cells in read.items() if further <= _words(_printed(cells))}
    stated = {row: found for row, cells in among.items() if (found := _value_under(label, cells)) is not None}
    texts = [_printed(cells) for cells in read.values()]
    winners = {_winner(stated, style, most=asked.most) for style in _styles(texts)}
    winner = winners.pop() if len(winners) == 1 and len(stated) >= ROWS_MIN else None
    return Extreme(winner, label, len(stated)) if winner else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _printed(cells: Sequence[AnsweringCell]) -> str:
    return CELL_SEPARATOR.join(cell.value for cell in cells)


def _value_under(label: str, cells: Sequence[AnsweringCell]) -> tuple[str, str] | None:
    """(number, unit) of the cell below a header; None where it states none, ("", …) where it cannot be compared."""
    value = next((cell.value.strip() for cell in cells if cell.label == label), "")
    if not any(letter.isdigit() for letter in value):
        return None
    found = _VALUE.fullmatch(value)
    if found is None or not _SIGNS.isdisjoint(found["before"] + found["behind"]):
        return "", value
    return found["number"], f"{found['before']}{found['behind']}".strip()


def _styles(texts: Sequence[str]) -> Iterator[Style]:
    """How numbers may be read: as those of the table that are certain, else either way."""
    style = style_of(number for text in texts for number in _NUMBER.findall(text))
    yield from [Style.POINT, Style.COMMA] if style is Style.UNKNOWN else [style]


def _winner(stated: Mapping[UUID, tuple[str, str]], style: Style, *, most: bool) -> UUID | None:
    values = {row: parse_number(number, style) if number else None for row, (number, _unit) in stated.items()}
    if not values or None in values.values() or len({unit for _number, unit in stated.values()}) > 1:
        return None
    best = (max if most else min)(value for value in values.values() if value is not None)
    having = [row for row, value in values.items() if value == best]
    return having[0] if len(having) == 1 else None
