"""The columns of a table of which a question says whole cells: "North B" of the berths, "grain" of the cargo."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple
from uuid import UUID

from shared.answering.limits import CELL_MAX
from shared.answering.rows import AnsweringCell
from shared.answering.saying import Saying, parts_of, turning_in, without_time
from shared.lexical.tokenizer import tokenize
from shared.retrieval.terms import properties_of
from shared.values.dates import month_first

_LISTED: Final = re.compile(r"[,;/|&+()\n]|\b(?:and|or)\b")

Value = tuple[frozenset[str], frozenset[str]]


class SaidColumn(NamedTuple):
    """A column of which the question says what a cell has: as printed, its terms and letters, and the rows with it;
    `partly`: those that have more there, as of a list."""

    label: str
    values: tuple[str, ...]
    terms: frozenset[str]
    rows: frozenset[UUID]
    partly: frozenset[UUID]


def said_columns(
    question: str,
    turning: Set[str],
    saying: Saying,
    rows: Mapping[UUID, Sequence[AnsweringCell]],
    called: Set[str],
) -> list[SaidColumn]:
    """The columns that have what the question says in whole cells, more than what the things are `called`; of values of
    one column either is meant. None where it is not clear which of two columns is."""
    found = _said_values(question, turning, saying, rows, called)
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
        SaidColumn(
            label,
            tuple(_printed(found[one][0][1], saying) for one in values),
            frozenset(term for terms, letters in values for term in (*terms, *map(str.lower, letters))),
            frozenset(row for one in values for where, _, row in found[one] if where == label),
            _having_among_others(label, [found[one][0][1] for one in values], rows)
            | _perhaps_of_day(label, [found[one][0][1] for one in values], saying, rows),
        )
        for label, values in columns.items()
    ]


def _said_values(
    question: str,
    turning: Set[str],
    saying: Saying,
    rows: Mapping[UUID, Sequence[AnsweringCell]],
    called: Set[str],
) -> Mapping[Value, Sequence[tuple[str, str, UUID]]]:
    """By what is said the cells that say it, as (header, cell, row)."""
    properties, known = properties_of(question), dict[tuple[str, str], Value | None]()
    order = _month_first(saying, rows)
    found: defaultdict[Value, list[tuple[str, str, UUID]]] = defaultdict(list)
    for row, cells in rows.items():
        for cell in cells:
            key = cell.label, cell.value
            if key not in known:
                day = saying.day_of(cell.value, order)
                said = bool(day) or (_may_be_said(cell, question) and saying.says_cell(cell, properties))
                terms, letters = parts_of(cell.value) if said and not day else (day, frozenset[str]())
                turned = turning_in(cell.value) if said else frozenset[str]()
                telling = said and turned <= turning and (letters or not terms <= called)
                known[key] = (terms | turned, letters) if telling else None
            value = known[key]
            if value:
                found[value].append((*key, row))
    return found


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


def _printed(value: str, saying: Saying) -> str:
    """As the first cell has it; of a day without the time, which is not said."""
    return without_time(value) if saying.day_of(value) else value


def _perhaps_of_day(
    label: str, values: Sequence[str], saying: Saying, rows: Mapping[UUID, Sequence[AnsweringCell]]
) -> frozenset[UUID]:
    """Where one of the values is a day of the question, the rows that may be of it and do not say so for certain."""
    order = _month_first(saying, rows)
    if not any(saying.day_of(value, order) for value in values):
        return frozenset()
    return frozenset(
        row
        for row, cells in rows.items()
        for cell in cells
        if cell.label == label and len(cell.value) <= CELL_MAX
        and not saying.day_of(cell.value, order) and saying.may_be_of_day(cell.value, order)
    )  # fmt: skip


def _month_first(saying: Saying, rows: Mapping[UUID, Sequence[AnsweringCell]]) -> bool | None:
    """Whether the table's dates of the form 12/31/2026 have the month first, where the question says a day."""
    short = (cell.value for cells in rows.values() for cell in cells if len(cell.value) <= CELL_MAX)
    return month_first("\n".join(short)) if saying.days else None


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
