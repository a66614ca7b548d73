"""The specification that is drawn: ours from end to end, with the data inside."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from shared.domain.datasets import Cell, DatasetColumn, json_cell
from shared.domain.plots import PANELS_MAX
from shared.errors import BadInput
from shared.lab.plots.frames import (
    COUNT,
    ERRORS,
    Dimension,
    DrawnLayer,
    Framing,
    GroupMeasure,
    PlotFrame,
    decimals_field,
    decimals_of,
)
from shared.lab.plots.marks import is_drawn, is_log, is_open, limits, number_of
from shared.lab.plots.orders import MISSING, order_of
from shared.lab.plots.pies import SHARE, TOLD, is_pie, pie_parts, slices_of
from shared.lab.plots.titles import FUNCTIONS, extent_title, title_of, with_unit
from shared.lab.plots.trends import Trend, trend_layer
from shared.lab.plots.vega_lite import SCHEMA, Chart

WIDTH, HEIGHT = 560, 320
PANEL_WIDTH, PANEL_HEIGHT = 220, 180
_FACETS: Final = ("row", "column", "facet")
_POSITIONS: Final = ("x", "y")
_OFFSETS: Final = {"x": "xOffset", "y": "yOffset"}
# So many letters stand beside each other below an axis.
_FLAT: Final = 60
# So many marks stand on an axis of months or years, each so many months behind the one before.
TICKS: Final = 8
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


def compose(chart: Chart, framing: Framing, alt: str, *, apart: bool, trends: Sequence[Trend] = ()) -> dict[str, Any]:
    """A Vega-Lite specification. Every mark's datum has its number as `mark`. `apart`: bars of rows that have a name in
    common stand beside each other; a specification by hand says itself what they do. `trends` stand above all."""
    places = [bars_beside(drawn, framing) if apart else [] for drawn in framing.layers]
    for at, drawn in enumerate(framing.layers):
        if drawn.error and drawn.mark.type == "errorbar":  # where its bar is
            bars = (own for own, one in zip(places, framing.layers, strict=True) if one.frame == drawn.frame)
            places[at] = next(filter(None, bars), [])
    values = list(_values(framing.frames, framing.layers, places))
    slices = slices_of(framing)
    values = [one | slices[place].datum if place in slices else one for place, one in enumerate(values)]
    facets = _facets(framing)
    layers = [
        part for drawn, own in zip(framing.layers, places, strict=True) for part in _parts(drawn, framing, bool(own))
    ]
    if trends:
        layers.append(trend_layer(trends, framing, layers[0]["encoding"]))
    spec: dict[str, Any] = {"$schema": SCHEMA, "description": alt, "data": {"values": values}}
    if chart.title:
        spec["title"] = {"text": chart.title}
    size = (PANEL_WIDTH, PANEL_HEIGHT) if facets else (WIDTH, HEIGHT)
    inner: dict[str, Any] = {"width": chart.width or size[0], "height": chart.height or size[1]}
    inner |= {"layer": layers} if len(layers) > 1 else layers[0]
    if not facets:
        return spec | inner
    if "facet" in facets:
        spec |= {"facet": facets["facet"], "columns": 3}
    else:
        spec["facet"] = facets
    return spec | {"spec": inner}


def bars_beside(drawn: DrawnLayer, framing: Framing) -> list[str]:
    """Of bars of printed numbers, by the rows of their frame, where each stands among those of its name: on each other
    they would be as long as a sum that nobody printed. Empty where no two have a name in common."""
    frame, names = framing.frames[drawn.frame], _axis_of_names(drawn)
    if frame.grouped or drawn.mark.type != "bar" or names is None:
        return []
    offset = drawn.shown.get(_OFFSETS[names])
    order = {one: at for at, one in enumerate(order_of(_OFFSETS[names], drawn, framing))} if offset else {}
    together = [drawn.shown[name].name for name in (names, *_FACETS) if name in drawn.shown]
    seen: Counter[tuple[Cell, ...]] = Counter()
    places: list[str] = []
    for row in frame.rows:
        own = row[offset.name] if offset else None
        key = (*(row[name] for name in together), own)
        places.append(f"{order.get(MISSING if own is None else own, 0):05}.{seen[key]:05}")
        seen[key] += is_drawn(drawn, row)
    return places if any(count > 1 for count in seen.values()) else []


def _axis_of_names(drawn: DrawnLayer) -> str | None:
    """The one whose names bars stand at; None where the other has no numbers."""
    kinds = {axis: drawn.types.get(axis) for axis in _POSITIONS}
    named = [axis for axis, kind in kinds.items() if kind in ("nominal", "ordinal")]
    return named[0] if len(named) == 1 and "quantitative" in kinds.values() else None


def _values(
    frames: Sequence[PlotFrame], layers: Sequence[DrawnLayer], places: Sequence[Sequence[str]]
) -> Iterable[dict[str, Cell]]:
    for at, frame in enumerate(frames):
        own = [one for one in layers if one.frame == at]
        named = {
            one.name for drawn in own for c, one in drawn.shown.items() if drawn.types[c] in ("nominal", "ordinal")
        }
        bins = [one for one in frame.dimensions if one.kind == "bin"]
        for place, row in enumerate(frame.rows):
            value: dict[str, Cell] = {
                name: (MISSING if cell is None else json_cell(cell)) if name in named else cell
                for name, cell in row.items()
            }
            for one in bins:
                start = number_of(row[one.name])
                if start is not None:
                    value[f"{one.name}_end"] = round(start + one.step, 12)
                    value[f"{one.name}_mid"] = round(start + one.step / 2, 12)
            for which, drawn in enumerate(own):
                at_layer = layers.index(own[which])
                value[f"drawn{at_layer}"] = is_drawn(drawn, row)
                if beside := places[at_layer]:
                    value[f"place{at_layer}"] = beside[place]
                if drawn.mark.type == "errorbar" and (reach := limits(drawn, row)):
                    value |= (
                        {"high": reach[1], "open": True} if is_open(drawn, row) else {"low": reach[0], "high": reach[1]}
                    )
            yield value | {"mark": frame.first + place, "frame": at}


def _facets(framing: Framing) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for drawn in framing.layers:
        for name in _FACETS:
            if name in drawn.shown:
                part = drawn.shown[name]
                panels = {row[part.name] for frame in framing.frames for row in frame.rows if part.name in row}
                if len(panels) > PANELS_MAX:
                    raise BadInput(
                        f"“{title_of(part)}” would make {len(panels)} panels; {PANELS_MAX} are drawn at most."
                        " Filter the dataset, or divide by another column."
                    )
                title = title_of(part, drawn.channels[name].title)
                found[name] = {"field": part.name, "type": drawn.types[name], "title": title}
                if form := _number_labels(part, [*panels], framing):
                    found[name]["header"] = form
    missing = [name for name in found for drawn in framing.layers if name not in drawn.shown]
    if missing or ("facet" in found and len(found) > 1):
        raise BadInput("All layers need the same panels: put row, column or facet into the encoding that they share.")
    return found


def _parts(drawn: DrawnLayer, framing: Framing, beside: bool) -> list[dict[str, Any]]:
    """The marks of a layer: error bars and boxes are several."""
    at = framing.layers.index(drawn)
    mine = {"and": [{"field": "frame", "equal": drawn.frame}, {"field": f"drawn{at}", "equal": True}]}
    printed = [_printed(name) for name in _mixed(drawn, framing)]
    keep: dict[str, Any] = {"transform": [{"filter": mine}, *printed]}
    encoding = {name: _encoded(name, drawn, framing) for name in drawn.channels if name not in (*_FACETS, *ERRORS)}
    for axis in _POSITIONS:
        part = drawn.shown.get(axis)
        if isinstance(part, Dimension) and part.kind == "bin" and drawn.mark.type in ("bar", "rect", "rule"):
            encoding[f"{axis}2"] = {"field": f"{part.name}_end"}
    tooltip = _tooltip(drawn, framing)
    names = _axis_of_names(drawn)
    if beside and names:
        encoding[_OFFSETS[names]] = {"field": f"place{at}", "type": "nominal", "scale": {"paddingInner": 0.05}}
        encoding["y" if names == "x" else "x"]["stack"] = None
    if drawn.mark.type == "errorbar":
        open_ended = any(is_open(drawn, row) for row in framing.frames[drawn.frame].rows)
        return [
            keep | one | {"transform": keep["transform"] + one.get("transform", [])}
            for one in _error_bars(drawn, encoding, tooltip, open_ended)
        ]
    if drawn.mark.type == "boxplot":
        return [keep | one for one in _boxes(drawn, encoding, tooltip)]
    if is_pie(drawn):
        tooltip.append({"field": SHARE, "type": "nominal", "title": "Share"})
        keep["transform"].append(TOLD)
    if printed or is_pie(drawn):
        keep["transform"].append(_described(tooltip))
        encoding["description"] = {"field": "described", "type": "nominal"}
    mark = drawn.mark.model_dump(by_alias=True, exclude_none=True, exclude={"extent"}) | {"cursor": "pointer"}
    if is_pie(drawn):
        return [
            keep | one | {"transform": keep["transform"] + one.get("transform", [])}
            for one in pie_parts(mark, encoding["color"], tooltip)
        ]
    return [keep | {"mark": mark, "encoding": encoding | {"tooltip": tooltip}}]


def _encoded(name: str, drawn: DrawnLayer, framing: Framing) -> dict[str, Any]:
    channel = drawn.channels[name]
    # Null takes an axis or a legend away.
    guides: dict[str, Any] = {
        guide: None if part is None else part.model_dump(by_alias=True, exclude_none=True)
        for guide, part in (("axis", channel.axis), ("legend", channel.legend))
        if guide in channel.model_fields_set
    }
    scale = channel.scale.model_dump(by_alias=True, exclude_none=True) if channel.scale else {}
    if channel.value is not None:
        return {"value": channel.value}
    if channel.datum is not None:
        return {"datum": channel.datum} | guides
    part, kind = drawn.shown[name], drawn.types[name]
    found: dict[str, Any] = {"field": part.name, "type": kind, "title": title_of(part, channel.title)}
    if isinstance(part, Dimension) and part.kind == "bin":
        if drawn.mark.type in ("bar", "rect", "rule") and name in _POSITIONS:
            found["bin"] = {"binned": True, "step": part.step}
        else:
            found["field"] = f"{part.name}_mid"
    if kind == "temporal":
        scale["type"] = "utc"
        if name in _POSITIONS:
            guides["axis"] = _with_own(_time_axis(part, framing), guides.get("axis", {}))
    if (least := _foot(name, framing)) and "domain" not in scale:
        scale = {"nice": True} | scale | {"domainMin": least}
    if scale:
        found["scale"] = scale
    if channel.stack is not None:
        found["stack"] = None if channel.stack is False else channel.stack
    elif is_log(drawn, name) and drawn.mark.type in ("bar", "area"):
        # A stack begins at 0, which the axis has not: nothing at all would be drawn.
        found["stack"] = None
    if kind in ("nominal", "ordinal"):
        found["sort"] = order_of(name, drawn, framing)
        form = _number_labels(part, found["sort"], framing)
        if name in _POSITIONS:
            guides["axis"] = _with_own(_band_axis(name, found["sort"]) | form, guides.get("axis", {}))
        elif form:
            guides["legend"] = _with_own(form, guides.get("legend", {}))
    color = drawn.shown.get("color")
    if name in ("shape", "strokeDash") and color and color.name == part.name:
        # One legend for both signs, where they can share one.
        found |= {"type": drawn.types["color"]} if name == "shape" else {"legend": None}
    shape = drawn.shown.get("shape")
    if name in ("color", "shape") and color and shape and color.name == shape.name and "sort" in found:
        # Vega-Lite sorts each channel by a field of its own, and legends of different domains stand apart.
        found["scale"] = {"domain": found["sort"]} | scale
    if name in ("xOffset", "yOffset"):
        found.pop("title")
    return found | guides


def _foot(axis: str, framing: Framing) -> float | None:
    """Where bars and areas begin on a logarithmic axis: a power of ten below all that is drawn, as one that begins at
    its own number has no length. None where there are none."""
    if not any(one.mark.type in ("bar", "area") and axis in one.shown and is_log(one, axis) for one in framing.layers):
        return None
    sizes = list[float]()
    for drawn in framing.layers:
        for row in framing.frames[drawn.frame].rows:
            if axis in drawn.shown and is_drawn(drawn, row) and (size := number_of(row.get(drawn.shown[axis].name))):
                reach = limits(drawn, row) if drawn.mark.type == "errorbar" else None
                sizes += [size, *((reach[0],) if reach and reach[0] > 0 else ())]
    return 10.0 ** (math.ceil(math.log10(min(sizes))) - 1) if sizes else None


def _with_own(ours: dict[str, Any], own: dict[str, Any] | None) -> dict[str, Any] | None:
    """A guide with what its specification says of it, whose format holds for all of its labels."""
    if own is None:
        return None
    return {name: one for name, one in ours.items() if name != "labelExpr" or "format" not in own} | own


def _number_labels(part: Dimension | GroupMeasure, categories: Sequence[Cell], framing: Framing) -> dict[str, Any]:
    """How a guide writes names that are numbers: each as it is printed, where it is so in one way."""
    if form := _number_format(part, categories):
        return form
    printed: dict[float, set[int | None]] = {}
    for frame in framing.frames:
        for row in frame.rows:
            if (value := number_of(row.get(part.name))) is not None:
                printed.setdefault(value, set()).add(decimals_of(part, row))
    alike: dict[int, list[float]] = {}
    for value, found in sorted(printed.items()):
        if len(found) == 1 and (decimals := found.pop()) is not None:
            alike.setdefault(decimals, []).append(value)
    label = "datum.label"
    for decimals, values in sorted(alike.items()):
        label = f"indexof({json.dumps(values)}, datum.value) >= 0 ? format(datum.value, '.{decimals}f') : {label}"
    return {"labelExpr": label} if alike else {}


def _number_format(part: Dimension | GroupMeasure, categories: Sequence[Cell]) -> dict[str, Any]:
    """How numbers that are printed alike are written, where all of the names are numbers."""
    if part.decimals is None or not all(isinstance(one, int | float) for one in categories):
        return {}
    return {"format": f".{part.decimals}f", "formatType": "number"}


def _band_axis(name: str, categories: Sequence[Cell]) -> dict[str, Any]:
    """Names lie flat where they have room; numbers are written as everywhere."""
    axis: dict[str, Any] = {}
    if categories and all(isinstance(one, (int, float)) for one in categories):
        axis |= {"format": "~f", "formatType": "number"}
    if name == "x":
        longest = max((len(str(one)) for one in categories), default=0)
        axis["labelAngle"] = 0 if longest * len(categories) <= _FLAT else -40
    return axis


def _time_axis(part: Dimension | GroupMeasure, framing: Framing) -> dict[str, Any]:
    """Of months and years one mark for each, or for each second, third …, with its year; the labels at the ends do not
    move onto their neighbours."""
    axis: dict[str, Any] = {"labelFlush": False, "labelOverlap": "parity", "labelSeparation": 8}
    unit = part.unit if isinstance(part, Dimension) and part.kind == "time" else None
    shown = [str(day) for frame in framing.frames for row in frame.rows if (day := row.get(part.name))]
    if unit not in ("year", "yearmonth") or not shown:
        return axis
    first, last = (12 * int(day[:4]) + int(day[5:7]) for day in (min(shown), max(shown)))
    steps = [one for one in _MONTHS if unit == "yearmonth" or one >= 12]
    step = next((one for one in steps if last - first < TICKS * one), steps[-1])
    interval = ("month", step) if step < 12 else ("year", step // 12)
    axis["tickCount"] = dict(zip(("interval", "step"), interval, strict=True))
    return axis | {"format": "%b %Y" if unit == "yearmonth" else "%Y"}


def _tooltip(drawn: DrawnLayer, framing: Framing) -> list[dict[str, Any]]:
    told: dict[str, dict[str, Any]] = {}
    named = {part.name for name, part in drawn.shown.items() if drawn.types[name] in ("nominal", "ordinal")}
    for name, part in drawn.shown.items():
        binned = isinstance(part, Dimension) and part.kind == "bin"
        title = title_of(part, drawn.channels[name].title)
        told.setdefault(
            part.name, {"field": part.name, "type": drawn.types[name], "title": f"{title}, from" if binned else title}
        )
        values = [row.get(part.name) for row in framing.frames[drawn.frame].rows]
        # Among names what is missing is one of them; elsewhere it is not drawn.
        told[part.name] |= _number_format(part, [one for one in values if one is not None or part.name in named])
        if part.name in _mixed(drawn, framing):
            told[part.name] |= {"field": f"{part.name}_printed", "type": "nominal"}
        if binned:
            told.setdefault(f"{part.name}_end", {"field": f"{part.name}_end", "type": "quantitative", "title": "to"})
    if drawn.mark.type == "errorbar":
        told["low"] = {"field": "low", "type": "quantitative", "title": f"{extent_title(drawn)}, from"}
        told["high"] = {"field": "high", "type": "quantitative", "title": "to"}
    if drawn.mark.type == "boxplot":
        measure = cast(GroupMeasure, drawn.shown[cast(str, drawn.value)])
        for one in ("max", "q3", "median", "q1", "min"):
            told[f"{measure.source}_{one}"] = {
                "field": f"{measure.source}_{one}",
                "type": "quantitative",
                "title": FUNCTIONS[one],
            }
    if any(isinstance(one, GroupMeasure) for one in drawn.shown.values()):
        told[COUNT] = {"field": COUNT, "type": "quantitative", "title": "Rows behind it"}
    return list(told.values())


def _mixed(drawn: DrawnLayer, framing: Framing) -> list[str]:
    """What of a layer is printed with different decimals."""
    return sorted({part.name for part in drawn.shown.values()} & framing.frames[drawn.frame].mixed)


def _printed(name: str) -> dict[str, str]:
    """Writes a number with the decimals of its own."""
    value, decimals = f"datum.{name}", f"datum.{decimals_field(name)}"
    form = f"isNumber({decimals}) ? '.' + {decimals} + 'f' : ''"
    return {"calculate": f"isNumber({value}) ? format({value}, {form}) : {value}", "as": f"{name}_printed"}


def _described(told: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Says of a mark what its tooltip does, to those who cannot see it: by itself Vega would leave decimals away."""
    return {"calculate": " + '; ' + ".join(map(_said, told)), "as": "described"}


def _said(one: dict[str, Any]) -> str:
    value = f"datum.{one['field']}"
    if one["type"] == "temporal":
        value = f"utcFormat(toDate({value}), '%b %d, %Y')"
    form = one.get("format", "")
    return f"{json.dumps(one['title'] + ': ')} + (isNumber({value}) ? format({value}, '{form}') : {value})"


def _error_bars(drawn: DrawnLayer, encoding: dict[str, Any], tooltip: Any, open_ended: bool) -> list[dict[str, Any]]:
    """A rule between two caps. `open_ended`: some reach beyond the lower end of a logarithmic axis and have one."""
    axis = cast(str, drawn.value)
    looks = drawn.mark.model_dump(by_alias=True, exclude_none=True, include={"color", "opacity", "stroke_width"})
    title = {name: encoding[axis][name] for name in ("title", "scale", "axis") if name in encoding[axis]}
    low, high = ({"field": end, "type": "quantitative"} | title for end in ("low", "high"))
    rest = encoding | {"tooltip": tooltip}
    across = "horizontal" if axis == "y" else "vertical"
    cap = {"type": "tick", "size": 9, "thickness": 1.5, "orient": across, "style": "cap", "cursor": "pointer"} | looks
    rule = {"type": "rule", "strokeWidth": 1.5, "cursor": "pointer"} | looks
    whole = [
        {"mark": rule, "encoding": rest | {axis: low, f"{axis}2": {"field": "high"}}},
        {"mark": cap, "encoding": rest | {axis: low}},
    ]
    upper = {"mark": cap, "encoding": rest | {axis: high}}
    if not open_ended:
        return [*whole, upper]
    opened: dict[str, Any] = {"field": "open", "equal": True}
    scale = drawn.channels[axis].scale
    start, end = (0, "width") if axis == "x" else ("height", 0)
    edge = {"value": end if scale and scale.reverse else start}
    beyond = {"mark": rule, "encoding": rest | {axis: high, f"{axis}2": edge}, "transform": [{"filter": opened}]}
    return [*(one | {"transform": [{"filter": {"not": opened}}]} for one in whole), beyond, upper]


def _boxes(drawn: DrawnLayer, encoding: dict[str, Any], tooltip: Any) -> list[dict[str, Any]]:
    """Whiskers reach from the least to the greatest value."""
    axis = cast(str, drawn.value)
    measure = cast(GroupMeasure, drawn.shown[axis])
    title = with_unit(cast(DatasetColumn, measure.column))
    own = {name: encoding[axis][name] for name in ("scale", "axis") if name in encoding[axis]}

    def at(function: str) -> dict[str, Any]:
        given = drawn.channels[axis].title
        scale = {"scale": {"zero": False} | own.get("scale", {})}
        return {"field": f"{measure.source}_{function}", "type": "quantitative", "title": given or title} | own | scale

    def until(function: str) -> dict[str, Any]:
        return {f"{axis}2": {"field": f"{measure.source}_{function}"}}

    rest = encoding | {"tooltip": tooltip}
    middle = {
        "type": "tick",
        "thickness": 2,
        "size": 26,
        "orient": "horizontal" if axis == "y" else "vertical",
        "color": "white",
        "cursor": "pointer",
    }
    plain = {name: one for name, one in rest.items() if name != "color"}
    return [
        {"mark": {"type": "rule", "cursor": "pointer"}, "encoding": rest | {axis: at("min")} | until("max")},
        {"mark": {"type": "bar", "size": 26, "cursor": "pointer"}, "encoding": rest | {axis: at("q1")} | until("q3")},
        {"mark": middle, "encoding": plain | {axis: at("median")}},
    ]
