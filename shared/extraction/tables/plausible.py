"""Whether what was found as a table is one, by a learned decision.

Rules that each tell one kind of thing that is no table did nothing for the next kind. Here all signs count together: a
logistic regression over the numbers of signs.py. `tests.bench.tables_learned` makes its weights, from documents whose
sources say which tables they have.
"""

from collections.abc import Sequence
from functools import cache
from json import loads
from math import exp
from pathlib import Path
from statistics import median
from typing import Final

from shared.extraction.page_view import Line, PageView, text_of
from shared.extraction.tables.grid import Grid, GridCell
from shared.extraction.tables.regions import Region
from shared.extraction.tables.signs import TOUCH, signs_of

# For each sign its mean and its weight; without a name the constant.
WEIGHTS: Final = Path(__file__).with_name("weights.json")
# Probability from which it is a table: what is in doubt stays one.
LEAST = 0.15
# Columns in common by which what is in doubt is the rest of a table of its page.
MIN_COLUMNS = 3
# Marks of yes and no, and the least number of cells with one.
MARKS = frozenset("\u2713\u2714\u2717\u2718\u2611\u2612")
MIN_MARKS = 3
# Greatest number that `exp` is asked for: beyond that nothing is in doubt.
CERTAIN = 30.0


def is_plausible(grid: Grid, region: Region, caption: Sequence[Line], header: int, view: PageView) -> bool:
    """Whether the signs allow for a table; what a caption calls a table is one, and marks of yes and no in several
    columns are one, too: their fonts are those of formulas."""
    signs = signs_of(grid, region, caption, header, view)
    return signs["table caption"] > 0 or _has_marks(grid) or probability(signs) >= LEAST


def have_same_columns(one: Grid, other: Grid) -> bool:
    """Whether the columns of the one are columns of the other, which a row between them ended: three at least, each by
    its left or right edge."""
    edges = _edges(other)
    columns = _edges(one)
    return len(columns) >= MIN_COLUMNS and all(
        any(abs(left - a) <= TOUCH or abs(right - b) <= TOUCH for a, b in edges) for left, right in columns
    )


def _edges(grid: Grid) -> list[tuple[float, float]]:
    """Left and right edge of each column, in points: the medians of its cells."""
    columns: dict[int, list[GridCell]] = {}
    for row in grid.rows:
        for cell in row:
            if cell.lines and cell.col_span == 1:
                columns.setdefault(cell.column, []).append(cell)
    return [
        (median(min(x.x0 for x in one.lines) for one in cells), median(max(x.x1 for x in one.lines) for one in cells))
        for cells in columns.values()
    ]


def _has_marks(grid: Grid) -> bool:
    """Whether cells of two columns at least are nothing but a tick or a cross."""
    marked = [cell.column for row in grid.rows for cell in row if text_of(cell.lines).strip() in MARKS]
    return len(set(marked)) > 1 and len(marked) >= MIN_MARKS


def probability(signs: dict[str, float]) -> float:
    """How likely it is a table that shows these signs, from 0 to 1."""
    weights = _weights()
    total = weights[""][1] + sum(weights[name][1] * (value - weights[name][0]) for name, value in signs.items())
    return 1 / (1 + exp(-max(-CERTAIN, min(CERTAIN, total))))


@cache
def _weights() -> dict[str, tuple[float, float]]:
    return {name: (mean, weight) for name, (mean, weight) in loads(WEIGHTS.read_text(encoding="utf-8")).items()}
