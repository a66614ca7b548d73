"""Interprets the rows of a grid: the columns of their cells, the header labels of each column, rows that a page break
divided."""

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from shared.domain.knowledge import TableCell
from shared.extraction.compose import CELL
from shared.values.addresses import components, printed_address

MIN_PROSE_LETTERS = 8
# Most letters of a unit behind a number.
MAX_UNIT = 4
_NOTE = r"(?:\s?\(\w\d?\))?"  # the mark of a footnote behind a number
NUMBER = re.compile(rf"^[\s$€£¥(+\-\u2212\u2013\u2014]*[\d.,]+[\s%)\u2014]*{_NOTE}$|^[\u2014\u2013-]$")
_FIGURE = re.compile(rf"^[\s$€£¥(+\-\u2212\u2013\u2014]*(?:\d[\d.,\u00a0 ]*|[.,]\d+)[\s%)*]*{_NOTE}$")
_RANGE = re.compile(r"^[$€£¥]?\d[\d.,]*%?\s?[-\u2013]\s?[$€£¥]?\d[\d.,]*\s?%?$")
_COUNT = re.compile(r"^\d{1,6}$")
# As a unit stands below the words of a header.
BRACKETED = re.compile(r"^[(\[].*[)\]]$")
MISSING = frozenset({"NA", "N/A", "n/a", "NaN"})
CURRENCIES = ("$", "\u20ac", "\u00a3", "\u00a5")
# Before the name of who signed.
SIGNED = "/s/"
YEAR = re.compile(r"^(?:19|20)\d\d$")

# A cell's text with such an ending continues in the next row.
UNFINISHED = tuple(",-\u2010\u2013(&/")


def is_figure(text: str) -> bool:
    """Whether the text is just a number, with its sign or unit sign; digits may be in groups."""
    return _FIGURE.match(text) is not None


def is_quantity(text: str) -> bool:
    """Whether the text is a number, alone or before a unit of one word: `1.0 nm`."""
    number, _, unit = text.strip().partition(" ")
    return is_figure(text) or (is_figure(number) and 0 < len(unit) <= MAX_UNIT and unit.isalpha())


def is_value(text: str) -> bool:
    """Whether the text is a number, a range of two (`1.8-2.7%`), the sign of a currency set apart from its number, or
    says that there is none."""
    return NUMBER.match(text) is not None or _RANGE.match(text) is not None or text in CURRENCIES or text in MISSING


def counts_up(texts: Sequence[str]) -> bool:
    """Whether each text is a whole number of up to six digits, one more than the one before."""
    numbers = [int(text) for text in texts if _COUNT.match(text)]
    return len(numbers) == len(texts) and all(below == above + 1 for above, below in itertools.pairwise(numbers))


class Spanning(Protocol):
    """A cell of a row, as far as its spans are concerned."""

    @property
    def row_span(self) -> int: ...
    @property
    def col_span(self) -> int: ...


class Extent(NamedTuple):
    """The columns of a cell: the first, and the one after the last."""

    start: int
    end: int


def columns_of(rows: Sequence[Sequence[Spanning]]) -> list[list[Extent]]:
    """The columns of every cell; columns that a cell above spans into are skipped, as in HTML."""
    reach: dict[int, int] = {}  # column → first row that is free again
    found: list[list[Extent]] = []
    for index, row in enumerate(rows):
        column, places = 0, list[Extent]()
        for cell in row:
            while reach.get(column, 0) > index:
                column += 1
            places.append(Extent(column, column + cell.col_span))
            reach |= dict.fromkeys(range(column, column + cell.col_span), index + cell.row_span)
            column += cell.col_span
        found.append(places)
    return found


def width_of(rows: Sequence[Sequence[Spanning]]) -> int:
    """The number of columns of a grid."""
    return max((place.end for row in columns_of(rows) for place in row), default=0)


def column_labels(places: Sequence[Sequence[Extent]], texts: Sequence[Sequence[str]], header_rows: int) -> list[str]:
    """For each column the header's words above it, from the top; a cell over several columns counts for each of
    them."""
    labels: dict[int, list[str]] = {}
    for row, row_texts in zip(places[:header_rows], texts, strict=False):
        for place, text in zip(row, row_texts, strict=True):
            for column in range(*place) if text else ():
                labels.setdefault(column, []).append(text)
    return [" ".join(labels.get(column, [])) for column in range(max(labels, default=-1) + 1)]


def labels_of(stored: Sequence[Sequence[Any]], header_rows: int) -> list[str]:
    """A label for each column of a stored grid, of which the header's rows are enough; empty where it has none."""
    head = [[TableCell.model_validate(cell) for cell in line] for line in stored]
    texts = [[" ".join(cell.text.split()) for cell in line] for line in head]
    labels = column_labels(columns_of(head), texts, header_rows)
    return [*labels, *[""] * (width_of(head) - len(labels))]


def leaf_labels(places: Sequence[Sequence[Extent]], texts: Sequence[Sequence[str]], header_rows: int) -> list[str]:
    """For each column the lowest words of the header that are over it; a unit in brackets below them is none."""
    leaves: dict[int, str] = {}
    for row, row_texts in zip(places[:header_rows], texts, strict=False):
        for place, text in zip(row, row_texts, strict=True):
            for column in range(*place) if text else ():
                if column not in leaves or not BRACKETED.match(text):
                    leaves[column] = text
    return [leaves.get(column, "") for column in range(max(leaves, default=-1) + 1)]


def reaching_down(
    rows: Sequence[Sequence[Spanning]], places: Sequence[Sequence[Extent]], texts: Sequence[Sequence[str]]
) -> dict[int, list[tuple[Extent, str]]]:
    """For each row the cells of rows above that span into it, with their texts."""
    found: dict[int, list[tuple[Extent, str]]] = {}
    for index, row in enumerate(rows):
        for cell, place, text in zip(row, places[index], texts[index], strict=True):
            for below in range(index + 1, index + cell.row_span) if text else ():
                found.setdefault(below, []).append((place, text))
    return found


def labelled_row(
    places: Sequence[Extent], texts: Sequence[str], labels: Sequence[str], above: Sequence[tuple[Extent, str]] = ()
) -> str:
    """The row with each cell after the header of its column: `Item: Entry | Class S: 350`. `above` are the cells of
    rows above that span into it."""
    found: list[str] = []
    for place, text in sorted([*above, *zip(places, texts, strict=True)], key=lambda one: one[0].start):
        label = labels[place.start] if place.start < len(labels) else ""
        if text:
            found.append(f"{label.rstrip(':')}: {text}" if label else text)
    return CELL.join(found)


def is_label(texts: Sequence[str], width: int) -> bool:
    """Whether the row only labels the rows below it: words in its first cell and nothing else."""
    return width >= 2 and bool(texts) and bool(texts[0]) and not any(texts[1:]) and not NUMBER.match(texts[0])


def goes_on(last: Sequence[str], row: Sequence[str]) -> bool:
    """Whether `row`, the first after a page break, continues `last`: it has fewer cells, all of words, each below
    words, and one of those ends in mid-sentence."""
    pairs = [(above, below) for above, below in zip(last, row, strict=True) if below]
    if not 0 < len(pairs) < sum(map(bool, last)) or (row[0] and not row[0][0].islower()):
        return False
    if not all(above and not NUMBER.match(below) for above, below in pairs):
        return False
    return any(below[0].islower() or above[-1] in UNFINISHED for above, below in pairs)


def addressed_rows(rows: Sequence[Sequence[str]]) -> list[str | None]:
    """The address of each row whose first cell is just an address and whose other cells have some prose; else None.
    In a column of different codes (`SC-07`) all rows have one, or none: one article is as much one as another.

    Two plain numbers (`1.5`) may be a measurement: they count only where the column ascends without repeating.
    """
    found = [_row_address(row) for row in rows]
    codes = [(at, address) for at, row in enumerate(rows) if (address := _code(row))]
    if any(found[at] for at, _ in codes) and len({address for _, address in codes}) == len(codes):
        for at, address in codes:
            found[at] = address
    plain = [tuple(int(c) for c in components(a)) for a in found if a and re.fullmatch(r"\d+\.\d+", a)]
    if plain and not all(a < b for a, b in itertools.pairwise(plain)):
        return [None if a and re.fullmatch(r"\d+\.\d+", a) else a for a in found]
    return found


def _row_address(row: Sequence[str]) -> str | None:
    inked = [text for text in row if text]
    if len(inked) < 2 or sum(c.isalpha() for c in "".join(inked[1:])) < MIN_PROSE_LETTERS:
        return None
    return _address(inked[0])


def _code(row: Sequence[str]) -> str | None:
    """The address with letters that the row's first cell is, beside others."""
    address = _address(row[0]) if len(row) > 1 and row[0] and any(row[1:]) else None
    return address if address and any(c.isalpha() for c in address) else None


def _address(text: str) -> str | None:
    """The address of several steps that a text is, all of it."""
    printed = printed_address(text)
    if printed is None or printed[1] != len(text) or not any(c.isdigit() for c in printed[0]):
        return None
    return printed[0] if len(components(printed[0])) >= 2 else None
