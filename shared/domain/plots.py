"""Plots: what is drawn of a dataset, as people declare it, and what comes of it."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from shared.domain.closed import Closed
from shared.domain.datasets import JsonCell, Name, SourceCell

# More than a screen has room for; each is an element of the page.
MARKS_MAX: Final = 5_000
PANELS_MAX: Final = 24
# Of what is computed so many digits are shown in the table beside a plot.
DIGITS: Final = 6
# A specification by hand, as JSON.
SPEC_BYTES_MAX: Final = 64_000

Mark = Literal["bar", "line", "point", "area", "rect", "tick", "boxplot", "arc"]
PlotAggregate = Literal["count", "distinct", "sum", "mean", "median", "min", "max", "stdev", "stderr", "q1", "q3"]
TimeUnit = Literal["year", "yearmonth", "yearmonthdate"]
ScaleType = Literal["linear", "log", "sqrt", "symlog"]
ErrorBars = Literal["stderr", "stdev", "ci"]
Trend = Literal["linear"]
Theme = Literal["light", "dark"]
FileForm = Literal["png", "svg", "pdf", "json", "html"]
_Title = Annotated[str, Field(max_length=200)]
_Label = Annotated[str, Field(min_length=1, max_length=300)]


class PlotChannel(Closed):
    """What an axis, the colour or the panels show: a column by its label, or an aggregate of it; `count` needs none.
    `bins`: numbers fall into at most so many intervals. `category`: numbers are names of groups."""

    field: _Label | None = None
    aggregate: PlotAggregate | None = None
    bins: int | None = Field(default=None, ge=2, le=200)
    time_unit: TimeUnit | None = None
    category: bool = False
    scale: ScaleType = "linear"
    zero: bool | None = Field(default=None, description="whether the axis begins at 0; else as the mark asks")
    title: _Title | None = Field(default=None, description="else the column's label with its unit")

    @model_validator(mode="after")
    def _names_something(self) -> "PlotChannel":
        if self.field is None and self.aggregate != "count":
            raise ValueError("name a field, or the aggregate count")
        if self.aggregate and (self.bins or self.time_unit):
            raise ValueError("an aggregate has neither bins nor a unit of time: they belong to what it is grouped by")
        return self


class PlotForm(Closed):
    """A plot as the form declares it. `sort`: the order of categories, by their name or by the other axis' value;
    `error_bars` stand around a mean: its standard error, the standard deviation, or its 95 % confidence interval
    (Student's t); around numbers as they are printed, `error_field` is the column that says how far they reach to
    both sides. An `arc` is a pie: `x` names its slices, `y` says how large they are."""

    mark: Mark
    x: PlotChannel | None = None
    y: PlotChannel | None = None
    colour: PlotChannel | None = None
    facet: PlotChannel | None = None
    error_bars: ErrorBars | None = None
    error_field: _Label | None = None
    trend: Trend | None = Field(default=None, description="a straight line of least squares through points")
    sort: Literal["name", "ascending", "descending"] = "name"
    title: _Title = ""

    @model_validator(mode="after")
    def _has_an_axis(self) -> "PlotForm":
        if self.x is None and self.y is None:
            raise ValueError("name what stands on the x axis or on the y axis")
        if self.error_bars and not any(axis and axis.aggregate == "mean" for axis in (self.x, self.y)):
            raise ValueError("error bars stand around a mean: give an axis the aggregate mean")
        if self.error_field and (self.error_bars or any(axis and axis.aggregate for axis in (self.x, self.y))):
            raise ValueError("a column of errors belongs to numbers as they are printed: leave the aggregate out")
        if (self.error_bars or self.error_field) and self.mark not in ("bar", "line", "point"):
            raise ValueError("error bars stand on bars, lines and points")
        if self.trend and (
            self.mark != "point" or self.facet or any(a is None or a.aggregate for a in (self.x, self.y))
        ):
            raise ValueError("a trend goes through points with a number on each axis, as printed, and not in panels")
        if self.mark == "arc" and (self.x is None or self.y is None or self.colour or self.facet):
            raise ValueError("a pie has `x`, what its slices are called, and `y`, how large they are, and nothing else")
        return self


class PlotSpec(Closed):
    """One of the two: the form, or a Vega-Lite specification by hand, without data."""

    form: PlotForm | None = None
    vega_lite: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> "PlotSpec":
        if (self.form is None) == (self.vega_lite is None):
            raise ValueError("give either form or vega_lite")
        return self


class PlotPreview(Closed):
    """What to draw, without keeping it."""

    dataset_id: UUID
    spec: PlotSpec | None = Field(default=None, description="else the first number by the first name")


class PlotQuery(Closed):
    """What to draw, without keeping it, as an address or a form of HTML says it: `spec`, or `mark` with labels of
    columns, of which an empty one is none; else the first number by the first name. Without `y` rows are counted."""

    dataset_id: UUID
    spec: str = Field(default="", max_length=SPEC_BYTES_MAX, description='`{"form": …}` or `{"vega_lite": …}`, as JSON')
    mark: Mark | None = None
    x: str = Field(default="", max_length=300)
    y: str = Field(default="", max_length=300)
    aggregate: PlotAggregate | Literal[""] = Field(default="", description="how `y` is summed up")
    colour: str = Field(default="", max_length=300)
    theme: Theme = "light"
    locale: str | None = Field(
        default=None, max_length=20, description="how numbers are written; else as Accept-Language says"
    )


class NewPlot(Closed):
    """A plot to keep."""

    dataset_id: UUID
    spec: PlotSpec
    name: Name | None = Field(default=None, description="else after what it shows")


class PlotChange(Closed):
    """Another name, or another specification; what is left out stays. `redraw`: it is drawn from the dataset as that is
    now, which it keeps in mind."""

    name: Name | None = None
    spec: PlotSpec | None = None
    redraw: bool = False


class MarkOfPreview(PlotPreview):
    """A mark of what was drawn without keeping it."""

    mark: int = Field(ge=0, le=1_000_000)


class Plot(BaseModel):
    """A plot as it is stored. `sha256` is that of its specification as canonical JSON; `dataset_revision` and
    `dataset_sha256` are what the dataset was when it was drawn, `dataset_changed` says that it is another one now."""

    id: UUID
    knowledge_base_id: UUID
    dataset_id: UUID
    dataset: str
    name: str
    spec: PlotSpec
    sha256: str
    dataset_revision: int
    dataset_sha256: str
    dataset_changed: bool
    may_write: bool
    created_at: datetime
    updated_at: datetime


class PlotColumn(BaseModel):
    """A column of the table beside a plot. `decimals`: how many its numbers are printed with, where it is the same for
    all and they are not computed."""

    title: str
    unit: str | None
    number: bool
    decimals: int | None = None


class PlotRow(BaseModel):
    """A mark as a row: `mark` is its number in the plot, `rows` how many rows of the dataset stand behind it.
    `decimals`: with how many the number of each cell is printed, where a column's are printed with different ones."""

    mark: int
    rows: int
    cells: list[JsonCell]
    decimals: list[int | None] = Field(default=[], exclude_if=lambda decimals: not decimals)


class PlotTable(BaseModel):
    """What a plot shows, for who cannot see it."""

    columns: list[PlotColumn]
    rows: list[PlotRow]


class Drawing(BaseModel):
    """A plot as it is drawn: a Vega-Lite specification with its data inside, which refers to nothing else. `spec` is
    what was asked for, or chosen where nothing was, without what is as usual. `title` says what is drawn, `alt` what is
    to be seen; `themes` are the configurations of both; `notices` say what is not shown, or shown otherwise."""

    spec: dict[str, Any]
    vega_lite: dict[str, Any]
    themes: dict[Theme, dict[str, Any]]
    title: str
    alt: str
    tables: list[PlotTable]
    notices: list[str]
    dataset_id: UUID
    dataset_revision: int
    dataset_sha256: str


class DrawnPlot(BaseModel):
    """A stored plot with its drawing, of the dataset as it is now."""

    plot: Plot
    drawing: Drawing


class MarkSource(BaseModel):
    """What stands behind a mark: `rows` of the dataset, and the printed cells of at most 200 of them, as far as you may
    see them."""

    mark: int
    title: str
    rows: int
    cells: list[SourceCell]
