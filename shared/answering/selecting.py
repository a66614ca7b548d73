"""Rows that a question selects by what their cells say: "Which ships used North B?", "How many ships carried grain?".

A search finds some of them, and no likeness counts. A row is meant where a cell says, word for word, what the question
does; where every word of the question is a header, stands above the table or in such a cell, but for a verb that says
no more than which, the rows that are meant are all that was asked for.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.limits import CELL_MAX, AskedLimits, Compared, Meeting
from shared.answering.rows import AnsweringCell
from shared.answering.superlatives import NOT, SUM
from shared.lexical.languages import ENGLISH, STOP_WORDS
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import Properties, properties_of, terms_in
from shared.values.numbers import NUMBER
from shared.values.quantities import find_limits
from shared.values.totals import is_total

# "Which", and not "what is": it asks for things of which there may be several.
_SELECTS: Final = re.compile(
    r"\W*(?:(?:in|on|at|for|of|from|with|by) )?(?:(?:what|which) (?!(?:is|are|was|were|do|does|did|has|have|had)\b)"
    r"|who\b|whose\b|how many\b|name (?:all|the)\b|list\b|show\b)(?: (?:all|the|me|us|of)\b)*",
    re.I,
)
# Verbs that say no more of a thing than the cell does: not how many of them sank.
_PLAIN: Final = frozenset(tokenize(
    "use used using contain contained include included belong belonged offer offered provide provided carry "
    "carried hold held make made produce produced sell sold live lived work worked stand stood lie come came "
    "appear appeared list listed name named call called classified marked take took serve served need needed "
    "feature run fall there exist measure measured record recorded observed registered reported given"
).counts)  # fmt: skip
# Words that are no terms and say nothing of a thing. "Not", "other", "only", "more", "to" and the like do.
_SILENT_WORDS: Final = (
    "a all am an and any are as at be been being by did do does doing for from had has have having he her him his i in "
    "is it its me my of on or our s she some that the their them there these they this those was we were what which "
    "who whom with you your"
)
_SILENT: Final = frozenset(_SILENT_WORDS.split())
_BELONGS_TO: Final = re.compile(r"\bbelong(?:s|ed|ing)? to\b", re.I)
# What a row may always be called.
_ANYTHING: Final = frozenset(tokenize(
    "thing item entry row record case example line object people person individual name character member participant"
).counts)  # fmt: skip
# What a header says of a thing by which it is told from others.
_NAMES: Final = frozenset(tokenize("name id no number nr").counts)
# Words that ask for a measure as its name does.
_MEASURING: Final = frozenset(tokenize("weigh cost last").counts)
# What a column has that says of each row only whether.
_TRUTH_WORDS: Final = "yes no y n true false x - – ✓ ✔ ✗ ✘ 0 1 ja nein oui non none n/a"
_TRUTHS: Final = frozenset({"", *_TRUTH_WORDS.split()})
_OR: Final = re.compile(r"\bor\b", re.I)
_LISTED: Final = re.compile(r"[,;/|&+()\n]|\b(?:and|or)\b")
_WORD: Final = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?")
# Of a column so many cells are numbers, where it is one of numbers.
NUMBERS_MIN: Final = 0.8
_NUMERIC: Final = re.compile(rf"[^\w\n]{{0,3}}{NUMBER}\W{{0,3}}[^\W\d]{{0,4}}\W{{0,2}}")
# A capital that stands alone: of berth B, class S. No pronoun, and no article at the beginning.
_LETTER: Final = re.compile(r"(?<=[^\W_]\s)[A-HJ-Z](?![\w'’.&-])")
_ALONE: Final = re.compile(r"(?<![\w'’.&-])[A-Z](?![\w'’.&-])")
# So small a number may count anything.
_SMALL: Final = re.compile(r"\d{1,3}")


class Saying(NamedTuple):
    """What a question says of the things that it means: its terms, and capitals that stand alone."""

    terms: frozenset[str]
    letters: frozenset[str]

    @classmethod
    def of(cls, question: str, bounds: Set[str]) -> "Saying":
        """`bounds`: of what a value is to be above or below no cell is said to be."""
        bounds = tokenize(" ".join(find_limits(question))).counts.keys() | bounds
        return cls(frozenset(tokenize(question).counts.keys() - bounds), letters_in(question))

    def says(self, text: str) -> bool:
        """Whether it has all terms and letters of a text that has some: of Plan A not where it has Plan B."""
        having, letters = parts_of(text)
        return bool(letters or having) and letters <= self.letters and having <= self.terms

    def says_cell(self, cell: AnsweringCell, properties: Properties) -> bool:
        """Whether it says which row is meant: of 4 under the header "Lanes" with that word alone."""
        small = _SMALL.fullmatch(cell.value.strip()) and cell.label
        return self.says(cell.value) and not (
            small and not terms_in(cell.label, dict.fromkeys(self.terms, 1.0), properties)
        )


def selects(question: str) -> bool:
    """Whether it asks which things there are."""
    return _SELECTS.match(question) is not None


def letters_in(question: str) -> frozenset[str]:
    return frozenset(_LETTER.findall(question))


def parts_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Its terms, and the capitals that stand alone."""
    letters = frozenset(_ALONE.findall(text))
    return frozenset(tokenize(text).counts.keys() - {letter.lower() for letter in letters}), letters


def turning_in(text: str) -> frozenset[str]:
    """The words that are no terms, and make another thing of what the others say: not North B, other than North B."""
    letters = {letter.lower() for letter in _ALONE.findall(text)}
    words = {word.lower() for word in _WORD.findall(_BELONGS_TO.sub(" ", text))}
    return frozenset((words & STOP_WORDS[ENGLISH]) - _SILENT - letters)


class _Named(NamedTuple):
    """A column of which the question says what a cell has: as printed, its terms and letters, and the rows with it;
    `partly`: those that have more there, as of a list."""

    label: str
    values: tuple[str, ...]
    terms: frozenset[str]
    rows: frozenset[UUID]
    partly: frozenset[UUID]


def select_rows(
    question: str, limits: AskedLimits | None, rows: Mapping[UUID, Sequence[AnsweringCell]], above: Sequence[str]
) -> dict[UUID, Compared]:
    """The rows of a table that were compared with what the question says of things; `above`: the titles above the
    table, the nearest first. Those that are told for certain to be meant, or not to be; those that the limits alone
    tell where the question says more than the table does. What is the sum of other rows is never meant."""
    sums = dict.fromkeys((row for row, cells in rows.items() if _is_sum(cells)), Compared(met=False, labels=()))
    found = _select(question, limits, {row: cells for row, cells in rows.items() if row not in sums}, above)
    return {**found, **sums} if found else {}


def _select(
    question: str, limits: AskedLimits | None, rows: Mapping[UUID, Sequence[AnsweringCell]], above: Sequence[str]
) -> dict[UUID, Compared]:
    compared = limits.compare(rows) if limits else {}
    opening = _SELECTS.match(question)
    if opening is None:
        return compared
    asked, bounds = question[opening.end() :], limits.terms if limits else frozenset[str]()
    wanted = tokenize(asked).counts.keys() - _PLAIN - bounds - (_MEASURING if limits else frozenset())
    beside = limits.beside if limits else question
    turning = turning_in(beside[opening.end() :])
    properties, weights = properties_of(question), dict.fromkeys(wanted, 1.0)
    labels = {cell.label for cells in rows.values() for cell in cells}
    # Of what is insured or not it is not said which by the header alone.
    headed = terms_in("\n".join(labels - _flags(rows)), weights, properties)
    told = headed | terms_in("\n".join(above), weights, properties)
    things = next((terms for word in _WORD.findall(asked) if (terms := wanted & tokenize(word).counts.keys())), set())
    # A log of deaths has some of the type "Death": they are not what is said of deaths.
    named = _named(question, turning, Saying.of(question, bounds), rows, headed | (things & told))
    said = [one.terms | terms_in(one.label, weights, properties) for one in named]
    untold = wanted - told.union(*said) - _ANYTHING
    if not turning <= frozenset[str]().union(*(one.terms for one in named)):
        denied = named[0].rows if len(named) == 1 and not untold and not limits else ()
        return dict.fromkeys(denied, Compared(met=False, labels=())) if NOT.search(beside) else compared
    # What the things are called need not be there where limits tell which are meant: cars of a table of models.
    if not (named or compared) or (untold if named else not untold <= things) or _is_value(things, rows):
        return compared
    if _is_alternative(beside[opening.end() :], named, limits):
        return {}
    written = (*(f"{one.label}: {' or '.join(one.values)}" for one in named), *([limits.written] if limits else []))
    named_in = ({*headed}, *(terms_in(title, weights, properties) for title in above))
    far = next((n for n, words in enumerate(named_in) if things & words), 0)
    met = dict[UUID, Compared]()
    for row in rows:
        limit = compared.get(row)
        if all(row in one.rows or row in one.partly for one in named) and any(row in one.partly for one in named):
            return compared
        if (limit and not limit.met) or not all(row in one.rows for one in named):
            met[row] = Compared(met=False, labels=(), whole=not untold, far=far)
        elif limit or not limits:
            met[row] = Compared(met=True, labels=limit.labels if limit else (), whole=not untold, far=far)
    meant = {row: rows[row] for row, one in met.items() if one.met}
    is_count = opening.group().lower().lstrip().startswith("how many")
    if is_count and _repeats(things, meant):
        return compared
    if limits and _is_unread(compared, rows):
        return {row: one for row, one in met.items() if row in compared}
    if not (meant or limits):
        return compared
    # One row that is there is no number to tell.
    meeting = Meeting(len(meant), len(met), written) if is_count or len(meant) != 1 else None
    return {row: one._replace(meeting=meeting) for row, one in met.items()}


def nearest(found: Mapping[UUID, Compared]) -> dict[UUID, Compared]:
    """Of several tables those are meant that have what is asked for in their headers, or in the nearest title above:
    accessories in a list of compressors are none."""
    least = min((one.far for one in found.values() if one.met and one.whole), default=0)
    return {
        row: one if one.far <= least else Compared(met=False, labels=(), table=one.table) for row, one in found.items()
    }


def _flags(rows: Mapping[UUID, Sequence[AnsweringCell]]) -> set[str]:
    """The headers of columns that say of each row yes or no."""
    others = {cell.label for cells in rows.values() for cell in cells if cell.value.strip().lower() not in _TRUTHS}
    return {cell.label for cells in rows.values() for cell in cells} - others


def _is_alternative(said: str, named: Sequence[_Named], limits: AskedLimits | None) -> bool:
    """Whether "or" joins what two columns say: who meets either is not who meets both."""
    if len(named) + bool(limits) < 2:
        return False
    of_limits = len(limits.parts) - 1 if limits and limits.either else 0
    sides = [[terms for word in _WORD.findall(side) if (terms := tokenize(word).counts.keys())]
             for side in _OR.split(said)]  # fmt: skip
    within = sum(
        any(before and behind and before[-1] & one.terms and behind[0] & one.terms for one in named)
        for before, behind in pairwise(sides)
    )
    return len(sides) - 1 > within + of_limits


def _repeats(things: Set[str], rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether several rows are of the same thing: two calls of a ship are one ship."""
    called = {label for row in rows.values() for label in {cell.label for cell in row} if _calls(label, things)}
    named = [(cell.label, cell.value) for row in rows.values() for cell in row if cell.label in called]
    return len(set(named)) < len(named)


def _calls(label: str, things: Set[str]) -> bool:
    """Whether below a header stands which thing it is: a ship's name, and not the date of a death."""
    terms = tokenize(label).counts.keys() - _NAMES
    return bool(terms) and terms <= things


def _is_unread(compared: Mapping[UUID, Compared], rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether a row has a number that could not be compared: 1,200 where it may be 1.2."""
    labels = {label for one in compared.values() for label in one.labels}
    return any(
        cell.label in labels and any(letter.isdigit() for letter in cell.value)
        for row, cells in rows.items()
        if row not in compared
        for cell in cells
    )


def _is_sum(cells: Sequence[AnsweringCell]) -> bool:
    name = next((cell.value.strip() for cell in cells if cell.value.strip()), "")
    return is_total(name) or SUM.fullmatch(name) is not None


Value = tuple[frozenset[str], frozenset[str]]


def _named(
    question: str,
    turning: Set[str],
    saying: Saying,
    rows: Mapping[UUID, Sequence[AnsweringCell]],
    called: Set[str],
) -> list[_Named]:
    """The columns that have what the question says in whole cells, more than what the things are `called`; of values of
    one column either is meant. None where it is not clear which of two columns is."""
    properties, known = properties_of(question), dict[tuple[str, str], Value | None]()
    found: defaultdict[Value, list[tuple[str, str, UUID]]] = defaultdict(list)
    for row, cells in rows.items():
        for cell in cells:
            key = cell.label, cell.value
            if key not in known:
                said = _may_be_said(cell, question) and saying.says_cell(cell, properties)
                terms, letters = parts_of(cell.value) if said else (frozenset[str](), frozenset[str]())
                turned = turning_in(cell.value) if said else frozenset[str]()
                telling = said and turned <= turning and (letters or not terms <= called)
                known[key] = (terms | turned, letters) if telling else None
            value = known[key]
            if value:
                found[value].append((*key, row))
    columns: defaultdict[str, list[Value]] = defaultdict(list)
    for one, places in found.items():
        # North B is not North.
        if not any(one != other and _within(one, other) for other in found):
            labels = [label for label, _, _ in places]
            label = _meant(
                saying, [*labels, *(_with_number(one, rows) if one[0] and all(map(str.isdecimal, one[0])) else ())]
            )
            if label is None:
                return []
            columns[label].append(one)
    return [
        _Named(
            label,
            tuple(found[one][0][1] for one in values),
            frozenset(term for terms, letters in values for term in (*terms, *map(str.lower, letters))),
            frozenset(row for one in values for where, _, row in found[one] if where == label),
            _having_among_others(label, [found[one][0][1] for one in values], rows),
        )
        for label, values in columns.items()
    ]


def _with_number(value: Value, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> Iterator[str]:
    """The headers of columns with cells in which a number stands, as a year does in a date."""
    for cells in rows.values():
        for cell in cells:
            short = len(cell.value) <= CELL_MAX
            if (
                short
                and all(number in cell.value for number in value[0])
                and value[0] <= tokenize(cell.value).counts.keys()
            ):
                yield cell.label


def _having_among_others(
    label: str, values: Sequence[str], rows: Mapping[UUID, Sequence[AnsweringCell]]
) -> frozenset[UUID]:
    """The rows that have one of the values in a list of several: timber of "timber, grain"."""
    wanted = {parts_of(value) for value in values}
    return frozenset(
        row
        for row, cells in rows.items()
        for cell in cells
        if cell.label == label and any(value.lower() in cell.value.lower() for value in values)
        and len(items := _LISTED.split(cell.value)) > 1
        and parts_of(cell.value) not in wanted and any(parts_of(item) in wanted for item in items)
    )  # fmt: skip


def _may_be_said(cell: AnsweringCell, question: str) -> bool:
    """Whether it is worth reading: what is longer than the question, or a number that is not there, is not said."""
    value = cell.value.strip()
    is_word = any(letter.isalpha() for letter in value)
    return bool(cell.label) and len(value) <= len(question) and (is_word or value in question)


def _meant(saying: Saying, labels: Sequence[str]) -> str | None:
    """Of the headers of columns that have a value the one that the question names best: of eyes, not of hair."""
    named = {label: len(saying.terms & tokenize(label).counts.keys()) for label in labels}
    best = [label for label, count in named.items() if count == max(named.values())]
    return best[0] if len(best) == 1 else None


def _within(one: Value, other: Value) -> bool:
    return one[0] <= other[0] and one[1] <= other[1]


def _is_value(things: Set[str], rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether what is asked for is a column of numbers: how many seats the hall has is told by its cell."""
    labels = {cell.label for cells in rows.values() for cell in cells}
    called = {label for label in labels if not tokenize(label).counts.keys().isdisjoint(things)}
    cells = [text for row in rows.values() for cell in row if cell.label in called and (text := cell.value.strip())]
    return bool(cells) and sum(bool(_NUMERIC.fullmatch(cell)) for cell in cells) >= NUMBERS_MIN * len(cells)
