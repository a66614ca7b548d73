"""Straight lines of least squares through points: of each group of colour its own."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from shared.domain.datasets import Cell
from shared.errors import BadInput
from shared.lab.plots.frames import Framing, GroupMeasure
from shared.lab.plots.marks import is_drawn, is_log, number_of

# Through two points there is always a line: it says nothing.
POINTS_MIN: Final = 3


@dataclass(frozen=True)
class Trend:
    """`intercept` + `slope` x, from `low` to `high`; `share` is R², the share of the variance that it explains. `group`
    is a value of the colour; None where there are no groups."""

    group: Cell
    slope: float
    intercept: float
    share: float
    points: int
    low: float
    high: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


def trends_of(framing: Framing) -> list[Trend]:
    """Of the points that are drawn; a group of fewer than three, or at one x, has none. Raises BadInput for axes that
    no straight line stands on."""
    drawn = framing.layers[0]
    parts = [drawn.shown.get(axis) for axis in ("x", "y")]
    plain = all(part and not isinstance(part, GroupMeasure) and part.kind == "raw" for part in parts)
    kinds = {drawn.types.get(axis) for axis in ("x", "y")}
    if not plain or kinds != {"quantitative"} or is_log(drawn, "x") or is_log(drawn, "y"):
        raise BadInput(
            "A straight line goes through numbers on both axes, as they are printed and on scales that are not"
            " logarithmic; more points than can be told apart are put together and have none. Choose such columns,"
            " filter the dataset, or leave `trend` out."
        )
    x, y = (part.name for part in parts if part)
    colour = drawn.shown.get("color") if drawn.types.get("color") == "nominal" else None
    groups = defaultdict[Cell, list[tuple[float, float]]](list)
    for row in framing.frames[drawn.frame].rows:
        place = number_of(row.get(x)), number_of(row.get(y))
        if is_drawn(drawn, row) and place[0] is not None and place[1] is not None:
            groups[row[colour.name] if colour else None].append((place[0], place[1]))
    return [found for group, points in groups.items() if (found := _fit(group, points))]


def _fit(group: Cell, points: list[tuple[float, float]]) -> Trend | None:
    """Ordinary least squares of y on x."""
    x, y = np.array(points).T
    away = x - x.mean()
    if len(points) < POINTS_MIN or not (spread := float(away @ away)):
        return None
    slope = float(away @ y) / spread
    intercept = float(y.mean()) - slope * float(x.mean())
    left = y - intercept - slope * x
    whole = float(((y - y.mean()) ** 2).sum())
    share = 1 - float(left @ left) / whole if whole else 1.0
    return Trend(group, slope, intercept, share, len(points), float(x.min()), float(x.max()))


def trend_layer(trends: Sequence[Trend], framing: Framing, encoding: dict[str, Any]) -> dict[str, Any]:
    """The lines as a layer with data of its own. `encoding` is that of the points, whose colours and signs say their
    domain: legends of different data would stand apart."""
    drawn = framing.layers[0]
    x, y = (drawn.shown[axis].name for axis in ("x", "y"))
    colour = drawn.shown["color"].name if "color" in encoding and drawn.types.get("color") == "nominal" else None
    values = [
        {x: at, y: one.at(at)} | ({colour: one.group} if colour else {})
        for one in trends for at in (one.low, one.high)
    ]  # fmt: skip
    kept = {name: one for name, one in encoding.items() if name in ("x", "y") or (name == "color" and colour)}
    return {
        "data": {"values": values},
        "mark": {"type": "line", "strokeDash": [6, 4], "tooltip": None},
        "encoding": kept,
    }
