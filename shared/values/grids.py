"""Rows of texts of a stored table."""

from collections.abc import Sequence
from typing import Any


def filled(cells: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Rows of as many texts as the table has columns. A cell is its text, or [text, rows, columns]."""
    if all(isinstance(cell, str) for row in cells for cell in row):
        return [[tidy(cell) for cell in row] for row in cells]
    found: list[dict[int, str]] = [{} for _ in cells]
    for at, row in enumerate(cells):
        column = 0
        for cell in row:
            text, below, beside = (cell, 1, 1) if isinstance(cell, str) else cell
            while column in found[at]:
                column += 1
            for line in found[at : at + below]:
                line.update(dict.fromkeys(range(column, column + beside), tidy(text)))
            column += beside
    width = max((max(row, default=-1) for row in found), default=-1) + 1
    return [[row.get(column, "") for column in range(width)] for row in found]


def tidy(text: str) -> str:
    """White space as one space, none at the ends."""
    return " ".join(text.split())
