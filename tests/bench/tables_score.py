"""Tables as every reader of them is compared: cells on a grid, and the three figures that say how well they agree.

Adjacency follows Göbel, Hassan, Oro, Orsi: A methodology for evaluating algorithms for table understanding in PDF
documents (DocEng 2012), as used in the ICDAR 2013 table competition: each cell with text is related to its nearest
neighbour with text to the right and below; relations are compared as (text, text, direction), text without white space.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LEADER = re.compile(r"\.{3,}$")
SAME_BOX = 0.5  # intersection over union from which a detection counts

Relation = tuple[str, str, str]
Extent = tuple[float, float, float, float]


class Cell(NamedTuple):
    """A cell with its upper left place on the grid."""

    row: int
    column: int
    text: str
    row_span: int = 1
    col_span: int = 1


class Table(NamedTuple):
    """A table, or the part of one that stands on `page`. `box` is (x0, y0, x1, y1) in points; None where unknown."""

    page: int
    box: Extent | None
    cells: list[Cell]


class Score(NamedTuple):
    """Counts that add up over pages and files."""

    found: int = 0
    gold: int = 0
    ours: int = 0
    relations_found: int = 0
    relations_gold: int = 0
    relations_ours: int = 0
    rows_found: int = 0
    rows_gold: int = 0

    def __add__(self, other: object) -> "Score":
        assert isinstance(other, Score)
        return Score(*(a + b for a, b in zip(self, other, strict=True)))

    def figures(self) -> dict[str, float | int]:
        """Detection F1, adjacency F1 with precision and recall, and the share of rows that are complete."""
        return {
            "detection": _f1(self.found, self.gold, self.ours),
            "adjacency": _f1(self.relations_found, self.relations_gold, self.relations_ours),
            "precision": _ratio(self.relations_found, self.relations_ours),
            "recall": _ratio(self.relations_found, self.relations_gold),
            "rows": _ratio(self.rows_found, self.rows_gold),
            "tables": self.gold,
            "gold_rows": self.rows_gold,
        }


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 1.0


def _f1(found: int, gold: int, ours: int) -> float:
    return round(2 * found / (gold + ours), 3) if gold + ours else 1.0


def normalise(text: str) -> str:
    """Compatibility forms of characters, without white space and without the dots that lead to the next cell."""
    return _LEADER.sub("", "".join(unicodedata.normalize("NFKC", text).split()))


def score(gold: Sequence[Table], ours: Sequence[Table]) -> Score:
    """One page, or one document, against its gold."""
    wanted, found = _relations(gold), _relations(ours)
    rows, have = [row for table in gold for row in rows_of(table)], Counter(r for t in ours for r in rows_of(t))
    complete = sum((Counter(rows) & have).values())
    boxed = [table for table in gold if table.box]
    return Score(
        found=_matched(boxed, ours) if boxed or not gold else 0,
        gold=len(boxed),
        ours=len(ours) if boxed or not gold else 0,
        relations_found=sum((wanted & found).values()),
        relations_gold=sum(wanted.values()),
        relations_ours=sum(found.values()),
        rows_found=complete,
        rows_gold=len(rows),
    )


def rows_of(table: Table) -> list[str]:
    """Normalised text of each row that has any."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    texts = ["".join(normalise(c.text) for c in sorted(rows[r], key=lambda c: c.column)) for r in sorted(rows)]
    return [text for text in texts if text]


def _relations(tables: Iterable[Table]) -> Counter[Relation]:
    return Counter(relation for table in tables for relation in relations_of(table))


def relations_of(table: Table) -> list[Relation]:
    """Every cell with text and its nearest neighbours with text to the right and below."""
    place: dict[tuple[int, int], Cell] = {}
    for cell in table.cells:
        if normalise(cell.text):
            for row in range(cell.row, cell.row + cell.row_span):
                for column in range(cell.column, cell.column + cell.col_span):
                    place[row, column] = cell
    height = max((row for row, _ in place), default=0) + 1
    width = max((column for _, column in place), default=0) + 1
    found: set[tuple[Cell, Cell, str]] = set()
    for (row, column), cell in place.items():
        right = next((place[row, c] for c in range(cell.column + cell.col_span, width) if (row, c) in place), None)
        below = next((place[r, column] for r in range(cell.row + cell.row_span, height) if (r, column) in place), None)
        found |= {(cell, other, way) for other, way in ((right, "right"), (below, "below")) if other is not None}
    return sorted((normalise(a.text), normalise(b.text), way) for a, b, way in found)


def _matched(gold: Sequence[Table], ours: Sequence[Table]) -> int:
    """Gold boxes with a box of ours of at least half in common; each of ours counts once."""
    free = [table.box for table in ours if table.box]
    count = 0
    for table in gold:
        best = max(free, key=lambda box: overlap(box, table.box), default=None)
        if best is not None and overlap(best, table.box) >= SAME_BOX:
            free.remove(best)
            count += 1
    return count


def overlap(a: Extent, b: Extent | None) -> float:
    """Intersection over union."""
    if b is None:
        return 0.0
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if across <= 0 or down <= 0:
        return 0.0
    both = across * down
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def from_rows(rows: Sequence[Sequence[str]], page: int, box: Extent | None = None) -> Table:
    """A table of plain rows of texts."""
    return Table(page, box, [Cell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row)])
