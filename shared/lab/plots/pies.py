"""Pies: shares of a whole. Each slice is called by its name and share beside it, so that nobody needs its colour."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.domain.datasets import Cell
from shared.errors import BadInput
from shared.lab.plots.frames import Dimension, DrawnLayer, Framing, GroupMeasure
from shared.lab.plots.marks import is_drawn, number_of
from shared.lab.plots.orders import MISSING, order_of
from shared.lab.plots.theme import SERIES
from shared.values.locales import NumberSigns

# As many as there are colours that all readers tell apart.
SLICES_MAX: Final = len(SERIES["light"])
SHARE: Final = "share_told"
# Written where the language of numbers is known.
TOLD: Final = {"calculate": "format(100 * datum.share, '.1f') + ' %'", "as": SHARE}
# Points: of the pie, between it and its labels, between labels above each other, a label's at most, and between a label
# and the dot of its slice's colour before it.
RADIUS, AWAY, LINE, WIDE, DOT = 110, 24, 16, 180, 10
# Per cent: printed shares that are rounded miss it by less.
_ROUNDED: Final = 1
_CHANNELS: Final = {"theta", "color"}
_ADDS_UP: Final = ("count", "sum")


@dataclass(frozen=True)
class PieSlice:
    """`share` of 1, from `start` to `end`; `label`, and before it `dot` of its colour, are angles and ways from the
    middle. Angles are radians, clockwise from the top."""

    name: str
    share: float
    told: str
    start: float
    end: float
    label: tuple[float, float]
    dot: tuple[float, float]

    @property
    def datum(self) -> dict[str, Cell]:
        """What is drawn of it, the same in every language: by its hash a plot knows other data."""
        found: dict[str, Cell] = {"slice_from": self.start, "slice_to": self.end, "share": self.share}
        for name, (angle, radius) in (("label", self.label), ("dot", self.dot)):
            found |= {f"{name}_at": angle, f"{name}_radius": radius}
        return found


def is_pie(drawn: DrawnLayer) -> bool:
    return drawn.mark.type == "arc"


def slices_of(framing: Framing) -> dict[int, PieSlice]:
    """The slices by the place of their row; none of other plots. Raises BadInput for what is no whole of parts, and for
    more than are told apart."""
    if not any(map(is_pie, framing.layers)):
        return {}
    drawn = framing.layers[0]
    _check_parts(framing)
    size, names = drawn.shown["theta"], drawn.shown["color"]
    order = {name: at for at, name in enumerate(order_of("color", drawn, framing))}
    rows = framing.frames[drawn.frame].rows
    sizes = {
        place: (_named(row[names.name]), number_of(row[size.name]) or 0.0)
        for place, row in sorted(enumerate(rows), key=lambda one: order[_named(one[1][names.name])])
        if is_drawn(drawn, row)
    }
    _check_sizes([*sizes.values()], framing.signs)
    _check_whole(size, [number for _, number in sizes.values()], framing.signs)
    whole = math.fsum(number for _, number in sizes.values())
    shares = {place: number / whole for place, (_, number) in sizes.items()}
    ends = [math.tau * math.fsum([*shares.values()][: at + 1]) for at in range(len(shares))]
    starts = [0.0, *ends[:-1]]
    labels = _labels([(start + end) / 2 for start, end in zip(starts, ends, strict=True)])
    return {
        place: PieSlice(str(sizes[place][0]), share, share_text(share, framing.signs), start, end, *label)
        for (place, share), start, end, label in zip(shares.items(), starts, ends, labels, strict=True)
    }


def pie_notices(framing: Framing) -> list[str]:
    """Where printed per cent are no hundred together."""
    drawn = framing.layers[0]
    if not is_pie(drawn):
        return []
    size = drawn.shown["theta"]
    rows = [row for row in framing.frames[drawn.frame].rows if is_drawn(drawn, row)]
    whole = math.fsum(number_of(row[size.name]) or 0.0 for row in rows)
    if not _is_per_cent(size) or abs(whole - 100) <= _ROUNDED:
        return []
    return [f"These are {framing.signs.write(f'{whole:,.4g}')} % together, not 100 %: the slices are shares of that."]


def share_text(share: float, signs: NumberSigns) -> str:
    """Per cent, with a decimal."""
    return f"{signs.write(f'{100 * share:.1f}')} %"


def pie_parts(mark: dict[str, Any], colour: dict[str, Any], tooltip: Sequence[Any]) -> list[dict[str, Any]]:
    """The slices, and what is written right and left of them."""
    told = {"tooltip": tooltip, "description": {"field": "described", "type": "nominal"}}
    slices = {
        "mark": mark | {"outerRadius": RADIUS},
        "encoding": {"theta": _angle("slice_from"), "theta2": {"field": "slice_to"}, "color": colour | {"legend": None}}
        | told,
    }
    named = {"calculate": f"datum.{colour['field']} + ' ' + datum.{SHARE}", "as": "label"}
    dots = _written("dot", {"value": "●"}, "center", tooltip, {"color": colour | {"legend": None}})
    left, right = ({"filter": {"field": "label_at", which: math.pi}} for which in ("gte", "lt"))
    labels = [
        _written("label", {"field": "label", "type": "nominal"}, align, tooltip, {}) | {"transform": [side, named]}
        for align, side in (("right", left), ("left", right))
    ]
    return [slices, dots, *labels]


def _written(
    what: str, text: dict[str, Any], align: str, tooltip: Sequence[Any], more: dict[str, Any]
) -> dict[str, Any]:
    """A text around the pie; what it says is told by its slice."""
    mark = {"type": "text", "align": align, "baseline": "middle", "limit": WIDE, "cursor": "pointer", "aria": False}
    place = {"theta": _angle(f"{what}_at"), "radius": _angle(f"{what}_radius")}
    return {"mark": mark, "encoding": place | {"text": text, "tooltip": tooltip} | more}


def _angle(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "scale": None, "stack": None}


def _check_parts(framing: Framing) -> None:
    drawn = framing.layers[0]
    if len(framing.layers) > 1 or drawn.shown.keys() != _CHANNELS or drawn.channels.keys() != _CHANNELS:
        raise BadInput(
            "A pie has slices and nothing else: `theta`, how large each is, and `color`, what it is called."
            " Leave other channels, panels and layers out."
        )
    size, names = drawn.shown["theta"], drawn.shown["color"]
    printed = isinstance(size, Dimension) and size.kind == "raw" and drawn.types["theta"] == "quantitative"
    counted = isinstance(size, GroupMeasure) and size.function in _ADDS_UP
    if not (printed or counted) or not isinstance(names, Dimension) or names.kind == "bin":
        raise BadInput("Slices add up to a whole: count rows, sum a column of numbers, or take one as it is printed.")


def _check_sizes(sizes: Sequence[tuple[Cell, float]], signs: NumberSigns) -> None:
    less = next(((name, number) for name, number in sizes if number < 0), None)
    if less:
        raise BadInput(f"A pie shows shares of a whole, and “{less[0]}” is {signs.write(f'{less[1]:,g}')}. Draw bars.")
    if len(sizes) > SLICES_MAX:
        raise BadInput(
            f"A pie of {len(sizes)} slices cannot be read: {SLICES_MAX} are told apart. Draw bars, or filter the"
            " dataset."
        )
    names = [name for name, _ in sizes]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"Several rows are called “{twice}”: sum the column up, or draw bars.")
    if not any(number for _, number in sizes):
        raise BadInput("There is nothing to divide: all of it is 0, or missing.")


def _check_whole(size: Dimension | GroupMeasure, sizes: Sequence[float], signs: NumberSigns) -> None:
    """Proportions are of a whole that is known: those of several wholes, as the accuracies of systems, are more. Each
    of a whole's may be rounded up by half a per cent: eighths are printed as eight times 13 %."""
    together, rounded = math.fsum(sizes), max(_ROUNDED, len(sizes) / 2)
    if _is_per_cent(size):
        told = f"{together:,.4g} %" if together > 100 + rounded else ""
    else:
        bare = size.column is not None and size.column.unit is None and not _is_count(size)
        fractions = bare and max(sizes) <= 1 and any(number % 1 for number in sizes)
        told = f"{together:,.4g}" if fractions and together > 1 + rounded / 100 else ""
    if told:
        raise BadInput(
            f"These are {signs.write(told)} together: as proportions they are no parts of one whole. Draw bars; or,"
            " where they are amounts, say the column's unit."
        )


def _is_per_cent(size: Dimension | GroupMeasure) -> bool:
    return size.column is not None and size.column.unit == "%" and not _is_count(size)


def _is_count(size: Dimension | GroupMeasure) -> bool:
    return isinstance(size, GroupMeasure) and size.function == "count"


def _polar(across: float, down: float, right: bool) -> tuple[float, float]:
    angle = math.atan2(across, -down)
    return (angle if right else math.tau - angle, math.hypot(across, down))


def _labels(middles: Sequence[float]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where labels stand and the dots before them: beside the middle of their slices, a line apart from each other."""
    reach = RADIUS + AWAY
    sides: dict[bool, list[int]] = {True: [], False: []}
    for at, middle in enumerate(middles):
        sides[middle < math.pi].append(at)
    found = dict[int, tuple[tuple[float, float], tuple[float, float]]]()
    for right, own in sides.items():
        own.sort(key=lambda at: -math.cos(middles[at]))
        heights = _apart([-reach * math.cos(middles[at]) for at in own])
        for at, y in zip(own, heights, strict=True):
            across = max(reach * abs(math.sin(middles[at])), math.sqrt(max(0.0, reach**2 - y**2)))
            found[at] = _polar(across, y, right), _polar(across - DOT, y, right)
    return [found[at] for at in range(len(middles))]


def _apart(heights: Sequence[float]) -> list[float]:
    """From the top on, each at least a line below the one before, and as near to where it should be as then can be:
    least squares (isotonic regression by pooling adjacent violators)."""
    pools = list[tuple[float, int]]()
    for at, height in enumerate(heights):
        mean, count = height - at * LINE, 1
        while pools and pools[-1][0] > mean:
            above, others = pools.pop()
            mean, count = (above * others + mean * count) / (others + count), others + count
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    return [mean + at * LINE for at, mean in enumerate(means)]


def _named(cell: Cell) -> Cell:
    return MISSING if cell is None else cell
