"""What a plot shows, chosen without a script: a form that asks the same page for another picture."""

from collections.abc import Sequence
from typing import Final, get_args
from urllib.parse import urlencode
from uuid import UUID

from markupsafe import Markup

from shared.domain.datasets import DatasetColumn
from shared.domain.plots import Mark, PlotAggregate, PlotChannel, PlotForm, PlotSpec
from shared.lab.notebook.markup import element, join

_MARKS: Final[dict[Mark, str]] = {
    "bar": "Bars", "line": "Lines", "point": "Points", "area": "Areas", "rect": "Heat map", "tick": "Ticks",
    "boxplot": "Box plot", "arc": "Pie",
}  # fmt: skip
_PICTURES: Final = ("png", "svg", "pdf", "json")


def chooser(dataset_id: UUID, spec: PlotSpec, columns: Sequence[DatasetColumn]) -> Markup:
    """The form, and the same plot as files; where `spec` is one by hand the files alone."""
    files = [
        element("a", kind.upper(), href=f"preview.{kind}?{urlencode(_asked(dataset_id, spec))}") for kind in _PICTURES
    ]
    parts = [element("p", "As a file: ", join([Markup(", ").join(files)]), class_="cell-note")]
    if spec.form:
        parts.insert(0, _form(dataset_id, spec.form, [one.label for one in columns]))
    return join(parts)


def _asked(dataset_id: UUID, spec: PlotSpec) -> dict[str, str]:
    return {"dataset_id": str(dataset_id), "spec": spec.model_dump_json(exclude_none=True, exclude_defaults=True)}


def _form(dataset_id: UUID, form: PlotForm, labels: Sequence[str]) -> Markup:
    named = [(label, label) for label in labels]
    y = form.y or PlotChannel(aggregate="count")
    functions = [("", "as it is"), *((one, one) for one in get_args(PlotAggregate) if one != "count")]
    fields = (
        _select("Drawn as", "mark", [*_MARKS.items()], form.mark),
        _select("X axis", "x", [("", "nothing"), *named], _field(form.x)),
        _select("Y axis", "y", [("", "number of rows"), *named], y.field or ""),
        _select("Summed up", "aggregate", functions, y.aggregate or ""),
        _select("Colour", "colour", [("", "nothing"), *named], _field(form.colour)),
    )
    hidden = element("input", type="hidden", name="dataset_id", value=str(dataset_id))
    return element("form", hidden, *fields, element("button", "Draw it"), method="get", action="preview.html")


def _field(channel: PlotChannel | None) -> str:
    return (channel.field if channel else None) or ""


def _select(label: str, name: str, options: Sequence[tuple[str, str]], chosen: str) -> Markup:
    listed = (
        element("option", said, value=value, selected="selected" if value == chosen else None)
        for value, said in options
    )
    return element("label", f"{label} ", element("select", *listed, name=name))
