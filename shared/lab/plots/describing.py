"""What a plot shows in words, and as a table: for who cannot see it."""

import math
from collections.abc import Callable, Sequence
from typing import Final, cast

from shared.domain.datasets import NUMERIC, Cell
from shared.domain.plots import PlotColumn, PlotRow, PlotTable
from shared.lab.plots.frames import Dimension, DrawnLayer, Framing, GroupMeasure, PlotFrame, decimals_of
from shared.lab.plots.marks import is_drawn, is_open, limits
from shared.lab.plots.orders import MISSING
from shared.lab.plots.pies import is_pie, slices_of
from shared.lab.plots.titles import extent_title, title_of
from shared.lab.plots.trends import Trend
from shared.lab.plots.vega_lite import Chart
from shared.values.locales import NumberSigns

_MARKS: Final = {
    "bar": ("Bar chart", "bar"), "line": ("Line chart", "point"), "point": ("Scatter plot", "point"),
    "circle": ("Scatter plot", "point"), "square": ("Scatter plot", "point"), "area": ("Area chart", "point"),
    "rect": ("Heat map", "cell"), "tick": ("Strip plot", "tick"), "rule": ("Plot of rules", "rule"),
    "boxplot": ("Box plot", "group"), "errorbar": ("Plot of intervals", "interval"), "arc": ("Pie chart", "slice"),
}  # fmt: skip
_ENOUGH: Final = 3
# What error bars are made of, beside the mean.
_PARTS: Final = ("count", "stderr", "stdev")


def entitle(chart: Chart, framing: Framing) -> str:
    """What is drawn, in a few words: its own title, or the kind of plot and its axes."""
    first = framing.layers[0]
    return chart.title or f"{_MARKS[first.mark.type][0]}: {_subject(first)}"


def describe(chart: Chart, framing: Framing, trends: Sequence[Trend] = ()) -> str:
    """Type, axes, ranges, what stands out and lines of least squares, in a few sentences of plain text."""
    first = framing.layers[0]
    frame = framing.frames[first.frame]
    rows = [row for row in frame.rows if is_drawn(first, row)]
    (what, one), signs = _MARKS[first.mark.type], framing.signs
    parts = [f"{chart.title}. " if chart.title else "", f"{what}: {_subject(first)}."]
    drawn, every = number(len(rows), signs), number(sum(_counts(frame, first)), signs)
    parts.append(f" {drawn} {one if len(rows) == 1 else one + 's'} of {every} rows.")
    parts += [f" {said}" for said in (*_ranges(first, rows, signs), *_facts(first, rows, signs)) if said]
    for other in framing.layers[1:]:
        if other.mark.type == "errorbar":
            parts.append(f" Error bars: {extent_title(other)}.")
    parts += [f" {_told_trend(one, first, signs)}" for one in trends]
    if slices := slices_of(framing).values():
        parts.append(f" Shares: {', '.join(f'{one.name} {one.told}' for one in slices)}.")
    return "".join(parts)


def _told_trend(one: Trend, drawn: DrawnLayer, signs: NumberSigns) -> str:
    x, y = (title_of(drawn.shown[axis], drawn.channels[axis].title) for axis in ("x", "y"))
    sign = "+" if one.intercept >= 0 else "−"
    line = f"{y} = {number(one.slope, signs)} × {x} {sign} {number(abs(one.intercept), signs)}"
    of = f" of {one.group}" if one.group is not None else ""
    return f"Straight line of least squares{of}: {line}, R² {number(one.share, signs)}, {one.points} points."


def tabulate(framing: Framing) -> list[PlotTable]:
    """A table for each frame; a row for each mark."""
    return [_table(framing, at, frame) for at, frame in enumerate(framing.frames)]


def mark_title(framing: Framing, frame: PlotFrame, place: int) -> str:
    """Which mark this is, by its groups."""
    row = frame.rows[place]
    said = [f"{title_of(one)}: {_shown(one, row, framing.signs)}" for one in frame.dimensions]
    return "; ".join(said) or "All rows"


def left_out(framing: Framing) -> list[str]:
    """How many rows are not drawn, and why."""
    said, signs = list[str](), framing.signs
    for drawn in framing.layers:
        frame = framing.frames[drawn.frame]
        without = frame.rows_in_all - sum(_counts(frame, drawn))
        if without and drawn.mark.type != "errorbar":
            log = any(one.scale and one.scale.type == "log" for one in drawn.channels.values())
            why = "a value is missing, or not above 0 on a logarithmic axis" if log else "a value is missing"
            said.append(f"{number(without, signs)} {'row is' if without == 1 else 'rows are'} not drawn: {why}.")
        elif drawn.mark.type == "errorbar" and (single := sum(limits(drawn, row) is None for row in frame.rows)):
            of, what = number(len(frame.rows), signs), "rows" if drawn.error else "groups"
            some = f"{number(single, signs)} of {of} {what} {'has' if single == 1 else 'have'}"
            why = "a value is missing" if drawn.error else "it takes two values"
            said.append(f"{some} no error bar: {why}.")
        if drawn.mark.type == "errorbar" and (beyond := sum(is_open(drawn, row) for row in frame.rows)):
            bars, those = ("bar reaches", "It is") if beyond == 1 else ("bars reach", "They are")
            said.append(
                f"{number(beyond, signs)} error {bars} to 0 or below, which a logarithmic axis does not show. {those}"
                " drawn to its lower end, without an end there."
            )
    return list(dict.fromkeys(said))


def number(value: float, signs: NumberSigns, decimals: int | None = None) -> str:
    """As printed, else with four digits that count; with signs between thousands."""
    return signs.write(_english(value) if decimals is None else f"{value:,.{decimals}f}")


def _english(value: float) -> str:
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    digits = max(0, 3 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:,.{min(digits, 12)}f}".rstrip("0").rstrip(".") if digits else f"{round(value):,}"


def _subject(drawn: DrawnLayer) -> str:
    titles = {name: title_of(part, drawn.channels[name].title) for name, part in drawn.shown.items()}
    if is_pie(drawn):
        return f"{titles['theta']} by {titles['color']}"
    said = (
        f"{titles['y']} by {titles['x']}"
        if {"x", "y"} <= titles.keys()
        else titles.get("y") or titles.get("x") or "values"
    )
    if "color" in titles:
        said += f", coloured by {titles['color']}"
    panels = [titles[name] for name in ("facet", "row", "column") if name in titles]
    return f"{said}, in panels by {' and '.join(panels)}" if panels else said


def _counts(frame: PlotFrame, drawn: DrawnLayer) -> list[int]:
    return [count for count, row in zip(frame.counts, frame.rows, strict=True) if is_drawn(drawn, row)]


def _ranges(drawn: DrawnLayer, rows: Sequence[dict[str, Cell]], signs: NumberSigns) -> list[str]:
    said: list[str] = []
    for axis in ("x", "y"):
        part = drawn.shown.get(axis)
        if part is None or not rows or drawn.types[axis] not in ("quantitative", "temporal"):
            continue
        by: Callable[[dict[str, Cell]], float] = lambda row, n=part.name: _size(row[n])  # noqa: E731
        low, high = min(rows, key=by), max(rows, key=by)
        end = _plain(part, high, signs)
        if isinstance(part, Dimension) and part.kind == "bin":
            end = _text(cast(float, high[part.name]) + part.step, signs)
        reach = f"from {_plain(part, low, signs)} to {end}"
        said.append(f"{title_of(part, drawn.channels[axis].title)} {reach}.")
    return said


def _facts(drawn: DrawnLayer, rows: Sequence[dict[str, Cell]], signs: NumberSigns) -> list[str]:
    of = next((axis for axis in ("y", "x", "color") if isinstance(drawn.shown.get(axis), GroupMeasure)), None)
    if len(rows) < 2:
        return []
    if of is None:
        return [_correlation(drawn, rows, signs)]
    part = drawn.shown[of]
    by: Callable[[dict[str, Cell]], float] = lambda row: _size(row[part.name])  # noqa: E731
    least, most = min(rows, key=by), max(rows, key=by)
    ends = [
        (name, _place(drawn, row, signs), _plain(part, row, signs))
        for name, row in (("Highest", most), ("lowest", least))
    ]
    said = ["; ".join(f"{name}: {place}, {value}" for name, place, value in ends) + "."]
    if drawn.mark.type in ("line", "area") and of == "y" and "color" not in drawn.shown and "x" in drawn.shown:
        said.append(_trend(drawn, rows, signs))
    return said


def _trend(drawn: DrawnLayer, rows: Sequence[dict[str, Cell]], signs: NumberSigns) -> str:
    """From the first to the last value along the axis; nothing where that has no order."""
    if drawn.types["x"] not in ("quantitative", "temporal"):
        return ""
    along, part = drawn.shown["x"].name, drawn.shown["y"]
    ordered = sorted(rows, key=lambda row: _size(row[along]))
    begin, end = ordered[0], ordered[-1]
    said = [_plain(part, one, signs) for one in (begin, end)]
    if begin[part.name] == end[part.name]:
        return f"It ends where it begins, at {said[1]}."
    return f"It {'rises' if _size(end[part.name]) > _size(begin[part.name]) else 'falls'} from {said[0]} to {said[1]}."


def _place(drawn: DrawnLayer, row: dict[str, Cell], signs: NumberSigns) -> str:
    named = [one for name, one in drawn.shown.items() if isinstance(one, Dimension) and not name.endswith("Offset")]
    return " and ".join(dict.fromkeys(_shown(one, row, signs) for one in named))


def _correlation(drawn: DrawnLayer, rows: Sequence[dict[str, Cell]], signs: NumberSigns) -> str:
    """Pearson's r of two axes of numbers."""
    axes = [drawn.shown[axis] for axis in ("x", "y") if drawn.types.get(axis) == "quantitative"]
    if len(axes) < 2 or len(rows) < _ENOUGH or any(one.kind != "raw" for one in axes if isinstance(one, Dimension)):
        return ""
    xs, ys = ([float(cast(float, row[one.name])) for row in rows] for one in axes)
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    under = math.sqrt(sum((x - mean_x) ** 2 for x in xs) * sum((y - mean_y) ** 2 for y in ys))
    if not under:
        return ""
    r = over / under
    strength = "no" if abs(r) < 0.1 else "a weak" if abs(r) < 0.3 else "a moderate" if abs(r) < 0.7 else "a strong"
    sign = "" if abs(r) < 0.1 else " rising" if r > 0 else " falling"
    return f"There is {strength}{sign} linear relation (r = {signs.write(f'{r:.2f}')})."


def _table(framing: Framing, at: int, frame: PlotFrame) -> PlotTable:
    own = [one for one in framing.layers if one.frame == at]
    columns: list[PlotColumn] = []
    cells: list[Callable[[dict[str, Cell]], Cell]] = []
    printed: list[Callable[[dict[str, Cell]], int | None]] = []

    def add(
        title: str,
        unit: str | None,
        is_number: bool,
        cell: Callable[[dict[str, Cell]], Cell],
        part: Dimension | GroupMeasure | None = None,
    ) -> None:
        columns.append(PlotColumn(title=title, unit=unit, number=is_number, decimals=part.decimals if part else None))
        cells.append(cell)
        printed.append(lambda row: decimals_of(part, row) if part else None)

    for one in frame.dimensions:
        of = one.column
        if one.kind == "bin":
            add(f"{title_of(one)}, from", of.unit, True, lambda row, n=one.name: row[n])
            add("to", of.unit, True, lambda row, n=one.name, s=one.step: _end(row[n], s))
        else:
            add(title_of(one), of.unit, of.type in NUMERIC, lambda row, n=one.name: row[n], one)
    bars = [one for one in own if one.mark.type == "errorbar"]
    hidden = {f"{drawn.shown[drawn.value or ''].source}_{one}" for drawn in bars for one in _PARTS}
    for measure in frame.measures.values():
        if measure.name not in hidden:
            unit = measure.column.unit if measure.column else None
            add(title_of(measure), unit, True, lambda row, n=measure.name: row[n], measure)
    slices = slices_of(framing)
    if slices:
        by_row = {id(row): 100 * slices[place].share for place, row in enumerate(frame.rows) if place in slices}
        add("Share of the whole (%)", "%", True, lambda row: by_row.get(id(row)))
    for drawn in bars:
        add(f"{extent_title(drawn)}, from", None, True, lambda row, d=drawn: (limits(d, row) or (None, None))[0])
        add("to", None, True, lambda row, d=drawn: (limits(d, row) or (None, None))[1])
    rows = [
        PlotRow(
            mark=frame.first + place,
            rows=frame.counts[place],
            cells=[cell(row) for cell in cells],
            decimals=[one(row) for one in printed] if frame.mixed else [],
        )
        for place, row in enumerate(frame.rows)
    ]
    return PlotTable(columns=columns, rows=rows)


def _end(start: Cell, step: float) -> Cell:
    return None if start is None else round(float(cast(float, start)) + step, 12)


def _shown(part: Dimension | GroupMeasure, row: dict[str, Cell], signs: NumberSigns) -> str:
    value = row[part.name]
    if isinstance(part, Dimension) and part.kind == "bin" and value is not None:
        return f"{_text(value, signs)} to {_text(_end(value, part.step), signs)}"
    return _plain(part, row, signs)


def _plain(part: Dimension | GroupMeasure, row: dict[str, Cell], signs: NumberSigns) -> str:
    value = row[part.name]
    if isinstance(part, Dimension) and part.kind == "time" and isinstance(value, str):
        return value[:4] if part.unit == "year" else value[:7]
    return _text(value, signs, decimals_of(part, row))


def _text(value: Cell, signs: NumberSigns, decimals: int | None = None) -> str:
    if value is None:
        return MISSING
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number(value, signs, decimals) if is_number else str(value)


def _size(value: Cell) -> float:
    if isinstance(value, str):
        # Dates in ISO's order, which is that of time.
        return float("".join(c for c in value if c.isdigit()).ljust(14, "0")[:14] or 0)
    return float(value) if value is not None else -math.inf
