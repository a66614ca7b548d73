"""The part of Vega-Lite (versions 5, 6) that is drawn: a closed list, in which nothing reads, links, loads or computes.

What is not named here is refused: `data`, `transform`, `params`, expressions and signals, links and images. Columns are
named by their labels; what a channel aggregates or bins is computed before anything is drawn.
https://vega.github.io/vega-lite/docs/
"""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from shared.domain.plots import SPEC_BYTES_MAX, ErrorBars, PlotAggregate, ScaleType, TimeUnit
from shared.errors import BadInput

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
SCHEMAS: Final = re.compile(r"https?://vega\.github\.io/schema/vega-lite/v[56](?:\.\d{1,3}){0,2}\.json")
LAYERS_MAX: Final = 6
MarkType = Literal[
    "bar", "line", "point", "circle", "square", "area", "rect", "tick", "rule", "boxplot", "errorbar", "arc"
]
FieldType = Literal["quantitative", "temporal", "nominal", "ordinal"]
# Those of Vega that colour-blind readers tell apart, and black and white printers.
Scheme = Literal["viridis", "cividis", "magma", "inferno", "plasma", "blues", "greys", "blueorange", "purpleorange"]
Text = Annotated[str, Field(max_length=200)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", description="as #rrggbb")]
Format = Annotated[str, Field(pattern=r"^[-+ ,.$~%0-9a-zA-Z]{1,16}$", description="of d3-format or d3-time-format")]
Share = Annotated[float, Field(ge=0, le=1)]
_REASONS: Final = {
    "data": "A plot draws its dataset. Leave data out.",
    "datasets": "A plot draws its dataset. Leave datasets out.",
    "transform": "Data are prepared by the dataset's steps. Leave transform out.",
    "hconcat": "Plots beside each other are not drawn. Make one plot of each, or panels by column or facet.",
    "vconcat": "Plots below each other are not drawn. Make one plot of each, or panels by row or facet.",
    "concat": "Several plots in one are not drawn. Make one plot of each, or panels by facet.",
    "repeat": "Repeated plots are not drawn. Make one plot of each, or layers.",
    "spec": "Panels are channels of the encoding: row, column or facet. Leave spec out.",
    "params": "Selections and parameters are not taken. Leave params out.",
    "config": "Colours and fonts are the theme's. Leave config out.",
    "usermeta": "It would set options of the page. Leave usermeta out.",
    "href": "Marks lead to the cells behind them. Leave href out.",
    "url": "Pictures from elsewhere are not loaded. Leave url out.",
    "expr": "Expressions are not taken. Derive a column in the dataset.",
    "signal": "Signals are not taken. Derive a column in the dataset.",
}


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True, allow_inf_nan=False
    )


class Axis(_Part):
    title: Text | None = None
    format: Format | None = None
    grid: bool | None = None
    labels: bool | None = None
    ticks: bool | None = None
    label_angle: float | None = Field(default=None, ge=-360, le=360)
    tick_count: int | None = Field(default=None, ge=0, le=100)


class Legend(_Part):
    title: Text | None = None
    format: Format | None = None
    orient: Literal["left", "right", "top", "bottom"] | None = None
    columns: int | None = Field(default=None, ge=1, le=20)


class AxisScale(_Part):
    type: ScaleType | None = None
    zero: bool | None = None
    nice: bool | None = None
    reverse: bool | None = None
    domain: Annotated[list[float | Text], Field(min_length=2, max_length=100)] | None = None
    scheme: Scheme | None = None


class Bin(_Part):
    maxbins: int | None = Field(default=None, ge=2, le=200)
    step: float | None = Field(default=None, gt=0)


class EncodingChannel(_Part):
    """A channel of an encoding, by a column, an aggregate or a constant."""

    field: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    type: FieldType | None = None
    aggregate: PlotAggregate | Literal["average"] | None = None
    bin: bool | Bin | None = None
    time_unit: TimeUnit | None = None
    title: Text | None = None
    axis: Axis | None = None
    legend: Legend | None = None
    scale: AxisScale | None = None
    sort: Literal["ascending", "descending", "x", "y", "theta", "-x", "-y", "-theta"] | list[Text] | None = None
    stack: bool | Literal["zero", "normalize", "center"] | None = None
    datum: float | Text | None = None
    value: float | Colour | None = None

    @model_validator(mode="after")
    def _shows_something(self) -> "EncodingChannel":
        if self.field is None and self.aggregate != "count" and self.is_column:
            raise ValueError("name a field, the aggregate count, a datum or a value")
        if self.aggregate and (self.bin or self.time_unit):
            raise ValueError("an aggregate has neither bin nor timeUnit: they belong to what it is grouped by")
        return self

    @property
    def is_column(self) -> bool:
        return self.datum is None and self.value is None

    @property
    def function(self) -> PlotAggregate | None:
        return "mean" if self.aggregate == "average" else self.aggregate


class _Tooltip(_Part):
    """Taken, and left out: whatever is shown stands in the tooltip by itself."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Encoding(_Part):
    x: EncodingChannel | None = None
    y: EncodingChannel | None = None
    theta: EncodingChannel | None = None
    color: EncodingChannel | None = None
    shape: EncodingChannel | None = None
    size: EncodingChannel | None = None
    opacity: EncodingChannel | None = None
    stroke_dash: EncodingChannel | None = None
    x_offset: EncodingChannel | None = None
    y_offset: EncodingChannel | None = None
    x_error: EncodingChannel | None = None
    y_error: EncodingChannel | None = None
    row: EncodingChannel | None = None
    column: EncodingChannel | None = None
    facet: EncodingChannel | None = None
    tooltip: Annotated[_Tooltip | list[_Tooltip] | None, Field(exclude=True)] = None

    def channels(self) -> dict[str, EncodingChannel]:
        """Those that are there, by their names in Vega-Lite."""
        named = ((to_camel(name), getattr(self, name)) for name in type(self).model_fields if name != "tooltip")
        return {name: channel for name, channel in named if channel is not None}


class MarkDefinition(_Part):
    """A mark and how it looks; `extent` is of error bars alone."""

    type: MarkType
    extent: ErrorBars | None = None
    color: Colour | None = None
    filled: bool | None = None
    point: bool | None = None
    opacity: Share | None = None
    size: float | None = Field(default=None, ge=0, le=10_000)
    stroke_width: float | None = Field(default=None, ge=0, le=20)
    corner_radius: float | None = Field(default=None, ge=0, le=50)
    interpolate: Literal["linear", "monotone", "step", "step-before", "step-after"] | None = None
    tooltip: Annotated[bool | _Tooltip | None, Field(exclude=True, description="left out: there is one")] = None


class Layer(_Part):
    mark: MarkDefinition | MarkType
    encoding: Encoding = Encoding()

    @property
    def definition(self) -> MarkDefinition:
        return self.mark if isinstance(self.mark, MarkDefinition) else MarkDefinition(type=self.mark)


class Chart(_Part):
    """A plot: one mark, or layers that share `encoding` where they do not say otherwise."""

    schema_: Annotated[str | None, Field(pattern=f"^{SCHEMAS.pattern}$")] = Field(default=None, alias="$schema")
    title: Text | None = None
    width: int | None = Field(default=None, ge=20, le=2_000)
    height: int | None = Field(default=None, ge=20, le=2_000)
    mark: MarkDefinition | MarkType | None = None
    encoding: Encoding = Encoding()
    layer: Annotated[list[Layer], Field(min_length=1, max_length=LAYERS_MAX)] | None = None

    @model_validator(mode="after")
    def _draws_something(self) -> "Chart":
        if (self.mark is None) == (self.layer is None):
            raise ValueError("give either mark, such as bar, or layer")
        return self

    def layers(self) -> list[Layer]:
        """With what they share written out."""
        if self.mark is not None:
            return [Layer(mark=self.mark, encoding=self.encoding)]
        shared = self.encoding.channels()
        return [
            one.model_copy(update={"encoding": Encoding.model_validate(shared | one.encoding.channels())})
            for one in self.layer or []
        ]


def read_chart(given: dict[str, Any]) -> Chart:
    """Raises BadInput that says what is not taken, where it stands and what to do."""
    if len(json.dumps(given)) > SPEC_BYTES_MAX:
        raise BadInput(f"The specification is longer than {SPEC_BYTES_MAX:,} bytes. Data do not belong into it.")
    try:
        return Chart.model_validate(given)
    except ValidationError as error:
        wrong = _meant(error.errors(include_url=False, include_input=False, include_context=False))
        raise BadInput(
            "The Vega-Lite specification is not drawn: " + "; ".join(_said(one) for one in wrong[:3])
        ) from None


def _meant(wrong: Sequence[Any]) -> list[Any]:
    """What is not taken alone, where there is such; else without what pydantic says of the kinds that were not meant: a
    mark that is an object is no name of one, and a name is no object."""
    foreign = [one for one in wrong if one["type"] == "extra_forbidden"]
    if foreign:
        return foreign
    objects = {loc[:at] for loc in (one["loc"] for one in wrong) if (at := _variant(loc)) + 1 < len(loc)}
    return [
        one
        for one in wrong
        if one["type"] != "model_type"
        and (one["loc"][: (at := _variant(one["loc"]))] not in objects or at + 1 < len(one["loc"]))
    ] or [*wrong]


def _variant(loc: Sequence[str | int]) -> int:
    """Where a place names the member of a union that was tried; the place's length where it does not."""
    return next((at for at, part in enumerate(loc) if _is_variant(part)), len(loc))


def _said(wrong: Any) -> str:
    place = [str(part) for part in wrong["loc"] if not _is_variant(part)]
    where, name = ".".join(place)[:200], place[-1] if place else ""
    if wrong["type"] == "extra_forbidden":
        return f"{where} is not taken. {_REASONS.get(name, 'Leave it out.')}"
    if name == "$schema":
        return "$schema: versions 5 and 6 of Vega-Lite are drawn. Name one of them, or leave it out."
    return f"{where}: {wrong['msg']}" if where else str(wrong["msg"]).removeprefix("Value error, ")


def _is_variant(part: Sequence[str] | int) -> bool:
    """What pydantic calls the member of a union that it tried; no place in the specification."""
    return isinstance(part, str) and (part in _VARIANTS or "[" in part)


_VARIANTS: Final = {"MarkDefinition", "Bin", "bool", "float", "str", "literal"}
