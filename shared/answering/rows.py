"""The cells of a table's row with the headers above them, and which of them answer a question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from shared.answering.held import held
from shared.answering.sentences import CELL_SEPARATOR
from shared.retrieval.terms import NO_PROPERTIES, Properties, terms_in
from shared.values.headers import hint_below
from shared.values.measures import read_measure
from shared.values.names import NO_HINT

# A number as statements print it, without its unit: `6,840`, `(1,250)`, `-30`.
_BARE: Final = re.compile(r"[-−(]?\d[\d.,]*\)?")
# What a column states in a row or two, of several the first: in accounts the others are bare.
_STATED_ONCE: Final = ("money", "share")
# What stands between a label and its value, as printed and as read.
_BETWEEN: Final = re.compile(r"[\s:：|]+")
NO_UNITS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class AnsweringCell:
    """A cell as printed under its column's header ("" for none), whether it is what was asked for, and whether it holds
    a value of an asked kind. `unstated`: it is a number under a header that has a word of the question, and neither
    says its unit, which a sheet often leaves to its description. `stated`: the kind of a number whose unit was read
    elsewhere."""

    label: str
    value: str
    answers: bool
    holds: bool = False
    unstated: bool = False
    stated: str = ""


def read_cells(
    content: str,
    labelled: str,
    kinds: frozenset[str],
    weights: Mapping[str, float],
    properties: Properties = NO_PROPERTIES,
    stated: Mapping[str, str] = NO_UNITS,
) -> tuple[AnsweringCell, ...]:
    """The row's cells. `labelled` ends in a line with each cell after its header, as it is indexed.

    Those answer that hold a value of an asked kind under a header which has a term of the question; where there are
    none, those that hold such a value; and where no kind is asked for or none is held, those under such a header.
    `stated` is what `stated_kinds` tells of the row's bare numbers.
    """
    values = content.split(CELL_SEPARATOR)
    parts = labelled.rpartition("\n")[2].split(CELL_SEPARATOR)
    if len(parts) != len(values):
        parts = values
    labels = [p.removesuffix(v).rstrip(": ") if p.endswith(v) else "" for p, v in zip(parts, values, strict=True)]
    holds = [
        stated[value] in kinds if value in stated else bool(held(kinds, value, label))
        for value, label in zip(values, labels, strict=True)
    ]
    named = [bool(terms_in(label, weights, properties)) for label in labels]
    both = [a and b for a, b in zip(holds, named, strict=True)]
    answers = next((found for found in (both, holds, named) if any(found)), named)
    bare = [
        under and value not in stated and bool(_BARE.fullmatch(value.strip())) and hint_below(label) == NO_HINT
        for under, value, label in zip(named, values, labels, strict=True)
    ]
    told = [stated.get(value, "") for value in values]
    return tuple(AnsweringCell(*cell) for cell in zip(labels, values, answers, holds, bare, told, strict=True))


def form_slices(content: str, labelled: str) -> list[tuple[str, str]]:
    """Of a form's row each label with its value, (as printed, as `Label: value`); [] for any other row. Labels that
    have no value tell nothing. `labelled` is as for `read_cells`."""
    cells, parts = content.split(CELL_SEPARATOR), labelled.rpartition("\n")[2].split(CELL_SEPARATOR)
    if cells == parts:
        return []
    # Labels stand in front of their values in the cell, or in the one before.
    printed = [*cells, *(f"{one}{CELL_SEPARATOR}{other}" for one, other in pairwise(cells))]
    known = {_squeezed(text): text for text in printed}
    found = [(known[key], part) for part in parts if (key := _squeezed(part)) in known]
    return found if len(found) == len(parts) else []


def _squeezed(text: str) -> str:
    return _BETWEEN.sub("", text)


def read_pair(read: str, kinds: frozenset[str]) -> tuple[AnsweringCell, ...]:
    """The value of `Label: value`. It answers where it is of an asked kind, or none is asked for."""
    label, _, value = read.partition(": ")
    holds = bool(held(kinds, value, label))
    return (AnsweringCell(label, value, answers=holds or not kinds, holds=holds),)


def stated_kinds(content: str, attrs: Mapping[str, Any], table: str) -> dict[str, str]:
    """The kinds of a row's bare numbers, which have their unit elsewhere: as it was read, from the table's caption
    or its headers, into the row's attributes; or the currency or percent sign that `table`, the text of the whole,
    prints in another row of the column: with the first row and the totals alone."""
    values = content.split(CELL_SEPARATOR)
    rows = [cells for line in table.split("\n") if len(cells := line.split(CELL_SEPARATOR)) == len(values)]
    found: dict[str, str] = {}
    for value, column in zip(values, zip(*rows, strict=True), strict=True) if rows else ():
        kinds = (kind for kind in _STATED_ONCE if any(held(frozenset({kind}), cell) for cell in column))
        if _BARE.fullmatch(value.strip()) and (kind := next(kinds, None)):
            found[value] = kind
    return found | _read_kinds(attrs)


def _read_kinds(attrs: Mapping[str, Any]) -> dict[str, str]:
    read = [one for value in attrs.values() for one in (value, *value.get("also", ())) if one.get("unit")]
    measures = [(one["raw"], read_measure(one["unit"])) for one in read]
    return {raw: measure.dimension for raw, measure in measures if measure}
