"""The levels of a header of which a source tells the first rows only: names below words that stand over several."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from shared.values.fields import kind_of

MOST_LEVELS: Final = 5


class SpannedCell(NamedTuple):
    text: str
    row_span: int = 1
    col_span: int = 1


Rows = Sequence[Sequence[SpannedCell]]


def levels_of_header(rows: Rows, count: int) -> int:
    """How many rows the header has, whose first `count` are known.

    One more where words of its last row stand over several columns, but not all, and the next row has words below
    them; and where besides a cell of the header reaches down over that row, or values stand below its words.
    """
    placed = _placed(rows)
    width = max((column for row in placed for column in row), default=-1) + 1
    while count < min(len(rows) - 1, MOST_LEVELS) and _goes_on(placed, count, width):
        count += 1
    return count


def _goes_on(placed: Sequence[dict[int, tuple[int, SpannedCell]]], count: int, width: int) -> bool:
    last, names = placed[count - 1], placed[count]
    over = {
        column
        for column, (row, cell) in last.items()
        if row == count - 1 and cell.text and 1 < cell.col_span < width and cell.row_span == 1
    }
    own = {column: cell for column, (row, cell) in names.items() if row == count and cell.text}
    if not over or not over <= {*own} or any(kind_of(cell.text) not in ("words", "code") for cell in own.values()):
        return False
    reaching = any(row < count and cell.text for row, cell in names.values())
    return reaching or any(_has_values(placed[count + 1 :], column) for column in over)


def _has_values(rows: Sequence[dict[int, tuple[int, SpannedCell]]], column: int) -> bool:
    kinds = [kind for row in rows if column in row and (kind := kind_of(row[column][1].text))]
    return 2 * sum(kind not in ("words", "code") for kind in kinds) > len(kinds)


def _placed(rows: Rows) -> list[dict[int, tuple[int, SpannedCell]]]:
    """For each row what stands in its columns: the row in which it begins, and the cell."""
    found: list[dict[int, tuple[int, SpannedCell]]] = [{} for _ in rows]
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while column in found[at]:
                column += 1
            for line in found[at : at + cell.row_span]:
                line.update(dict.fromkeys(range(column, column + cell.col_span), (at, cell)))
            column += cell.col_span
    return found
