"""The groups that a table's rows stand in: labels within the body, and totals that say what the rows above them are.

A label opens a group. Rows that are indented below it belong to it, and the first one that is not ends it. Where
nothing is indented it holds until the next label. A total, which statements often indent further, is its group's last
row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.domain.geometry import Box, PageBox

# Texts that begin within this share of the page's width of each other are equally indented.
SAME_INDENT: Final = 0.004
TOTAL: Final = re.compile(r"(?:sub-?)?total[es]?\b|(?:zwischen)?summe\b|gesamt", re.I)

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


@dataclass
class _Group:
    label: str
    at: int  # of the label's row, by the order in which rows came
    indent: float | None
    indented: bool = False  # a row that is indented below it was seen


class Groups:
    """The labels that are open, from the outermost one."""

    def __init__(self) -> None:
        self._open: list[_Group] = []
        self._entered = 0

    def enter(self, text: str, indent: float | None, label: bool) -> list[str]:
        """The labels over a row, whose first cell has this text, beginning at this share of the page's width. A `label`
        row is open for those after it."""
        return [group.label for group in self._enter(text, indent, label)]

    def enter_at(self, text: str, indent: float | None, label: bool) -> list[int]:
        """As `enter`; the labels by their rows, the first that was entered being 0."""
        return [group.at for group in self._enter(text, indent, label)]

    def _enter(self, text: str, indent: float | None, label: bool) -> list[_Group]:
        at = self._entered
        self._entered += 1
        if not text:
            return [*self._open]
        while self._open and self._ends(self._open[-1], indent, label):
            self._open.pop()
        found = [*self._open]
        inner = self._open[-1] if self._open else None
        if inner and not label and TOTAL.match(text):
            self._open.pop()
        elif inner and _further_right(indent, inner.indent):
            inner.indented = True
        if label:
            self._open.append(_Group(text, at, indent))
        return found

    def _ends(self, group: _Group, indent: float | None, label: bool) -> bool:
        if indent is None or group.indent is None:
            return label
        if _further_right(indent, group.indent):
            return False
        return label or group.indented or _further_right(group.indent, indent)


def _further_right(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one > other + SAME_INDENT


def indent_of(text: str, boxes: Sequence[Box]) -> float | None:
    """How far from its side of the page a cell's text begins, as a share of the page's width; None for a source without
    pages."""
    placed = [box for box in boxes if isinstance(box, PageBox)]
    if _RIGHT_TO_LEFT.search(text):
        return min((1 - box.right for box in placed), default=None)
    return min((box.x for box in placed), default=None)


def totalled(label: str) -> str:
    """What a total is a total of: `Total net sales` → `net sales`; nothing for another label."""
    found = TOTAL.match(label)
    return label[found.end() :].strip(" :,") if found else ""
