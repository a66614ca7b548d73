"""Rows that a question selects by what their cells say: "Which ships used North B?", "How many ships carried grain?".

A search finds some of them, and no likeness counts. A row is meant where a cell says, word for word, what the question
does; where every word of the question is a header, stands above the table or in such a cell, but for a verb that says
no more than which, the rows that are meant are all that was asked for.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.asked import asked_owner
from shared.answering.limits import AskedLimits, Compared, Meeting
from shared.answering.rows import AnsweringCell
from shared.answering.said_columns import SaidColumn, said_columns
from shared.answering.saying import WORD, Saying, turning_in
from shared.answering.superlatives import NOT, SUM
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import properties_of, terms_in
from shared.values.numbers import NUMBER
from shared.values.totals import is_total

# "Which", and not "what is": it asks for things of which there may be several.
_SELECTS: Final = re.compile(
    r"\W*(?:(?:in|on|at|for|of|from|with|by) )?(?:(?:what|which) (?!(?:is|are|was|were|do|does|did|has|have|had)\b)"
    r"|who\b|whose\b|how many\b|how often (?:was|were|did|has|have|had)\b|name (?:all|the)\b|list\b|show\b)"
    r"(?: (?:times|all|the|me|us|of)\b)*",
    re.I,
)
_TIMES: Final = re.compile(r"\b(?:often|times)\b", re.I)
# Behind "how many", where nothing is named that is counted.
_WAS_DONE: Final = re.compile(r"\W*(?:is|are|was|were|has been|have been|had been) (\w+)", re.I)
# Verbs that say no more of a thing than the cell does: not how many of them sank.
_PLAIN: Final = frozenset(tokenize(
    "use used using contain contained include included belong belonged offer offered provide provided carry "
    "carried hold held make made produce produced sell sold live lived work worked stand stood lie come came "
    "appear appeared list listed name named call called classified marked take took serve served need needed "
    "feature run fall there exist measure measured record recorded observed registered reported given"
).counts)  # fmt: skip
# What a row may always be called.
_ANYTHING: Final = frozenset(tokenize(
    "thing item entry row record case example line object people person individual name character member participant"
).counts)  # fmt: skip
# What a header says of a thing by which it is told from others.
_NAMES: Final = frozenset(tokenize("name id no number nr").counts)
# Words that ask for a measure as its name does.
_MEASURING: Final = frozenset(tokenize("weigh cost last").counts)
# The names of columns that say how many of a thing there are in a row.
_QUANTITY: Final = frozenset(tokenize("quantity qty pieces units").counts)
# What a column has that says of each row only whether.
_TRUTH_WORDS: Final = "yes no y n true false x - – ✓ ✔ ✗ ✘ 0 1 ja nein oui non none n/a"
_TRUTHS: Final = frozenset({"", *_TRUTH_WORDS.split()})
_OR: Final = re.compile(r"\bor\b", re.I)
# Of a column so many cells are numbers, where it is one of numbers.
NUMBERS_MIN: Final = 0.8
_NUMERIC: Final = re.compile(rf"[^\w\n]{{0,3}}{NUMBER}\W{{0,3}}[^\W\d]{{0,4}}\W{{0,2}}")


def selects(question: str) -> bool:
    """Whether it asks which things there are."""
    return _SELECTS.match(question) is not None


def select_rows(
    question: str, limits: AskedLimits | None, rows: Mapping[UUID, Sequence[AnsweringCell]], above: Sequence[str]
) -> dict[UUID, Compared]:
    """The rows of a table that were compared with what the question says of things; `above`: the titles above the
    table, the nearest first. Those that are told for certain to be meant, or not to be; those that the limits alone
    tell where the question says more than the table does. What is the sum of other rows is never meant."""
    sums = dict.fromkeys((row for row, cells in rows.items() if _is_sum(cells)), Compared(met=False, labels=()))
    found = _select(question, limits, {row: cells for row, cells in rows.items() if row not in sums}, above)
    return {**found, **sums} if found else {}


class _Reading(NamedTuple):
    """A question as a table tells it: the terms of the `things` that are asked for; the columns that have what it says;
    `untold`: its terms that stand nowhere; `turned`: whether a word makes another thing of what is said; `far`: how
    many titles above the table the things are named, 0 in its headers."""

    things: Set[str]
    named: Sequence[SaidColumn]
    untold: Set[str]
    turned: bool
    far: int


def _read(
    question: str, begins: int, limits: AskedLimits | None, rows: Mapping[UUID, Sequence[AnsweringCell]],
    above: Sequence[str],
) -> _Reading:  # fmt: skip
    """`begins`: where the things are named that are asked for."""
    asked, beside = question[begins:], _beside(question, limits)[begins:]
    bounds = limits.terms if limits else frozenset[str]()
    wanted = tokenize(asked).counts.keys() - _PLAIN - bounds - (_MEASURING if limits else frozenset())
    properties, weights = properties_of(question), dict.fromkeys(wanted, 1.0)
    labels = {cell.label for cells in rows.values() for cell in cells}
    # Of what is insured or not it is not said which by the header alone.
    headed = terms_in("\n".join(labels - _flags(rows)), weights, properties)
    titled = [terms_in(title, weights, properties) for title in above]
    told = headed.union(*titled)
    things = next((terms for word in WORD.findall(asked) if (terms := wanted & tokenize(word).counts.keys())), set())
    turning = turning_in(beside)
    # A log of deaths has some of the type "Death": they are not what is said of deaths.
    named = said_columns(question, turning, Saying.of(question, bounds), rows, headed | (things & told))
    untold = wanted - told.union(*(one.terms | terms_in(one.label, weights, properties) for one in named)) - _ANYTHING
    turned = not turning <= frozenset[str]().union(*(one.terms for one in named))
    far = next((n for n, words in enumerate((headed, *titled)) if things & words), 0)
    return _Reading(things, named, untold, turned, far)


def _beside(question: str, limits: AskedLimits | None) -> str:
    """The question with blanks in place of its limits."""
    return limits.beside if limits else question


def _select(
    question: str, limits: AskedLimits | None, rows: Mapping[UUID, Sequence[AnsweringCell]], above: Sequence[str]
) -> dict[UUID, Compared]:
    compared = limits.compare(rows) if limits else {}
    opening = _SELECTS.match(question)
    if opening is None:
        return compared
    read, beside = _read(question, opening.end(), limits, rows, above), _beside(question, limits)
    named, untold = read.named, read.untold
    if read.turned:
        denied = named[0].rows if len(named) == 1 and not untold and not limits else ()
        return dict.fromkeys(denied, Compared(met=False, labels=())) if NOT.search(beside) else compared
    # What the things are called need not be there where limits tell which are meant: cars of a table of models.
    if not (named or compared) or (untold if named else not untold <= read.things) or _is_value(read.things, rows):
        return compared
    opened = opening.group().lower().lstrip()
    is_count = opened.startswith("how ")
    if (opened == "how many" and _is_amount(read, rows)) or (is_count and _is_whose(question, read)):
        return compared
    if _is_alternative(beside[opening.end() :], named, limits):
        return {}
    if any(all(row in one.rows | one.partly for one in named) for row in {row for one in named for row in one.partly}):
        return compared
    met = _compare(read, limits, compared, rows)
    meant = {row: rows[row] for row, one in met.items() if one.met}
    if (is_count and _repeats(read.things, meant)) or not (meant or limits):
        return compared
    if limits and _is_unread(compared, rows):
        return {row: one for row, one in met.items() if row in compared}
    # One row that is there is no number to tell, nor where it may say itself how many: were sold on a day.
    done = _WAS_DONE.match(question, opening.end())
    if is_count and not _TIMES.search(opening.group()) and _is_told_how_many(read, rows):
        return met
    if len(meant) == 1 and (not is_count or (done and not tokenize(done[1]).counts.keys().isdisjoint(_PLAIN))):
        return met
    written = (*(f"{one.label}: {' or '.join(one.values)}" for one in named), *([limits.written] if limits else []))
    meeting = Meeting(len(meant), len(met), written)
    return {row: one._replace(meeting=meeting) for row, one in met.items()}


def _compare(
    read: _Reading, limits: AskedLimits | None, compared: Mapping[UUID, Compared], rows: Iterable[UUID]
) -> dict[UUID, Compared]:
    """The rows that have all that is said, and meet the limits or are known not to."""
    met = dict[UUID, Compared]()
    for row in rows:
        limit, said = compared.get(row), all(row in one.rows for one in read.named)
        if said and limit is None and limits:
            continue
        is_met = said and (limit is None or limit.met)
        labels = limit.labels if is_met and limit else ()
        met[row] = Compared(is_met, labels, whole=not read.untold, far=read.far)
    return met


def of_nearest_table(found: Mapping[UUID, Compared]) -> dict[UUID, Compared]:
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


def _is_alternative(said: str, named: Sequence[SaidColumn], limits: AskedLimits | None) -> bool:
    """Whether "or" joins what two columns say: who meets either is not who meets both."""
    if len(named) + bool(limits) < 2:
        return False
    of_limits = len(limits.parts) - 1 if limits and limits.either else 0
    sides = [[terms for word in WORD.findall(side) if (terms := tokenize(word).counts.keys())]
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


def _is_amount(read: _Reading, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether what is asked for is what a row is named as: how many shares were repurchased is told by its cells."""
    names = {cells[0].label for cells in rows.values() if cells}
    return any(one.label in names and one.terms > read.things for one in read.named)


def _is_whose(question: str, read: _Reading) -> bool:
    """Whether what a cell says is whose things are counted, and it is called one itself: how many employees Halden has
    is not told by the employee Halden."""
    owner = tokenize(asked_owner(question)).counts.keys()
    return any(_calls(one.label, read.things) and one.terms <= owner for one in read.named)


def _is_told_how_many(read: _Reading, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether each row of what is counted tells itself how many there are: how much tea of the rows of tea."""
    return any(read.things <= one.terms for one in read.named) and _is_value(_QUANTITY, rows)


def _is_value(things: Set[str], rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool:
    """Whether what is asked for is a column of numbers: how many seats the hall has is told by its cell."""
    labels = {cell.label for cells in rows.values() for cell in cells}
    called = {label for label in labels if not tokenize(label).counts.keys().isdisjoint(things)}
    cells = [text for row in rows.values() for cell in row if cell.label in called and (text := cell.value.strip())]
    return bool(cells) and sum(bool(_NUMERIC.fullmatch(cell)) for cell in cells) >= NUMBERS_MIN * len(cells)
