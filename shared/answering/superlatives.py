"""Which row of a table has the most or the least of a measure: "What is the heaviest pump?", "Which model has the
highest power?". No likeness compares; the numbers of one column do, where all of them can be compared.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import category
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
# Before "the highest" these say of what it is, or that something is it; any other word is what the row does.
_NO_VERB: Final = (
    "is|are|was|were|be|been|does|do|did|of|in|at|for|from|by|among|on|to|per|than|as|into|under|over|near|behind|and|or"
    "|which|what|who|that"
)
# No more than that a row has it; what lost the most games is not what played most.
_HAVING: Final = frozenset(tokenize(
    "reach achieve attain get got gain show score earn receive offer provide give produce deliver record measure "
    "report hold held make made take took see saw"
).counts)  # fmt: skip
# "The largest room" may be that of most area, persons or doors: a measure is named where something has it.
_SUPERLATIVE: Final = re.compile(
    rf"\b(?:(?:the )?(?P<own>{'|'.join(sorted(_OWN, reverse=True))})"
    rf"|(?:(?:has|have|having|with) (?:the )?|(?!(?:{_NO_VERB})\b)(?P<verb>[a-z]{{2,}}) the )"
    rf"(?P<plain>{'|'.join(sorted(_MOST | _LEAST))})"
    r"(?P<measure>(?: (?!(?:of|in|at|for|among|on|to|with|per|is|are|was|does|do)\b)[\w-]+){1,3}))\b",
    re.I,
)
_NUMBER: Final = re.compile(r"\d[\d.,'’\u00a0\u202f\u2009]*")
_VALUE: Final = re.compile(rf"(?P<before>[^\d\s.,]{{0,3}})\s?(?P<number>{_NUMBER.pattern})\s?(?P<behind>\D{{0,12}})")
# The names of sums of other rows, and what may say so of one: a table with such a row is not compared.
SUM: Final = re.compile(
    r"\W*(?:(?:grand |sub-?)?(?:totals?|sums?|averages?|means?|medians?)|overall|(?:minimum|maximum)|all)\W*", re.I
)
_MAYBE_SUM: Final = re.compile(
    r"\W*(?:total|sum|average|mean|overall|all)\b|.*\b(?:totals?|sums?|averages?|overall)\W*$", re.I
)
_WORD: Final = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?")
# Numbers below such headers have no more and no less.
_NO_MEASURE: Final = frozenset(tokenize("version release number no nr id date year").counts)
# What a header may say beside its measure, that it is still the measure.
_BESIDE_MEASURE: Final = frozenset(
    tokenize("maximum max minimum min total net gross nominal rated average typical unit list level own overall").counts
)
_IN_BRACKETS: Final = re.compile(r"[(\[][^()\[\]]*[)\]]")
# "Filter of a pump" is no pump.
_BEHIND: Final = re.compile(r"\b(?:of|for|per|by)\b.*", re.I)
NOT: Final = re.compile(r"\b(?:not|no|without|except|excluding|other than|but)\b|n['’]t\b", re.I)
# What such a row is asked for is another of its cells.
_OF_IT: Final = re.compile(r"\bof\W*$", re.I)
# One row has neither the most nor the least.
ROWS_MIN: Final = 2
Cells = Mapping[UUID, tuple[AnsweringCell, ...]]


@dataclass(frozen=True)
class Superlative:
    """`measure`: terms of a header that names it, any of them where `any_of`, else all; `beside`: the question's other
    words, in lower case, which say what is compared."""

    measure: frozenset[str]
    any_of: bool
    most: bool
    beside: frozenset[str]
    properties: Properties

    def touches(self, label: str) -> bool:
        """Whether a header has the measure's words."""
        if self.any_of:
            return not self.measure.isdisjoint(tokenize(label).counts)
        return terms_in(label, dict.fromkeys(self.measure, 1.0), self.properties) == self.measure

    def names(self, label: str) -> bool:
        """Whether a header that has them is the measure: "Power supply" is none, and "Mass flow" another."""
        named = self.measure.union(*self.properties.values())
        return tokenize(_IN_BRACKETS.sub(" ", label)).counts.keys() <= named | _BESIDE_MEASURE


@dataclass(frozen=True)
class Extreme:
    """The row of a table that has the most or the least, the header of that column, and how many rows state it."""

    row: UUID
    label: str
    compared: int


def asked_superlative(question: str) -> Superlative | None:
    """What a question that begins with what, which or who asks the most or the least of; None for any other, for one
    that excepts something, and for one that asks what else such a thing has."""
    found = _SUPERLATIVE.search(question) if _ASKS.match(question) and not NOT.search(question) else None
    if found is None or _OF_IT.search(question[: found.start()]):
        return None
    verb = found["verb"] or ""
    does = "" if tokenize(verb).counts.keys() <= _HAVING else verb
    beside = _words(f"{question[: found.start()]} {does} {question[found.end() :]}")
    if found["own"]:
        asking, most = _OWN[found["own"].lower()]
        return Superlative(frozenset(tokenize(nouns_of_measure(asking)).counts), True, most, beside, {})
    measure = frozenset(tokenize(found["measure"]).counts)
    if not measure or measure & _NO_MEASURE:
        return None
    return Superlative(measure, False, found["plain"].lower() in _MOST, beside, properties_of(question))


def cells_of(rows: Mapping[UUID, tuple[str, str]]) -> Cells:
    """The cells of a table's rows, each given as printed, and with each cell after its header, as it is indexed."""
    return {row: read_cells(text, labelled, frozenset(), {}) for row, (text, labelled) in rows.items()}


def find_extreme(asked: Superlative, rows: Cells, above: str) -> Extreme | None:
    """The one row of a table that has the most, or the least; `above`: what stands above the table.

    None where no column, or more than one, is called so; where a number is ambiguous or the units differ; where two
    rows are equal, or most state no number; where a row may be a sum; where the cells of a row stand under no header
    that can be told; where the table is only of something *for* what is asked, or nothing is; and where a word of the
    question is neither above the table, nor in its headers, nor in one column of two of its rows, which alone are
    compared then.
    """
    read = {row: cells for row, cells in rows.items() if not SUM.fullmatch(cells[0].value)}
    if any(_MAYBE_SUM.match(cell.value) for cells in read.values() for cell in cells):
        return None
    if any(not any(cell.label for cell in cells) for cells in read.values()):
        return None
    labels = {cell.label for cells in read.values() for cell in cells if asked.touches(cell.label)}
    names = {cells[0].label for cells in read.values()}
    if len(labels) != 1 or not labels.isdisjoint(names) or not asked.names(*labels):
        return None
    (label,) = labels
    headers = [above, *{cell.label for cells in read.values() for cell in cells}]
    told = tokenize("\n".join(headers)).counts.keys()
    things = tokenize("\n".join(_BEHIND.sub("", header) for header in headers)).counts.keys()
    words = {word: said for word in asked.beside if (said := tokenize(word).counts.keys())}
    further = {word for word, said in words.items() if not said <= told}
    if not further and not any(said <= things for said in words.values()):
        return None
    among = _having(further, read)
    stated = {row: found for row, cells in among.items() if (found := _value_under(label, cells)) is not None}
    texts = [_printed(cells) for cells in read.values()]
    winners = {_winner(stated, style, most=asked.most) for style in _styles(texts)}
    enough = len(stated) >= ROWS_MIN and 2 * len(stated) > len(among)
    winner = winners.pop() if len(winners) == 1 and enough else None
    return Extreme(winner, label, len(stated)) if winner else None


def _having(words: set[str], read: Cells) -> Cells:
    """The rows with all these words in one column, the same for all. A row has the word itself: "oil-free" is not
    oiled; and a bare number may be of anything."""
    if not words:
        return read
    if any(word.isdecimal() for word in words):
        return {}
    columns = {cell.label for cells in read.values() for cell in cells}
    found: list[Cells] = [
        {row: cells for row, cells in read.items() if any(c.label == one and words <= _words(c.value) for c in cells)}
        for one in columns
    ]
    having = [one for one in found if one]
    return having[0] if len(having) == 1 else {}


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
    if found is None or any(_may_change(sign) for sign in found["before"] + found["behind"]):
        return "", value
    return found["number"], f"{found['before']}{found['behind']}".strip()


def _may_change(sign: str) -> bool:
    """A sign beside a number that makes another one of it: a minus, a dash, the brackets of an amount that is owed."""
    return sign in "−()" or category(sign) == "Pd"


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
