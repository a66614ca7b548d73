"""The cells of a table's row with the headers above them, and which of them answer a question."""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.answering.asked import held
from shared.answering.sentences import CELL_SEPARATOR
from shared.retrieval.terms import NO_PROPERTIES, Properties, terms_in


@dataclass(frozen=True)
class AnsweringCell:
    """A cell as printed under its column's header ("" for none), and whether it is what was asked for."""

    label: str
    value: str
    answers: bool


def read_cells(
    content: str,
    labelled: str,
    kinds: frozenset[str],
    weights: Mapping[str, float],
    properties: Properties = NO_PROPERTIES,
) -> tuple[AnsweringCell, ...]:
    """The row's cells. `labelled` ends in a line with each cell after its header, as it is indexed.

    Those answer that hold a value of an asked kind under a header which has a term of the question; where there are
    none, those that hold such a value; and where no kind is asked for or none is held, those under such a header.
    """
    values = content.split(CELL_SEPARATOR)
    parts = labelled.rpartition("\n")[2].split(CELL_SEPARATOR)
    if len(parts) != len(values):
        parts = values
    labels = [p.removesuffix(v).rstrip(": ") if p.endswith(v) else "" for p, v in zip(parts, values, strict=True)]
    holds = [bool(held(kinds, value, label)) for value, label in zip(values, labels, strict=True)]
    named = [bool(terms_in(label, weights, properties)) for label in labels]
    both = [a and b for a, b in zip(holds, named, strict=True)]
    answers = next((found for found in (both, holds, named) if any(found)), named)
    return tuple(AnsweringCell(*cell) for cell in zip(labels, values, answers, strict=True))
