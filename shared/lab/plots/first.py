"""What is drawn of a dataset that no plot is kept of: what an address asks for, else a number by a name."""

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from shared.domain.datasets import NUMERIC, DatasetColumn, DatasetTable
from shared.domain.plots import PlotChannel, PlotForm, PlotQuery, PlotSpec
from shared.domain.transforms import Aggregate, GroupStep, Step
from shared.errors import BadInput

# Of a column that is all there is, numbers fall into so many intervals at most.
BINS: Final = 20
_COUNT: Final = PlotChannel(aggregate="count")


def first_spec(run: Callable[[Sequence[Step], int], DatasetTable]) -> PlotSpec:
    """Of the rows that `run` gives (steps, how many). As printed where each name has one row, else the mean."""
    head = run((), 1)
    value = _value(head.columns)
    group = next((one for one in head.columns if one.type not in NUMERIC), head.columns[0])
    x, y = PlotChannel(field=group.label), _COUNT
    if value is group:
        x = PlotChannel(field=group.label, bins=BINS)
    elif value is not None:
        counted = Aggregate(function="count", name=f"rows of {group.label}")
        groups = run([GroupStep(op="group", by=[group.label], aggregates=[counted])], 1).rows_in_all
        y = PlotChannel(field=value.label, aggregate=None if groups == head.rows_in_all else "mean")
    return PlotSpec(form=PlotForm(mark="bar", x=x, y=y))


def asked_spec(wanted: PlotQuery) -> PlotSpec | None:
    """None where nothing is said. Raises BadInput for a specification that is none."""
    try:
        if wanted.spec:
            return PlotSpec.model_validate_json(wanted.spec)
        if wanted.mark is None:
            return None
        y = PlotChannel(field=wanted.y, aggregate=wanted.aggregate or None) if wanted.y else _COUNT
        x, colour = (PlotChannel(field=label) if label else None for label in (wanted.x, wanted.colour))
        return PlotSpec(form=PlotForm(mark=wanted.mark, x=x, y=y, colour=colour))
    except ValidationError as wrong:
        said = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in said["loc"]) or "spec"
        what = 'Give {"form": …} or {"vega_lite": …} as JSON.'
        raise BadInput(f"That is no plot: {where}: {said['msg']}. {what}") from None


def _value(columns: Sequence[DatasetColumn]) -> DatasetColumn | None:
    """Whole numbers may be but numbers of rows: others come first."""
    numbers = [one for one in columns if one.type in NUMERIC]
    return next((one for one in numbers if one.type != "integer"), next(iter(numbers), None))
