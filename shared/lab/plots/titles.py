"""What axes, legends and tooltips are called."""

import re
from typing import Final

from shared.domain.datasets import DatasetColumn
from shared.lab.plots.frames import Dimension, DrawnLayer, GroupMeasure
from shared.values.headers import says_unit

FUNCTIONS: Final = {
    "count": "Number", "distinct": "Distinct values", "sum": "Sum", "mean": "Mean", "median": "Median",
    "min": "Minimum", "max": "Maximum", "stdev": "Standard deviation", "stderr": "Standard error",
    "q1": "First quartile", "q3": "Third quartile",
}  # fmt: skip
_PRINTED: Final = {
    "Cel": "°C", "[degF]": "°F", "Ohm": "Ω", "deg": "°", "um": "µm", "us": "µs", "ug": "µg", "uL": "µL", "ul": "µl",
    "1": "", "[in_i]": "in", "[ft_i]": "ft", "[lb_av]": "lb", "[cft_i]/min": "cfm",
}  # fmt: skip
_MARKS: Final = str.maketrans("", "", "{}[]")
_POWER: Final = re.compile(r"(?<=[a-zA-Z])-?[0-9]+")
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXTENTS: Final = {"stderr": "± standard error", "stdev": "± standard deviation", "ci": "95 % confidence interval"}


def title_of(part: Dimension | GroupMeasure, given: str | None = None) -> str:
    """An axis' title with its unit."""
    if given is not None:
        return given
    if isinstance(part, Dimension):
        return with_unit(part.column)
    if part.column is None:
        return "Number of rows"
    if part.function in ("count", "distinct"):
        return f"{FUNCTIONS[part.function]} of {part.column.label}"
    return f"{FUNCTIONS[part.function]} of {with_unit(part.column)}"


def with_unit(column: DatasetColumn) -> str:
    """The label with its unit behind it, unless it says so itself, as headers often do; after it where the label says
    what the column was converted from."""
    unit, said = column.unit and pretty_unit(column.unit), says_unit(column.label, column.unit)
    if not unit or said:
        return column.label
    return f"{column.label} ({unit})" if said is None else f"{column.label} in {unit}"


def pretty_unit(unit: str) -> str:
    """A unit of UCUM as it is printed: `um` is µm, `mm2` is mm², `[HP]` is HP."""
    if unit in _PRINTED:
        return _PRINTED[unit]
    plain = unit.translate(_MARKS)
    return _POWER.sub(lambda found: found.group().translate(_RAISED), plain).replace(".", "·")


def extent_title(drawn: DrawnLayer) -> str:
    """What error bars show."""
    if drawn.error:
        return f"± {drawn.error.column.label}"
    return _EXTENTS[drawn.mark.extent or "stderr"]
