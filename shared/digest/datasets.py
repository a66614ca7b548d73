"""What a long table holds, without its rows: how many, which columns, and from what to what their values go."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from shared.store.connect import Connection
from shared.store.datasets import texts_of_tables
from shared.values.grids import filled
from shared.values.numbers import NUMBER, parse_number, style_of

# A table with as many rows is data: a row by itself tells a reader nothing.
DATASET_ROWS: Final = 20
# How much a sentence tells, the most first.
WHOLE, RANGE, COUNTS, OTHER = range(4)
# Rows that ranges are read from; columns that are told one by one.
ROWS_READ, COLUMNS_TOLD = 20_000, 30
# The least share of a column's values that are numbers where it is one of numbers.
NUMBERS_MIN: Final = 0.9
# Dots that lead to a page or a value.
LEADERS: Final = re.compile(r"[.…](?:\s*[.…]){3,}")
_SIGNED: Final = re.compile(rf"([-−–]?)({NUMBER})")
# A column with so many different values, each of at most so many characters, is told by them.
FEW, SHORT = 12, 60


def describe_tables(connection: Connection, name: str, tables: Sequence[UUID], rows: int) -> list[tuple[int, str]]:
    """Sentences on a dataset called `name`, whose windows are `tables`, with `rows` rows in all: the whole first, then
    its columns in their order; each with how much it tells, from 0, the most. Tables with other columns are told
    apart."""
    found = dict[tuple[str, ...], list[list[str]]]()
    left = ROWS_READ
    for table in tables:
        for stored in texts_of_tables(connection, [table]) if left > 0 else ():
            grid = filled(stored["rows"])
            below = grid[stored["header_rows"] :][:left]
            found.setdefault(_labels(grid[: stored["header_rows"]]), []).extend(below)
            left -= len(below)
    several = len(found) > 1
    return [
        line
        for labels, read in found.items()
        for line in describe_rows(name, labels, read, len(read) if several else max(rows, len(read)))
    ]


def describe_rows(name: str, labels: Sequence[str], read: Sequence[Sequence[str]], rows: int) -> list[tuple[int, str]]:
    """The same of rows that were read, out of `rows`."""
    width = max([len(labels), *map(len, read)], default=0)
    named = [*map(_named, labels), *[""] * (width - len(labels))]
    columns = ": " + ", ".join(filter(None, named)) if any(named) else ""
    told = [(WHOLE, f"{name}: a table of {rows:,} rows and {width} columns{columns}.")]
    beyond = f" in the first {len(read):,} rows" if rows > len(read) else ""
    for at, label in enumerate(named[:COLUMNS_TOLD]):
        values = [row[at] for row in read if at < len(row) and row[at]]
        if values and label:
            kind, said = _column(values)
            lacking = len(read) - len(values)
            missing = f"; empty in {lacking:,} {'row' if lacking == 1 else 'rows'}" if lacking else ""
            told.append((kind, f"{name}, {label}: {said}{missing}{beyond}."))
    return told


def _labels(head: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A column's header cells from the top, each once."""
    width = max(map(len, head), default=0)
    return tuple(" ".join(dict.fromkeys(row[at] for row in head if at < len(row) and row[at])) for at in range(width))


def _named(label: str) -> str:
    """What a column is called; "" where its header is a value like those below it."""
    words = LEADERS.sub("", label).strip()
    is_value = re.search(r"\d[.,]\d{3}\b", words) or not re.search(r"[^\W\d_]|^\W*(?:19|20)\d\d\W*$", words)
    return "" if is_value else words


def _column(values: Sequence[str]) -> tuple[int, str]:
    """Numbers by their least, middle and greatest as they are printed; few values by how often each is there; others by
    how many there are."""
    if (numbers := _numbers(values)) is not None:
        ordered = [printed for _, printed in sorted(numbers)]
        return RANGE, f"from {ordered[0]} to {ordered[-1]}, half of them up to {ordered[(len(ordered) - 1) // 2]}"
    counts = Counter(values)
    if len(counts) == 1:
        return OTHER, f"{_cut(values[0])} throughout"
    if len(counts) <= FEW and len(counts) < len(values) and all(len(one) <= SHORT for one in counts):
        return COUNTS, ", ".join(f"{value} ({count:,})" for value, count in counts.most_common())
    return OTHER, f"{len(counts):,} different values, such as {_cut(values[0])}"


def _numbers(values: Sequence[str]) -> list[tuple[float, str]] | None:
    style = style_of(values)
    found = list[tuple[float, str]]()
    for value in values:
        match = _SIGNED.fullmatch(value)
        number = parse_number(match[2], style) if match else None
        if match and number is not None:
            found.append((-number if match[1] else number, value))
    return found if len(found) >= NUMBERS_MIN * len(values) else None


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else text[:SHORT].rsplit(" ", 1)[0] + " …"
