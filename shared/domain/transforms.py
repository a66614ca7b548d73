"""Steps that transform a dataset, as they are declared, stored and hashed. Columns are named by their labels."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, cast, get_args
from uuid import UUID

from pydantic import BeforeValidator, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from shared.domain.closed import Closed

STEPS_MAX = 50
Label = Annotated[str, Field(min_length=1, max_length=300)]
NewLabel = Annotated[str | None, Field(min_length=1, max_length=300, description="else named after what it is made of")]
Expression = Annotated[str, Field(min_length=1, max_length=2_000)]
Aggregation = Literal[
    "count", "distinct", "sum", "mean", "median", "min", "max", "stddev", "stderr", "q1", "q3", "first"
]


class FilterStep(Closed):
    """Keep the rows for which `where` is true: `[Accuracy] > 0.9 and [Model] != "base"`."""

    op: Literal["filter"]
    where: Expression


class SelectStep(Closed):
    """Keep these columns, in this order."""

    op: Literal["select"]
    columns: list[Label] = Field(min_length=1, max_length=200)


class RenameStep(Closed):
    """Call a column something else."""

    op: Literal["rename"]
    column: Label
    name: Label


class DeriveStep(Closed):
    """A further column `name`, computed of the others row by row: `[Output] / [Input] * 100`. Its unit is computed too;
    `unit` says another one (as printed, UCUM or a currency), and "" that it has none: the numbers stay."""

    op: Literal["derive"]
    name: Label
    expression: Expression
    unit: Annotated[str | None, Field(max_length=60)] = Field(default=None, exclude_if=lambda unit: unit is None)


class Aggregate(Closed):
    """`column` is left out where rows are counted. `stderr` is that of the mean; q1 and q3 are the quartiles."""

    function: Aggregation
    column: Label | None = None
    name: NewLabel = None


class OriginStep(Closed):
    """Two further columns: the document that a row comes from, and its version. Each is missing where a row is made
    of rows of several."""

    op: Literal["origin"]
    document: Label = "Document"
    version: Label = "Version"


class LabelsStep(Closed):
    """A further column: the label that stands over a row's group in its table, as `Dev` alone in a row over those that
    belong to it; of groups within groups each, from the outermost. Missing where there is none, and where a row is made
    of several. With `drop` the rows that are but labels go."""

    op: Literal["labels"]
    name: Label = "Group"
    drop: bool = True


class FillStep(Closed):
    """What stands above, in the same table, where a cell of the column is empty: of a label that is printed once for
    several rows."""

    op: Literal["fill"]
    column: Label


class GroupStep(Closed):
    """One row for each combination of the values of `by`; one row in all where `by` is empty."""

    op: Literal["group"]
    by: list[Label] = Field(default=[], max_length=20)
    aggregates: list[Aggregate] = Field(min_length=1, max_length=50)


class JoinKey(Closed):
    """A column here, and one of the other dataset that is equal to it."""

    left: Label
    right: Label


class JoinStep(Closed):
    """Columns of another dataset, which is transformed by its own steps first, beside the rows with equal keys."""

    op: Literal["join"]
    dataset_id: UUID
    on: list[JoinKey] = Field(min_length=1, max_length=10)
    how: Literal["inner", "left"] = "inner"


class StackStep(Closed):
    """Rows of another dataset, which is transformed by its own steps first, below these. Its columns go below those of
    the same name, whichever letters are large and whatever the unit, and numbers are converted to the unit above;
    `columns` says which others go together. What only one of the two has is missing in the rows of the other."""

    op: Literal["stack"]
    dataset_id: UUID
    columns: list[JoinKey] = Field(default=[], max_length=200)


class DistinctStep(Closed):
    """One row for all that are equal, in these columns, which alone are left, or in all of them."""

    op: Literal["distinct"]
    columns: list[Label] = Field(default=[], max_length=200)


class ShareStep(Closed):
    """How much of the column's total each number is, in percent; of the total of each combination of `by`."""

    op: Literal["share"]
    column: Label
    by: list[Label] = Field(default=[], max_length=20)
    name: NewLabel = None


class SpreadStep(Closed):
    """A further column of what is printed behind a column's numbers as their spread: `0.91 ± 0.02`, `0.91 (0.02)`."""

    op: Literal["spread"]
    column: Label
    name: NewLabel = None


class PivotStep(Closed):
    """A column for each value of `column`, with the `value`s of each combination of `index`."""

    op: Literal["pivot"]
    index: list[Label] = Field(min_length=1, max_length=20)
    column: Label
    value: Label
    function: Aggregation = "first"


class MeltStep(Closed):
    """The reverse: a row for each of `columns`, whose label stands in `name` and whose cell in `value`."""

    op: Literal["melt"]
    columns: list[Label] = Field(min_length=1, max_length=200)
    name: Label = "variable"
    value: Label = "value"


class LogStep(Closed):
    """The logarithm of a column; missing where that is not above 0."""

    op: Literal["log"]
    column: Label
    base: Literal["10", "2", "e"] = "10"
    name: NewLabel = None


class StandardiseStep(Closed):
    """How many standard deviations (of the sample) a value is above the column's mean."""

    op: Literal["standardise"]
    column: Label
    name: NewLabel = None


class ConvertStep(Closed):
    """A column in another unit (as printed or UCUM); the column keeps the formula. Without `name` in its place."""

    op: Literal["convert"]
    column: Label
    unit: Annotated[str, Field(min_length=1, max_length=60)]
    name: NewLabel = None


class SortStep(Closed):
    """Missing values last; rows with equal values stay in their order."""

    op: Literal["sort"]
    column: Label
    descending: bool = False


class LimitStep(Closed):
    """The first so many rows."""

    op: Literal["limit"]
    rows: int = Field(ge=1, le=1_000_000)


_AnyStep = (
    FilterStep
    | SelectStep
    | RenameStep
    | DeriveStep
    | GroupStep
    | JoinStep
    | PivotStep
    | MeltStep
    | LogStep
    | StandardiseStep
    | ConvertStep
    | SortStep
    | LimitStep
    | OriginStep
    | LabelsStep
    | FillStep
    | StackStep
    | DistinctStep
    | ShareStep
    | SpreadStep
)
_OPERATIONS: Final = tuple(get_args(one.model_fields["op"].annotation)[0] for one in get_args(_AnyStep))


def _with_operation(step: Any) -> Any:
    """What pydantic says of an unknown operation repeats what was sent, and of none not what there is."""
    if isinstance(step, dict) and cast("dict[Any, Any]", step).get("op") not in _OPERATIONS:
        told = {"operations": ", ".join(_OPERATIONS)}
        raise PydanticCustomError("operation", "a step says by `op` what it does: one of {operations}", told)
    return cast("Any", step)


Step = Annotated[_AnyStep, Field(discriminator="op"), BeforeValidator(_with_operation)]
Steps = Annotated[list[Step], Field(max_length=STEPS_MAX)]
STEPS: TypeAdapter[list[Step]] = TypeAdapter(Steps)


def canonical_steps(steps: Sequence[Step]) -> str:
    """The steps as JSON: keys in order, no spaces, defaults written out; equal lists have equal texts."""
    listed = [step.model_dump(mode="json") for step in steps]
    return json.dumps(listed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
