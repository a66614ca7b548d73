"""Lines of a text as a typewriter sets them, and the tables that are made of such lines."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

TAB_STOP = 8
# Behind any line.
FAR = 1_000_000
# Stands at the second place of a character that takes two; it is no white space.
_FILLER = "\x00"


class TypedLine(NamedTuple):
    """A line with one character for each place: tabs as blanks up to the next stop, wide characters as two places.
    `at`: the index in the source line of the character at each place, and its length behind the last one."""

    text: str
    at: Sequence[int]


class TypedSpan(NamedTuple):
    """The characters from `start` to before `end` of the source's line number `line`."""

    line: int
    start: int
    end: int


class TypedCell(NamedTuple):
    """A cell: the parts of the lines that it is made of; none where it is empty."""

    spans: list[TypedSpan]
    row_span: int = 1
    col_span: int = 1


class TypedTable(NamedTuple):
    """A table in the lines from `first` to before `end`; its first `header_rows` rows are the header. A cell that
    reaches over others stands for them: rows have no cells for what is covered."""

    first: int
    end: int
    rows: list[list[TypedCell]]
    header_rows: int


def joined(above: Sequence[TypedCell], below: Sequence[TypedCell]) -> list[TypedCell]:
    """One row of two lines, cell by cell."""
    return [TypedCell([*a.spans, *b.spans]) for a, b in zip(above, below, strict=True)]


def typed_line(source: str) -> TypedLine:
    if source.isascii() and "\t" not in source:
        return TypedLine(source, range(len(source) + 1))
    text: list[str] = []
    at: list[int] = []
    for index, character in enumerate(source):
        shown = _shown(character, len(text))
        text += shown
        at += [index] * len(shown)
    return TypedLine("".join(text), [*at, len(source)])


def _shown(character: str, place: int) -> str:
    if character == "\t":
        return " " * (TAB_STOP - place % TAB_STOP)
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return ""
    return character + _FILLER if unicodedata.east_asian_width(character) in "WF" else character


def span_of(line: TypedLine, number: int, start: int, end: int) -> list[TypedSpan]:
    """What is printed from place `start` to before `end`; nothing where that is blank."""
    part = line.text[start:end]
    printed = part.strip()
    if not printed:
        return []
    first = start + part.index(printed)
    return [TypedSpan(number, line.at[first], line.at[first + len(printed)])]
