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
from typing import Final

from shared.extraction.page_view import Line, PageView
from shared.extraction.tables.grid import Grid
from shared.extraction.tables.regions import Region
from shared.extraction.tables.signs import signs_of

# For each sign its mean and its weight; without a name the constant.
WEIGHTS: Final = Path(__file__).with_name("weights.json")
# Probability from which it is a table: what is in doubt stays one.
LEAST = 0.15
# Greatest number that `exp` is asked for: beyond that nothing is in doubt.
CERTAIN = 30.0


def is_plausible(grid: Grid, region: Region, caption: Sequence[Line], header: int, view: PageView) -> bool:
    """Whether the signs allow for a table; what a caption calls a table is one."""
    signs = signs_of(grid, region, caption, header, view)
    return signs["table caption"] > 0 or probability(signs) >= LEAST


def probability(signs: dict[str, float]) -> float:
    """How likely it is a table that shows these signs, from 0 to 1."""
    weights = _weights()
    total = weights[""][1] + sum(weights[name][1] * (value - weights[name][0]) for name, value in signs.items())
    return 1 / (1 + exp(-max(-CERTAIN, min(CERTAIN, total))))


@cache
def _weights() -> dict[str, tuple[float, float]]:
    return {name: (mean, weight) for name, (mean, weight) in loads(WEIGHTS.read_text(encoding="utf-8")).items()}
