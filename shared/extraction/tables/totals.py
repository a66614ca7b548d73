"""Rows of a table's body that say something of the rows above them: totals, and what is added to them at the foot.

A total is called so, alone (`Total`, `Zwischensumme`) or with numbers that are the sums of those above. At the foot of
a bill its label, and those of tax and freight, stand in a column of numbers, behind nothing.
"""

from collections.abc import Callable, Sequence
from typing import Final

from shared.extraction.tables.groups import TOTAL
from shared.values.totals import is_total

# Sums of rounded numbers.
OFF: Final = 0.01
Rows = Sequence[Sequence[str]]
Number = Callable[[str], float | None]


def summary_rows(rows: Rows, number: Number) -> dict[int, int]:
    """The summary rows of a body (texts by column), each with the column of its label. `number` reads a cell."""
    numbers = [[number(text) if text else None for text in row] for row in rows]
    found: dict[int, int] = {}
    start = 0
    for at, row in enumerate(rows):
        label = next((column for column, text in enumerate(row) if text), None)
        if label is None or numbers[at][label] is not None or not any(one is not None for one in numbers[at]):
            continue
        called = is_total(row[label]) or (TOTAL.match(row[label]) and _is_sum(numbers[at], numbers[start:at]))
        if called or (label > 0 and _is_foot(rows, numbers, at, label)):
            found[at], start = label, at + 1
    return found


def _is_sum(row: Sequence[float | None], above: Sequence[Sequence[float | None]]) -> bool:
    columns = [column for column, one in enumerate(row) if one is not None]
    added = [[one[column] or 0.0 for one in above if column < len(one)] for column in columns]
    return len(above) > 1 and all(
        abs(sum(numbers) - (row[column] or 0.0)) <= OFF * len(numbers)
        for column, numbers in zip(columns, added, strict=True)
    )


def _is_foot(rows: Rows, numbers: Sequence[Sequence[float | None]], at: int, label: int) -> bool:
    """Whether the label stands where the rows before the foot have numbers, with nothing before and behind it but one
    number, and where those rows begin further to the left."""
    above = [one for one in range(len(rows)) if any(rows[one][:label])]
    told = [column for column, text in enumerate(rows[at]) if text]
    beside = [numbers[one][label] for one in above if rows[one][label]]
    return len(told) == 2 and bool(beside) and above[-1] < at and all(one is not None for one in beside)
