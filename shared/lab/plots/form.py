"""The form's plots as Vega-Lite: both ways of declaring one are drawn by the same code."""

from collections.abc import Container
from typing import Any, Final

from shared.domain.plots import PlotChannel, PlotForm
from shared.lab.plots.vega_lite import Chart

_SORT: Final = {"ascending": "", "descending": "-"}
_STACKED: Final = ("count", "sum", "distinct")


def chart_of(form: PlotForm, numbers: Container[str] = frozenset()) -> Chart:
    """What the form declares; `numbers`: the labels of columns of numbers. Raises nothing: whether its columns exist is
    seen where they are read."""
    encoding = {name: _channel(one) for name, one in _channels(form).items()}
    if form.mark == "arc":
        slices = {"theta": encoding["y"], "color": encoding["x"]}
        slices["color"]["sort"] = None if form.sort == "name" else f"{_SORT[form.sort]}theta"
        return Chart.model_validate({"title": form.title or None, "mark": "arc", "encoding": slices})
    _sort(form, encoding)
    value = next((axis for axis in ("y", "x") if _value(form, axis)), None)
    length = value or _printed(form, numbers)
    names = (form.x if length == "y" else form.y) or PlotChannel(aggregate="count")
    apart = form.colour is not None and form.colour.field != names.field
    if form.colour and apart and form.mark == "bar" and length and not _adds_up(form, length):
        # Means do not add up, nor does what is printed, nor anything on a logarithmic axis: bars stand beside each
        # other.
        encoding["xOffset" if length == "y" else "yOffset"] = {"field": form.colour.field, "type": "nominal"}
        encoding[length]["stack"] = False
    if form.colour and form.mark in ("point", "line") and _is_group(form.colour):
        # A second sign beside the colour.
        encoding["shape" if form.mark == "point" else "strokeDash"] = {"field": form.colour.field, "type": "nominal"}
    mark: dict[str, Any] = {"type": form.mark}
    if form.mark == "line":
        mark["point"] = True
    if form.error_field:
        encoding[f"{length or 'y'}Error"] = {"field": form.error_field}
    elif form.error_bars is None or value is None:
        return Chart.model_validate({"title": form.title or None, "mark": mark, "encoding": encoding})
    # Of bars, which stand beside each other, error bars are dark.
    left_out = ("shape", "strokeDash", "color") if form.mark == "bar" else ("shape", "strokeDash")
    shown = {name: one for name, one in encoding.items() if name not in left_out}
    layers = [{"mark": mark, "encoding": encoding}]
    if value:
        shown[value] = shown[value] | {"aggregate": None}
    layers.append({"mark": {"type": "errorbar", "extent": form.error_bars}, "encoding": shown})
    return Chart.model_validate({"title": form.title or None, "layer": layers})


def _channels(form: PlotForm) -> dict[str, PlotChannel]:
    named = {"x": form.x, "y": form.y, "color": form.colour, "facet": form.facet}
    return {name: one for name, one in named.items() if one is not None}


def _channel(one: PlotChannel) -> dict[str, Any]:
    scale: dict[str, Any] = {}
    if one.scale != "linear":
        scale["type"] = one.scale
    if one.zero is not None:
        scale["zero"] = one.zero
    return {
        "field": one.field,
        "aggregate": one.aggregate,
        "bin": {"maxbins": one.bins} if one.bins else None,
        "timeUnit": one.time_unit,
        "type": "nominal" if one.category else None,
        "title": one.title,
        "scale": scale or None,
    }


def _sort(form: PlotForm, encoding: dict[str, Any]) -> None:
    if form.sort == "name":
        return
    for axis, other in (("x", "y"), ("y", "x")):
        if axis in encoding and not _value(form, axis):
            encoding[axis]["sort"] = _SORT[form.sort] + other


def _value(form: PlotForm, axis: str) -> str | None:
    channel = form.x if axis == "x" else form.y
    return channel.aggregate if channel else None


def _adds_up(form: PlotForm, axis: str) -> bool:
    channel = form.x if axis == "x" else form.y
    return channel is not None and channel.aggregate in _STACKED and channel.scale != "log"


def _printed(form: PlotForm, numbers: Container[str]) -> str | None:
    """The axis that shows numbers as they are."""
    for axis, one in (("y", form.y), ("x", form.x)):
        if one and one.field is not None and one.field in numbers and not (one.bins or one.category):
            return axis
    return None


def _is_group(channel: PlotChannel) -> bool:
    return channel.aggregate is None and channel.bins is None
