"""What a plot needs of its dataset: groups and their aggregates, computed before anything is drawn.

Layers that are grouped by the same columns share a frame: one query, one table. In steps and in what is drawn columns
have names of our own, so that no label means anything to either.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal, cast

from shared.domain.datasets import NUMERIC, Cell, DatasetColumn, DatasetTable
from shared.domain.plots import MARKS_MAX, PlotAggregate, TimeUnit
from shared.domain.transforms import (
    Aggregate,
    Aggregation,
    DeriveStep,
    GroupStep,
    RenameStep,
    SelectStep,
    SortStep,
    Step,
)
from shared.errors import BadInput
from shared.lab.plots.vega_lite import Bin, EncodingChannel, FieldType, Layer, MarkDefinition
from shared.values.locales import ENGLISH, NumberSigns

# A dataset, with steps behind its own, up to so many rows.
Run = Callable[[Sequence[Step], int], DatasetTable]
COUNT: Final = "n"
BINS: Final = 20
GRID: Final = (60, 40)
_FACETS: Final = ("row", "column", "facet")
_GROUPED: Final = ("boxplot", "errorbar")
# Whose colours are groups, also where these are called by numbers.
_SERIES: Final = ("bar", "line", "area", "boxplot", "arc")
_SIGNS: Final = ("xOffset", "yOffset", "shape", "strokeDash")
# How far error bars reach, and on which axis.
ERRORS: Final = {"yError": "y", "xError": "x"}
_BANDS: Final = ("bar", "boxplot", "rect")
_FUNCTION: Final[dict[PlotAggregate, Aggregation]] = {"stdev": "stddev"}
_SUMMARY: Final[tuple[PlotAggregate, ...]] = ("min", "q1", "median", "q3", "max")


@dataclass(frozen=True)
class Dimension:
    """What is grouped by: a column, its bins (`[start, step]`), or its units of time. `source` and `name` are ours."""

    column: DatasetColumn
    source: str
    kind: Literal["raw", "bin", "time"] = "raw"
    start: float = 0.0
    step: float = 0.0
    unit: TimeUnit | None = None

    @property
    def decimals(self) -> int | None:
        """How many its numbers are printed with."""
        return self.column.decimals if self.kind == "raw" else None

    @property
    def name(self) -> str:
        marks = {"raw": "", "bin": f"b{self.step:g}", "time": f"t{self.unit}"}
        return f"{self.source}{marks[self.kind]}".replace(".", "p").replace("-", "m").replace("+", "")


@dataclass(frozen=True)
class GroupMeasure:
    """What is computed of a group; of no column: how many rows it has."""

    column: DatasetColumn | None
    source: str
    function: PlotAggregate

    @property
    def decimals(self) -> int | None:
        """Of numbers that are printed: others are computed."""
        return self.column.decimals if self.column and self.function in ("min", "max") else None

    @property
    def name(self) -> str:
        return f"{self.source}_{self.function}" if self.column else COUNT


@dataclass(frozen=True)
class DrawnLayer:
    """A layer as it is drawn: its mark, and for each channel what of its frame it shows."""

    mark: MarkDefinition
    channels: dict[str, EncodingChannel]
    shown: dict[str, Dimension | GroupMeasure]
    types: dict[str, FieldType]
    frame: int
    value: str | None = None  # Of error bars and boxes: the channel of their values.

    @property
    def error(self) -> Dimension | None:
        """What says how far the error bars of printed numbers reach; None where it is computed."""
        found = next((self.shown[name] for name in ERRORS if name in self.shown), None)
        return found if isinstance(found, Dimension) else None


@dataclass
class PlotFrame:
    """A query's groups or, where nothing is aggregated, its rows."""

    dimensions: tuple[Dimension, ...]
    grouped: bool
    measures: dict[str, GroupMeasure] = field(default_factory=dict)
    first: int = 0  # The number of its first mark.
    rows: list[dict[str, Cell]] = field(default_factory=list)
    mixed: frozenset[str] = frozenset()  # What is printed with different decimals: each row has its own.
    counts: list[int] = field(default_factory=list)
    rows_in_all: int = 0


class Framing:
    """Reads layers one after the other into frames."""

    def __init__(self, run: Run, signs: NumberSigns = ENGLISH) -> None:
        """`signs`: how numbers are written in words about it."""
        self._run, self.signs = run, signs
        self.head = run((), 1)
        self.columns = {one.label: one for one in self.head.columns}
        self.sources = own_names([one.label for one in self.head.columns])
        self._extents: dict[str, tuple[float, float]] = {}
        self.frames: list[PlotFrame] = []
        self.layers: list[DrawnLayer] = []
        self.notices: list[str] = []

    def add(self, layer: Layer) -> None:
        mark, channels = layer.definition, layer.encoding.channels()
        errors = [axis for name, axis in ERRORS.items() if name in channels]
        value = self._value_channel(mark, channels) if mark.type in _GROUPED and not errors else None
        shown: dict[str, Dimension | GroupMeasure] = {}
        for name, channel in channels.items():
            if channel.is_column and name != value:
                shown[name] = self._part(channel)
        for axis in errors:
            self._require_error(axis, shown)
        measures = [one for one in shown.values() if isinstance(one, GroupMeasure)]
        if value:
            column = self._column(channels[value])
            self._require_number(column, mark.type)
            source = self.sources[column.label]
            functions = _SUMMARY if mark.type == "boxplot" else _error_functions(mark)
            measures += [GroupMeasure(column, source, one) for one in functions]
            middle = "median" if mark.type == "boxplot" else "mean"
            shown[value] = next(one for one in measures if one.name == f"{source}_{middle}")
        dimensions = _dimensions(shown)
        grouped = bool(measures) or any(one.kind != "raw" for one in dimensions)
        if not grouped and mark.type in ("point", "circle", "square") and self.head.rows_in_all > MARKS_MAX:
            shown, dimensions = self._gridded(shown, dimensions)
            size = GroupMeasure(None, "", "count")
            shown["size"], measures, grouped = size, [size], True
            channels = {**channels, "size": EncodingChannel(aggregate="count")}
        frame = self._frame(dimensions, grouped)
        self.frames[frame].measures |= {one.name: one for one in measures}
        length = _length_of_bars(mark, shown)
        types = {name: self._type(mark, name, channels[name], shown[name], is_length=name == length) for name in shown}
        self.layers.append(DrawnLayer(mark, channels, shown, types, frame, value or next(iter(errors), None)))

    def read(self) -> None:
        """Fills the frames. Raises BadInput where there would be more marks than can be drawn."""
        self._agree()
        first = 0
        for frame in self.frames:
            frame.first = first
            table = self._run(steps_of(frame, self.sources, self.columns), MARKS_MAX)
            if table.rows_in_all > MARKS_MAX:
                raise BadInput(
                    f"This would be {table.rows_in_all:,} marks; {MARKS_MAX:,} can be drawn. Aggregate a column, use "
                    "bins, or filter the dataset."
                )
            names = [one.label for one in table.columns]
            frame.rows = [_readable(frame, dict(zip(names, row, strict=True))) for row in table.rows]
            frame.mixed = frozenset(table.decimals)
            for name, decimals in table.decimals.items():
                for row, printed in zip(frame.rows, decimals, strict=True):
                    row[decimals_field(name)] = printed
            frame.counts = [_whole(row[COUNT]) if frame.grouped else 1 for row in frame.rows]
            frame.rows_in_all = sum(frame.counts)
            first += len(frame.rows)

    def _agree(self) -> None:
        """Layers share their axes: what is a band for one of them is one for all."""
        for axis in ("x", "y"):
            named = {one.shown[axis].name for one in self.layers if one.types.get(axis) in ("nominal", "ordinal")}
            for one in self.layers:
                if axis in one.shown and one.shown[axis].name in named and one.types[axis] == "quantitative":
                    one.types[axis] = "ordinal"

    def _frame(self, dimensions: tuple[Dimension, ...], grouped: bool) -> int:
        for at, one in enumerate(self.frames):
            if one.dimensions == dimensions and one.grouped == grouped:
                return at
        self.frames.append(PlotFrame(dimensions, grouped))
        return len(self.frames) - 1

    def _part(self, channel: EncodingChannel) -> Dimension | GroupMeasure:
        if channel.function == "count" and channel.field is None:
            return GroupMeasure(None, "", "count")
        column = self._column(channel)
        source = self.sources[column.label]
        if channel.function:
            if channel.function not in ("count", "distinct"):
                self._require_number(column, channel.function)
            return GroupMeasure(column, source, channel.function)
        if channel.bin:
            self._require_number(column, "bin")
            start, step = self._bins(column, source, channel.bin if isinstance(channel.bin, Bin) else Bin())
            return Dimension(column, source, "bin", start, step)
        if channel.time_unit and column.type == "date" and channel.time_unit != "yearmonthdate":
            return Dimension(column, source, "time", unit=channel.time_unit)
        if channel.time_unit and column.type != "date":
            raise BadInput(f"“{column.label}” is no date: it has no unit of time.")
        return Dimension(column, source)

    def _column(self, channel: EncodingChannel) -> DatasetColumn:
        found = self.columns.get(channel.field or "")
        if found is None:
            labels = ", ".join(list(self.columns)[:20])
            raise BadInput(f"The dataset has no column “{channel.field}”. Its columns: {labels}.")
        return found

    def _require_number(self, column: DatasetColumn, what: str) -> None:
        if column.type not in NUMERIC:
            raise BadInput(
                f"“{column.label}” is {column.type}, not a number: {what} needs one. Correct the column's type."
            )

    def _require_error(self, axis: str, shown: dict[str, Dimension | GroupMeasure]) -> None:
        """Raises BadInput unless a column of numbers says how far error bars reach around those of the axis."""
        around, error = shown.get(axis), shown[f"{axis}Error"]
        if not (isinstance(around, Dimension) and isinstance(error, Dimension) and around.kind == error.kind == "raw"):
            raise BadInput(f"{axis}Error belongs to numbers as they are printed: leave aggregates and bins out.")
        self._require_number(around.column, "an error bar")
        self._require_number(error.column, "an error bar")
        one, other = around.column, error.column
        if one.scale != other.scale or (other.unit and one.unit != other.unit):
            raise BadInput(f"“{one.label}” and “{other.label}” have different units. Convert one first.")

    def _value_channel(self, mark: MarkDefinition, channels: dict[str, EncodingChannel]) -> str:
        """Which axis has the values that are summed up: the one of numbers, y where both are."""
        for name in ("y", "x"):
            channel = channels.get(name)
            if channel and channel.is_column and channel.field and not channel.aggregate and not channel.bin:
                column = self._column(channel)
                if column.type in NUMERIC and channel.type not in ("nominal", "ordinal"):
                    return name
        raise BadInput(f"A {mark.type} needs an axis with a column of numbers, without aggregate and bins.")

    def _bins(self, column: DatasetColumn, source: str, wish: Bin) -> tuple[float, float]:
        low, high = self._extent(column)
        step = wish.step or nice_step(high - low, wish.maxbins or BINS)
        if (high - low) / step > MARKS_MAX:
            raise BadInput(
                f"A step of {step:g} makes too many bins of “{column.label}”, which reaches from {low:g} to {high:g}."
            )
        return math.floor(low / step) * step, step

    def _extent(self, column: DatasetColumn) -> tuple[float, float]:
        if column.label not in self._extents:
            wanted = [Aggregate(function=one, column=column.label, name=one) for one in ("min", "max")]
            (low, high), *_ = self._run([GroupStep(op="group", by=[], aggregates=wanted)], 1).rows
            if low is None or high is None:
                raise BadInput(f"“{column.label}” has no values.")
            self._extents[column.label] = (float(low), float(high))
        return self._extents[column.label]

    def _gridded(
        self, shown: dict[str, Dimension | GroupMeasure], dimensions: tuple[Dimension, ...]
    ) -> tuple[dict[str, Dimension | GroupMeasure], tuple[Dimension, ...]]:
        """The cells of a grid in place of more points than can be drawn."""
        cells = dict(shown)
        for name, bins in zip(("x", "y"), GRID, strict=True):
            one = shown.get(name)
            if isinstance(one, Dimension) and one.kind == "raw" and one.column.type in NUMERIC:
                low, high = self._extent(one.column)
                step = nice_step(high - low, bins)
                cells[name] = Dimension(one.column, one.source, "bin", math.floor(low / step) * step, step)
        every = self.signs.write(f"{self.head.rows_in_all:,}")
        self.notices.append(
            f"{every} points are more than can be told apart: those that are near each other are "
            "one, and its size says how many they are."
        )
        return cells, _dimensions(cells)

    def _type(
        self,
        mark: MarkDefinition,
        name: str,
        channel: EncodingChannel,
        shown: Dimension | GroupMeasure,
        *,
        is_length: bool,
    ) -> FieldType:
        if isinstance(shown, GroupMeasure) or shown.kind == "bin":
            return "quantitative"
        if channel.type == "temporal" and shown.column.type != "date":
            raise BadInput(f"“{shown.column.label}” is no date. Leave its type out.")
        if channel.type == "quantitative" and shown.column.type not in NUMERIC:
            raise BadInput(f"“{shown.column.label}” is {shown.column.type}, not a number. Leave its type out.")
        if channel.type:
            return channel.type
        if shown.column.type == "date":
            return "temporal"
        if shown.column.type not in NUMERIC or name in (*_FACETS, *_SIGNS):
            return "nominal"
        if name == "color" and mark.type in _SERIES:
            return "nominal"
        return "ordinal" if mark.type in _BANDS and name in ("x", "y") and not is_length else "quantitative"


def _length_of_bars(mark: MarkDefinition, shown: dict[str, Dimension | GroupMeasure]) -> str | None:
    """The axis whose numbers, a row's each, bars are as long as: where nothing is aggregated, y before x."""
    axes = {name: one for name, one in shown.items() if name in ("x", "y")}
    dimensions = [one for one in axes.values() if isinstance(one, Dimension)]
    if mark.type != "bar" or len(dimensions) < 2:
        return None
    numbers = [
        n for n, one in axes.items() if isinstance(one, Dimension) and one.kind == "raw" and one.column.type in NUMERIC
    ]
    return max(numbers, default=None)


def _dimensions(shown: dict[str, Dimension | GroupMeasure]) -> tuple[Dimension, ...]:
    named = {one.name: one for one in shown.values() if isinstance(one, Dimension)}
    return tuple(named[name] for name in sorted(named))


def decimals_of(part: Dimension | GroupMeasure, row: dict[str, Cell]) -> int | None:
    """With how many its number in the row is printed."""
    return cast(int | None, row.get(decimals_field(part.name), part.decimals))


def decimals_field(name: str) -> str:
    """What a row calls the decimals of a column that is printed with different ones."""
    return f"{name}_decimals"


def own_names(labels: Sequence[str]) -> dict[str, str]:
    """Names of ours for columns, none of which is the label of one."""
    letters = "f"
    while any(label.startswith(letters) and label[len(letters) :].isdecimal() for label in labels):
        letters += "f"
    return {label: f"{letters}{at}" for at, label in enumerate(labels)}


def steps_of(frame: PlotFrame, sources: dict[str, str], columns: dict[str, DatasetColumn]) -> list[Step]:
    """What makes the frame of the dataset's rows."""
    used = {one.column.label for one in frame.dimensions}
    used |= {one.column.label for one in frame.measures.values() if one.column}
    labels = [label for label in columns if label in used]
    steps: list[Step] = []
    if labels:
        steps.append(SelectStep(op="select", columns=labels))
        steps += [RenameStep(op="rename", column=label, name=sources[label]) for label in labels]
    for one in frame.dimensions:
        if one.kind != "raw":
            steps.append(DeriveStep(op="derive", name=one.name, expression=_expression(one)))
    names = [one.name for one in frame.dimensions]
    if not frame.grouped:
        return steps
    counted = [Aggregate(function="count", name=COUNT)]
    counted += [
        Aggregate(function=_function(one.function), column=one.source, name=one.name)
        for one in frame.measures.values()
        if one.column
    ]
    steps.append(GroupStep(op="group", by=names, aggregates=counted))
    steps += [SortStep(op="sort", column=name) for name in reversed(names)]
    return steps


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that cuts `span` into at most `most` intervals."""
    if span <= 0:
        return 1.0
    least = span / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * one for one in (1, 2, 2.5, 5, 10) if power * one >= least * (1 - 1e-9))


def _expression(one: Dimension) -> str:
    if one.kind == "bin":
        return f"floor([{one.source}] / {format(Decimal(repr(one.step)), 'f')})"
    if one.unit == "year":
        return f"year([{one.source}])"
    return f"year([{one.source}]) * 12 + month([{one.source}]) - 1"


def _readable(frame: PlotFrame, row: dict[str, Cell]) -> dict[str, Cell]:
    """With bins as where they begin, and with units of time as dates."""
    for one in frame.dimensions:
        value = row[one.name]
        if value is None:
            continue
        if one.kind == "bin":
            row[one.name] = round(float(cast(float, value)) * one.step, 12)
        elif one.kind == "time":
            whole = int(cast(float, value))
            year, month = (whole, 0) if one.unit == "year" else divmod(whole, 12)
            row[one.name] = date(year, month + 1, 1).isoformat()
    return row


def _error_functions(mark: MarkDefinition) -> tuple[PlotAggregate, ...]:
    return ("count", "stdev" if mark.extent == "stdev" else "stderr", "mean")


def _function(one: PlotAggregate) -> Aggregation:
    return _FUNCTION.get(one) or cast(Any, one)


def _whole(value: Cell) -> int:
    return int(cast(float, value))
