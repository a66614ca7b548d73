"""Which rows of a frame have a mark in a plot, and how far the error bar of one reaches."""

import math
from typing import cast

from shared.domain.datasets import Cell
from shared.lab.plots.frames import ERRORS, DrawnLayer, GroupMeasure


def limits(drawn: DrawnLayer, row: dict[str, Cell]) -> tuple[float, float] | None:
    """From where to where an error bar reaches; None where too few values are there, or none says how far."""
    if drawn.error:
        middle = number_of(row.get(drawn.shown[cast(str, drawn.value)].name))
        reach = number_of(row.get(drawn.error.name))
        return None if middle is None or reach is None else (middle - abs(reach), middle + abs(reach))
    measure = cast(GroupMeasure, drawn.shown[cast(str, drawn.value)])
    mean, count = number_of(row.get(measure.name)), number_of(row.get(f"{measure.source}_count"))
    extent = drawn.mark.extent or "stderr"
    spread = number_of(row.get(f"{measure.source}_{'stdev' if extent == 'stdev' else 'stderr'}"))
    if mean is None or spread is None or count is None or count < 2:
        return None
    half = spread * (student_t(int(count) - 1) if extent == "ci" else 1.0)
    return mean - half, mean + half


def is_open(drawn: DrawnLayer, row: dict[str, Cell]) -> bool:
    """Whether an error bar reaches to 0 or below on a logarithmic axis, which has no place for that: it is drawn to the
    axis' lower end, without an end of its own."""
    reach = limits(drawn, row) if is_drawn(drawn, row) else None
    return reach is not None and reach[0] <= 0 and is_log(drawn, cast(str, drawn.value))


def is_log(drawn: DrawnLayer, name: str) -> bool:
    """Whether the axis of this name is logarithmic."""
    scale = drawn.channels[name].scale
    return scale is not None and scale.type == "log"


def student_t(degrees: int) -> float:
    """The 97.5 % quantile of Student's t. Exact for 1 and 2 degrees of freedom, else the expansion 26.7.5 of Abramowitz
    and Stegun, which is off by 0.12 % at 3 and by less above."""
    if degrees < 3:
        return (12.706204736432095, 4.302652729911275)[max(degrees, 1) - 1]
    x, v = 1.959963984540054, degrees
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / v**power for power, term in enumerate(terms, 1))


def is_drawn(drawn: DrawnLayer, row: dict[str, Cell]) -> bool:
    """Whether a layer has a mark for the row: nothing is drawn where a number is missing, or not above 0 on a
    logarithmic axis."""
    for name, part in drawn.shown.items():
        if name in ERRORS or drawn.types[name] not in ("quantitative", "temporal"):
            continue
        value = row.get(part.name)
        if value is None:
            return False
        if is_log(drawn, name) and (not isinstance(value, (int, float)) or value <= 0):
            return False
    return drawn.mark.type != "errorbar" or limits(drawn, row) is not None


def number_of(value: Cell) -> float | None:
    """A value that has a place on an axis of numbers; None for another."""
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    return None
