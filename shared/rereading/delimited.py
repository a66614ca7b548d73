"""A table in plain text, read by a regular expression: which sign divides the values is tried, not taken over."""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, overload

from shared.domain.geometry import CellRange, corners_of
from shared.domain.raw_page import SecondText
from shared.rereading.text import reread_text

_SIGNS: Final = (",", ";", "\t", "|")
_SPACED: Final = re.compile(r'([,;\t|]) +"')
LEFT_CELLS: Final = 5
Records = Sequence[list[str]]


def reread_delimited(path: Path) -> SecondText:
    text = reread_text(path).text
    signs = [sign for sign in _SIGNS if sign == "," or sign in text]
    spaced = sorted(set(_SPACED.findall(text)))
    readings: list[Records] = [_Records(text, sign) for sign in signs]
    readings += [_Records(text, sign, " *") for sign in spaced]
    return SecondText("", cells=RecordCells(readings))


class RecordCells:
    """The readings of one text with each sign, with and without spaces before a quotation; those that do not agree are
    dropped, as long as one does."""

    def __init__(self, readings: list[Records]) -> None:
        self._readings = readings
        self._asked: set[tuple[int, int]] = set()
        self._whole = bytearray(max(map(len, readings)) + 1)

    def differs(self, place: CellRange, text: str) -> str | None:
        left, top, *_ = corners_of(place.range)
        self._asked.add((top, left))
        agreeing = [one for one in self._readings if text in _lines(_value(one, top, left))]
        if not agreeing:
            return _value(self._readings[0], top, left) or "an empty cell"
        self._readings = agreeing
        return None

    def differs_row(self, sheet: str, number: int, places: Sequence[int], texts: Sequence[str]) -> str | None:
        agreeing = [one for one in self._readings if _has_row(one, number, places, texts)]
        if not agreeing:
            first = self._readings[0]
            return " ".join(first[number - 1]).strip() if number <= len(first) else "no such row"
        self._readings = agreeing
        self._whole[number] = 1
        return None

    def differs_formula(self, sheet: str, cells: str, formula: str) -> str | None:
        """Text has no formulas."""
        return f"no formula at {sheet}!{cells}" if formula else None

    def computes(self, place: CellRange) -> bool:
        """Never."""
        return place.range == ""

    def left(self) -> str:
        unread = (
            value
            for row, values in enumerate(self._readings[0], 1)
            if not self._whole[row]
            for column, value in enumerate(values, 1)
            if value.strip() and (row, column) not in self._asked
        )
        return " ".join(islice(unread, LEFT_CELLS))


def _value(records: Records, row: int, column: int) -> str:
    return records[row - 1][column - 1] if row <= len(records) and column <= len(records[row - 1]) else ""


def _has_row(records: Records, number: int, places: Sequence[int], texts: Sequence[str]) -> bool:
    """Whether the record has exactly these texts, each of one or more lines, in these columns."""
    if number > len(records):
        return False
    said = dict(zip(places, texts, strict=True))
    return all(
        value.strip() == said.get(column, "") or [*filter(None, _lines(value))] == said.get(column, "").split("\n")
        for column, value in enumerate(records[number - 1], 1)
    ) and not any(text for column, text in said.items() if column > len(records[number - 1]))


def _lines(value: str) -> list[str]:
    return [line.strip() for line in value.splitlines()]


class _Records(Sequence[list[str]]):
    """The records of a text with one sign, each taken apart when it is asked for: a million as lists of texts take a
    gigabyte. RFC 4180, with what is written behind a closing quote, and what `before` matches in front of the opening
    one."""

    def __init__(self, text: str, sign: str, before: str = "") -> None:
        one = re.escape(sign)
        self._text, self._sign = text, sign
        self._value = re.compile(rf'(?:{before}"((?:[^"]|""|(?!))*+)(?:"|\Z))?([^{one}\r\n]*)({one}|\r\n|\r|\n|\Z)')
        self._starts = array("Q", [0])
        self._starts.extend(self._ends())
        self._last: tuple[int, list[str]] = -1, []

    def _ends(self) -> Iterator[int]:
        """Behind each record but the last."""
        at, match, sign, length = 0, self._value.match, self._sign, len(self._text)
        while at < length and (found := match(self._text, at)):
            at = found.end()
            if found[3] != sign and at < length:
                yield at

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[list[str]]: ...
    def __getitem__(self, index: int | slice) -> list[str] | Sequence[list[str]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        if self._last[0] != index:
            self._last = index, [*self._taken_apart(self._starts[index])]
        return self._last[1]

    def _taken_apart(self, at: int) -> Iterator[str]:
        while at < len(self._text) and (found := self._value.match(self._text, at)):
            yield (found[1] or "").replace('""', '"') + found[2]
            at = found.end()
            if found[3] != self._sign:
                return
