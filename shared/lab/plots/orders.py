"""In which order names stand on an axis, in a legend and around a pie."""

import re
from typing import Final

from shared.domain.datasets import Cell
from shared.lab.plots.frames import DrawnLayer, Framing
from shared.lab.plots.marks import number_of

MISSING: Final = "(missing)"
_NUMBERS: Final = re.compile(r"([0-9]+)")


def order_of(name: str, drawn: DrawnLayer, framing: Framing) -> list[Cell]:
    """The categories one by one: Vega's own orders differ between layers."""
    part, sort = drawn.shown[name], drawn.channels[name].sort
    frame = framing.frames[drawn.frame]
    seen = dict.fromkeys(row[part.name] for row in frame.rows)
    names = sorted(seen, key=_by_name)
    if isinstance(sort, list):
        chosen = [one for one in names if str(one) in sort]
        names = sorted(chosen, key=lambda one: sort.index(str(one))) + [one for one in names if str(one) not in sort]
    elif sort == "descending":
        names.reverse()
    elif sort and sort.strip("-") in drawn.shown:
        other = drawn.shown[sort.strip("-")].name
        totals: dict[Cell, float] = dict.fromkeys(names, 0.0)
        for row in frame.rows:
            totals[row[part.name]] += number_of(row.get(other)) or 0.0
        names.sort(key=lambda one: totals[one], reverse=sort.startswith("-"))
    return [MISSING if one is None else one for one in names]


def _by_name(value: Cell) -> tuple[bool, bool, list[tuple[bool, float, str]]]:
    """Numbers by their size, then words, whose numbers count as such: M5 before M16; what is missing stands last."""
    if value is None:
        return (True, True, [])
    if not isinstance(value, str):
        return (False, False, [(False, float(value), "")])
    parts = [one for one in _NUMBERS.split(value) if one]
    return (False, True, [(False, float(one), "") if one[0].isdecimal() else (True, 0.0, one) for one in parts])
