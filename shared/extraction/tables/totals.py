"""Rows of a table's body that say something of the rows above them: totals, and what is added to them at the foot.

A total is called so, alone (`Total`, `Zwischensumme`) or with numbers that are the sums of those above. At the foot of
a bill its label, and those of tax and freight, stand in a column of numbers, behind nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final

from shared.extraction.tables.groups import TOTAL
from shared.values.totals import is_total

# Sums of rounded numbers.
OFF: Final = 0.01
Rows = Sequence[Sequence[str]]
Number = Callable[[str], float | None]


def summary_rows(rows: Rows, number: Number) -> dict[int, int]:
    """The summary rows of a body (texts by column), each with the column of its label. `number` reads a cell."""
    labels = [next((column for column, text in enumerate(row) if text), None) for row in rows]
    if not any(_may_sum_up(row, label) for row, label in zip(rows, labels, strict=True)):
        return {}
    numbers = [[number(text) if text else None for text in row] for row in rows]
    last = cache(partial(_last_of_body, rows, numbers))
    found: dict[int, int] = {}
    start = 0
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        if label is None or numbers[at][label] is not None or not any(one is not None for one in numbers[at]):
            continue
        called = is_total(row[label]) or (TOTAL.match(row[label]) and _is_sum(numbers[at], numbers[start:at]))
        if called or (label > 0 and sum(map(bool, row)) == 2 and at > last(label)):
            found[at], start = label, at + 1
    return found


def _may_sum_up(row: Sequence[str], label: int | None) -> bool:
    return label is not None and (label > 0 or is_total(row[label]) or TOTAL.match(row[label]) is not None)


def _is_sum(row: Sequence[float | None], above: Sequence[Sequence[float | None]]) -> bool:
    columns = [column for column, one in enumerate(row) if one is not None]
    added = [[one[column] or 0.0 for one in above if column < len(one)] for column in columns]
    return len(above) > 1 and all(
        abs(sum(numbers) - (row[column] or 0.0)) <= OFF * len(numbers)
        for column, numbers in zip(columns, added, strict=True)
    )


def _last_of_body(rows: Rows, numbers: Sequence[Sequence[float | None]], label: int) -> int:
    """The last row that begins further left than `label`: behind all rows where those have other things there than
    numbers. What stands below it with nothing before and behind it but one number is the foot."""
    above = [at for at, row in enumerate(rows) if any(row[:label])]
    beside = [numbers[at][label] for at in above if rows[at][label]]
    return above[-1] if beside and all(one is not None for one in beside) else len(rows)
