"""What the rows of a financial statement are called: `Mac` alone is no name of a value, `Net sales` of it is.

A row belongs to the innermost group that it stands in; in none, to what the total below it is a total of, where its
numbers and those beside it add up to that total.
"""

import math
from collections.abc import Sequence
from typing import Final

from shared.domain.draft import TableDraft
from shared.extraction.attributes.values import read_values
from shared.extraction.tables.groups import TOTAL, Groups, indent_of, totalled
from shared.extraction.tables.rows import columns_of, is_label
from shared.values.names import MAX_NAME, name_of, read_label
from shared.values.quantities import NumberReading

# Printed parts are rounded: a total may differ from their sum by this much for each of them.
ROUNDING: Final = 0.51


def row_names(table: TableDraft, heading: str, width: int, reading: NumberReading) -> dict[int, list[str]]:
    """For each row of the body the labels of what it belongs to, from the outermost. `heading` is over the whole table:
    what rows are that add up to a mere `Total`."""
    groups, found = Groups(), dict[int, list[str]]()
    open_rows: list[int] = []  # rows in no group since the last label or total
    for index in range(table.header_rows, len(table.rows)):
        row = table.rows[index]
        text = row[0].text if row else ""
        label = is_label([cell.text for cell in row], width)
        found[index] = groups.enter(text, indent_of(text, row[0].boxes) if row else None, label)
        total = not label and TOTAL.match(text) is not None
        whole = totalled(text) or heading
        if total and whole and open_rows and _adds_up(table, open_rows, index, reading):
            found |= {at: [whole] for at in (open_rows if totalled(text) else [*open_rows, index])}
        if label or total or found[index]:
            open_rows = []
        elif text:
            open_rows.append(index)
    return found


def full_name(groups: Sequence[str], name: str, leaf: str, plain_dollar: bool = True) -> str:
    """The row's name with its innermost group in front and the column's own name (`Change`) behind it: words that are
    in the name already are not repeated. A group that makes it too long loses words at its end."""
    parts = name.split("_")
    tail = _new_words(read_label(leaf, plain_dollar)[0] if leaf else None, parts)
    label = groups[-1] if groups else ""
    head = _new_words(name_of(label.partition(":")[0]), parts)
    while head and len("_".join([*head, *parts, *tail])) > MAX_NAME:
        head = head[:-1]
    return "_".join([*head, *parts, *tail])[:MAX_NAME].rstrip("_")


def _new_words(name: str | None, known: Sequence[str]) -> list[str]:
    words = name.split("_") if name else []
    return [] if set(words) <= set(known) else words


def _adds_up(table: TableDraft, parts: Sequence[int], total: int, reading: NumberReading) -> bool:
    """Whether at least two rows of numbers, none of them negative, add up to the total in each of its columns."""
    wanted = _numbers(table, total, reading)
    rows = [_numbers(table, index, reading) for index in parts]
    if len(rows) < 2 or not wanted:
        return False
    sums = {at: [row[at] for row in rows if at in row] for at in wanted}
    return all(
        len(own) >= 2 and min(own) >= 0 and math.isclose(sum(own), wanted[at], abs_tol=ROUNDING * len(own))
        for at, own in sums.items()
    )


def _numbers(table: TableDraft, index: int, reading: NumberReading) -> dict[int, float]:
    """The row's numbers by column, without shares and changes in per cent."""
    row = table.rows[index]
    found: dict[int, float] = {}
    for place, cell in list(zip(columns_of(table.rows[: index + 1])[index], row, strict=True))[1:]:
        values = read_values(cell.text, reading) if cell.text else []
        if len(values) == 1 and (quantity := values[0].quantity) and quantity.unit != "%":
            found[place.start] = quantity.number
    return found
