"""A table in plain text, read by a regular expression: which sign divides the values is tried, not taken over."""

import re
from pathlib import Path
from typing import Final

from shared.domain.geometry import CellRange, corners_of
from shared.domain.raw_page import SecondText
from shared.rereading.text import reread_text

_SIGNS: Final = (",", ";", "\t", "|")
_SPACED: Final = re.compile(r'([,;\t|]) +"')
LEFT_CELLS: Final = 5
Records = list[list[str]]


def reread_delimited(path: Path) -> SecondText:
    text = reread_text(path).text
    signs = [sign for sign in _SIGNS if sign == "," or sign in text]
    spaced = sorted(set(_SPACED.findall(text)))
    readings = [_records(text, sign) for sign in signs] + [_records(text, sign, " *") for sign in spaced]
    return SecondText("", cells=RecordCells(readings))


class RecordCells:
    """The readings of one text with each sign, with and without spaces before a quotation; those that do not agree are
    dropped, as long as one does."""

    def __init__(self, readings: list[Records]) -> None:
        self._readings = readings
        self._asked: set[tuple[int, int]] = set()

    def differs(self, place: CellRange, text: str) -> str | None:
        left, top, *_ = corners_of(place.range)
        self._asked.add((top, left))
        agreeing = [one for one in self._readings if text in _lines(_value(one, top, left))]
        if not agreeing:
            return _value(self._readings[0], top, left) or "an empty cell"
        self._readings = agreeing
        return None

    def left(self) -> str:
        unread = [
            value
            for row, values in enumerate(self._readings[0], 1)
            for column, value in enumerate(values, 1)
            if value.strip() and (row, column) not in self._asked
        ]
        return " ".join(unread[:LEFT_CELLS])


def _value(records: Records, row: int, column: int) -> str:
    return records[row - 1][column - 1] if row <= len(records) and column <= len(records[row - 1]) else ""


def _lines(value: str) -> list[str]:
    return [line.strip() for line in value.splitlines()]


def _records(text: str, sign: str, before: str = "") -> Records:
    """RFC 4180, with what is written behind a closing quote, and what `before` matches in front of the opening one."""
    one = re.escape(sign)
    value = re.compile(rf'(?:{before}"((?:[^"]|"")*+)(?:"|\Z))?([^{one}\r\n]*)({one}|\r\n|\r|\n|\Z)')
    records: Records = [[]]
    at = 0
    while at < len(text):
        found = value.match(text, at)
        if found is None:
            break
        quoted = (found[1] or "").replace('""', '"')
        records[-1].append(quoted + found[2])
        at = found.end()
        if found[3] != sign and at < len(text):
            records.append([])
    return records
